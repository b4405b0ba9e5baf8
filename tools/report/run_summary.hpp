// What a run achieved, from its events alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "messages/types/event.hpp"
#include "messages/types/result.hpp"

namespace hadar::report {

struct JobSummary {
  JobId job;
  std::string name;
  std::string workload;
  JobState state = JobState::kWaiting;  // as far as events tell: waiting, running or final
  std::uint64_t steps_requested = 0;
  std::uint64_t steps_credited = 0;  // sum over Consolidated.credited
  std::uint32_t forks_max = 0;       // most forks with an open lease at once
  std::uint64_t consolidations = 0;  // merges of two or more forks
  double submitted_t_s = 0;
  std::optional<double> started_t_s;   // first lease granted
  std::optional<double> finished_t_s;  // completed, failed or cancelled
  std::optional<double> jct_s;         // submitted to completed; absent unless completed
  std::optional<double> metric;        // last known value of `metric_name`
  std::string metric_name;             // the metric that has a "baseline_" beside it; else accuracy or mse; else empty
  std::optional<double> baseline_metric;
};

struct RunSummary {
  std::string policy;  // of the first scheduler start that names one
  double round_s = 0;
  std::uint32_t nodes = 0;  // distinct nodes that were up
  std::uint64_t rounds = 0;
  double first_submit_t_s = 0;
  double makespan_s = 0;  // first submit to last completion; 0 without a completion
  double train_s = 0;     // time trainers were inside the step loops of accepted reports
  // Cluster resource utilisation over nodes, as HadarE's paper defines it: time a node had a trainer inside its step
  // loop / (nodes * makespan_s). On nodes of one GPU that is train_s; on larger ones leases that run at once count
  // once.
  double cru = 0;
  double avg_jct_s = 0;           // over completed jobs
  std::uint64_t pace_missed = 0;  // accepted reports of trainers that fell behind their pace
  double pace_missed_s = 0;       // by how much, all together
  std::vector<JobSummary> jobs;   // rising ids
};

// Summarises events in the order of their seq. Never fails: unknown leases and jobs are left out.
RunSummary summarise(std::span<const Event> events);

// Time inside step loops, one entry per lease and base version: reports of one base repeat what earlier ones said, so
// the longest counts. Returns the seconds each accepted report adds to that, in the order of the events (0 for events
// that are no reports).
std::vector<double> train_seconds_added(std::span<const Event> events);

// Reads event lines (hadar events --json). A last line without a line break that is no event was cut while it was
// written: it is skipped, and `skipped` says which and why; it also names the first place where events are missing.
// Errors: kIo; kInvalidArgument naming file and line.
Result<std::vector<Event>> read_events(const std::string& file, std::string& skipped);  // "-" = stdin

}  // namespace hadar::report
