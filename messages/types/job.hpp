// A job: what its owner asked for, and where it stands.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/types/ids.hpp"
#include "messages/types/model.hpp"

namespace hadar {

// The built-in synthetic workload.
struct SleepSpec {
  std::map<GpuType, double> steps_per_s;  // declared speed of one gang member per type; > 0
  std::uint64_t checkpoint_bytes = 0;     // size of its pretend weights; 0 = none
  std::uint64_t crash_at_step = 0;        // its process exits with 1 once, at this step of a lease; 0 = never
  double log_bytes_per_s = 0;

  friend bool operator==(const SleepSpec&, const SleepSpec&) = default;
};

// A validation metric that ends a job early when it is reached.
struct TargetMetric {
  std::string metric;  // empty = none
  double value = 0;
  bool at_least = true;  // false: reached at or below the value, as losses are

  [[nodiscard]] bool reached(const std::map<std::string, double>& metrics) const {
    const auto found = metric.empty() ? metrics.end() : metrics.find(metric);
    return found != metrics.end() && (at_least ? found->second >= value : found->second <= value);
  }
  friend bool operator==(const TargetMetric&, const TargetMetric&) = default;
};

// What a user submits (JOB.toml). Either `workload` or `command` is set, never both.
struct JobSpec {
  std::string name;
  std::string workload;              // "image", "weather", "recommendation", "sleep"; empty with `command`
  std::vector<std::string> command;  // argv of a trainer that speaks the job SDK
  std::string model;                 // key into throughput tables; defaults to the workload's name
  std::uint32_t batch_size = 32;     // samples per step of one gang member
  std::uint32_t gpus = 1;            // gang size: all or nothing
  std::uint64_t total_steps = 0;
  std::vector<GpuType> gpu_types;  // allowed types; empty = any
  bool forkable = true;
  double weight = 1;
  double deadline_s = 0;  // after submission; 0 = none
  std::string user;
  bool proportional_batch = false;  // a mixed gang splits its batch by speed
  double checkpoint_every_s = 0;    // 0 = once a round
  std::uint64_t seed = 1;
  SleepSpec sleep;
  TargetMetric target;
  bool effective_steps = false;  // total_steps counts what steps are worth once merged, not all that were done

  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

enum class JobState : std::uint8_t {
  kWaiting = 1,
  kRunning = 2,
  kMerging = 3,  // its forks ended, their weights are being merged
  kHeld = 4,
  kInfeasible = 5,  // kept on purpose though this cluster can never run it
  kCompleted = 6,
  kFailed = 7,
  kCancelled = 8,
};

constexpr bool is_final(JobState state) {
  return state == JobState::kCompleted || state == JobState::kFailed || state == JobState::kCancelled;
}

constexpr const char* name_of(JobState state) {
  switch (state) {
    case JobState::kWaiting: return "WAITING";
    case JobState::kRunning: return "RUNNING";
    case JobState::kMerging: return "MERGING";
    case JobState::kHeld: return "HELD";
    case JobState::kInfeasible: return "INFEASIBLE";
    case JobState::kCompleted: return "COMPLETED";
    case JobState::kFailed: return "FAILED";
    case JobState::kCancelled: return "CANCELLED";
  }
  return "?";
}

using Metrics = std::map<std::string, double>;  // finite numbers only

// Why a job stands where it stands: one code, one sentence, the numbers in it.
struct Reason {
  std::string code;  // snake_case, e.g. "waiting_gpus_busy"
  std::string text;
  std::map<std::string, double> numbers;

  friend bool operator==(const Reason&, const Reason&) = default;
};

// A job as users see it.
struct JobStatus {
  JobId job;
  JobSpec spec;
  JobState state = JobState::kWaiting;
  Reason reason;
  std::uint64_t steps_credited = 0;
  std::uint64_t steps_running = 0;  // sampled progress of open leases, not credited yet
  std::uint32_t forks = 0;          // open now
  std::uint32_t forks_max = 0;      // most at once so far
  std::uint64_t consolidations = 0;
  ModelVersion version;
  double submitted_t_s = 0;
  std::optional<double> started_t_s;
  std::optional<double> finished_t_s;
  Metrics metrics;                         // latest validation metrics
  std::optional<double> merge_efficiency;  // fitted eta; absent = not known yet
  std::optional<double> steps_effective;   // what the credited steps are worth; absent = not known

  friend bool operator==(const JobStatus&, const JobStatus&) = default;
};

}  // namespace hadar
