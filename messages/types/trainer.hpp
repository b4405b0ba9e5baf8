// What a node worker and the trainers it started say to each other, over ipc:// on one machine.
#pragma once

#include <cstdint>
#include <string>

#include "messages/types/ids.hpp"
#include "messages/types/job.hpp"
#include "messages/types/lease.hpp"

namespace hadar {

// Trainer → node worker, first message after its start. The token was handed over in HADAR_TRAINER_TOKEN.
struct TrainerHello {
  std::string token;
  std::uint32_t rank = 0;
  std::uint64_t pid = 0;
  friend bool operator==(const TrainerHello&, const TrainerHello&) = default;
};

// Node worker → trainer: train now. The trainer loads `weights_path` (empty: initialise from `seed`) and steps until
// its quota, its deadline or a LeaseStop.
struct TrainerLeaseStart {
  LeaseId lease;
  std::string weights_path;
  std::string result_path;  // where to write weights: a fresh name for each save is `result_path` + ".N"
  std::uint64_t quota_steps = 0;
  double train_for_s = 0;         // 0 = until stopped
  double pace_steps_per_s = 0;    // 0 = unpaced
  std::uint64_t seed = 0;         // of data order and, at version 0, of the weights
  std::uint64_t first_step = 0;   // steps of the job credited before this lease
  std::uint64_t total_steps = 0;  // of the job
  std::uint32_t batch_size = 1;
  std::uint32_t fork = 0;
  std::uint32_t rank = 0;
  std::uint32_t world_size = 1;
  std::string rendezvous;
  friend bool operator==(const TrainerLeaseStart&, const TrainerLeaseStart&) = default;
};

// Node worker → trainer: the lease goes on with more steps on the same base.
struct TrainerLeaseExtend {
  LeaseId lease;
  std::uint64_t quota_steps = 0;  // new total quota
  double train_for_s = 0;         // new limit from now; 0 = until stopped
  friend bool operator==(const TrainerLeaseExtend&, const TrainerLeaseExtend&) = default;
};

// Node worker → trainer: write the weights at the next step and go on.
struct TrainerSave {
  LeaseId lease;
  friend bool operator==(const TrainerSave&, const TrainerSave&) = default;
};

// Node worker → trainer: end the lease at the next step.
struct TrainerLeaseStop {
  LeaseId lease;
  friend bool operator==(const TrainerLeaseStop&, const TrainerLeaseStop&) = default;
};

// Node worker → trainer: finish and exit with 0.
struct TrainerExit {
  friend bool operator==(const TrainerExit&, const TrainerExit&) = default;
};

// Trainer → node worker: sampled progress, at most twice a second. Counts run from the lease's start.
struct TrainerProgress {
  LeaseId lease;
  std::uint64_t steps = 0;
  double train_s = 0;
  friend bool operator==(const TrainerProgress&, const TrainerProgress&) = default;
};

// Trainer → node worker: weights written (over = false: asked by TrainerSave; over = true: the lease is over).
// Counts run from the lease's start.
struct TrainerSaved {
  LeaseId lease;
  bool over = false;
  LeaseEndReason end = LeaseEndReason::kRunning;
  std::uint64_t steps = 0;
  std::uint64_t samples = 0;
  std::string weights_path;  // empty when it has none
  Metrics metrics;
  double train_s = 0;
  double pace_missed_s = 0;
  std::string detail;
  friend bool operator==(const TrainerSaved&, const TrainerSaved&) = default;
};

}  // namespace hadar
