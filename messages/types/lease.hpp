// Leases and what comes back from them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "messages/types/ids.hpp"
#include "messages/types/job.hpp"
#include "messages/types/model.hpp"

namespace hadar {

// A lease's part in a gang. All leases of one gang start together or not at all; rank 0's weights count.
struct GangSlot {
  std::uint32_t rank = 0;        // of this lease's first GPU
  std::uint32_t world_size = 1;  // GPUs over all leases of the gang
  std::string rendezvous;        // "host:port" where rank 0 listens; empty when world_size is 1

  friend bool operator==(const GangSlot&, const GangSlot&) = default;
};

// Named GPUs of one node for a fork of a job until a step quota or a deadline.
struct Lease {
  LeaseId id;
  ForkId fork;
  NodeName node;
  std::vector<std::uint32_t> gpus;  // indices on the node, rising
  std::vector<GpuType> gpu_types;   // of these GPUs, same order
  std::uint64_t quota_steps = 0;    // > 0
  double train_for_s = 0;           // from the node's commit; 0 = renews itself until quota or revocation
  ModelVersion base;
  std::uint64_t first_step = 0;  // steps credited to the job at `base`
  RoundId round;
  Term term;
  Epoch epoch;  // of the node when granted
  GangSlot gang;
  std::shared_ptr<const JobSpec> spec;
  JobId shares_with{};  // whose leases may have the very same GPUs; 0 = none

  [[nodiscard]] bool renews() const { return train_for_s == 0; }
};

inline bool operator==(const Lease& a, const Lease& b) {
  const bool same_spec = a.spec && b.spec ? *a.spec == *b.spec : a.spec == b.spec;
  return same_spec && a.id == b.id && a.fork == b.fork && a.node == b.node && a.gpus == b.gpus &&
         a.gpu_types == b.gpu_types && a.quota_steps == b.quota_steps && a.train_for_s == b.train_for_s &&
         a.base == b.base && a.first_step == b.first_step && a.round == b.round && a.term == b.term &&
         a.epoch == b.epoch && a.gang == b.gang && a.shares_with == b.shares_with;
}

enum class LeaseEndReason : std::uint8_t {
  kRunning = 0,   // not over: a checkpoint of a lease that goes on
  kQuota = 1,     // its steps are done
  kDeadline = 2,  // its time is up
  kRevoked = 3,   // the scheduler or the job's owner took it back
  kFailed = 4,    // the trainer failed; `detail` says how
  kLost = 5,      // the node was lost, or never started it
};

constexpr const char* name_of(LeaseEndReason reason) {
  switch (reason) {
    case LeaseEndReason::kRunning: return "running";
    case LeaseEndReason::kQuota: return "quota";
    case LeaseEndReason::kDeadline: return "deadline";
    case LeaseEndReason::kRevoked: return "revoked";
    case LeaseEndReason::kFailed: return "failed";
    case LeaseEndReason::kLost: return "lost";
  }
  return "?";
}

// What a node says of a lease: at its end, or at a checkpoint of one that goes on. Resent until answered.
// `steps` counts from `base`, not from the lease's start.
struct LeaseReport {
  LeaseId lease;
  ForkId fork;
  NodeName node;
  Epoch epoch;
  ModelVersion base;
  LeaseEndReason end = LeaseEndReason::kRunning;
  std::uint64_t steps = 0;
  std::uint64_t samples = 0;
  BlobRef weights;  // empty when the workload has none or steps is 0
  Metrics metrics;
  double train_s = 0;        // time inside the step loop since `base`; loading and merging do not count
  double pace_missed_s = 0;  // how far the trainer fell behind its pace beyond what it may catch up
  std::string detail;

  friend bool operator==(const LeaseReport&, const LeaseReport&) = default;
};

}  // namespace hadar
