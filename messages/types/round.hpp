// What a policy is given for a round, and what it answers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "messages/types/cluster.hpp"
#include "messages/types/ids.hpp"
#include "messages/types/job.hpp"
#include "messages/types/throughput.hpp"

namespace hadar {

// GPUs of one node.
struct GpuSlice {
  NodeName node;
  std::vector<std::uint32_t> gpus;  // indices on the node, rising, not empty

  friend bool operator==(const GpuSlice&, const GpuSlice&) = default;
};

// What a fork of a job holds, or is to hold: one slice per node; the sizes sum to the job's gang size.
struct Allocation {
  ForkId fork;
  std::vector<GpuSlice> slices;
  std::uint64_t quota_steps = 0;  // steps this fork may do; > 0
  bool ends_at_border = false;    // true: merges at the round's border; false: renews itself while unchanged
  double steps_per_s = 0;         // speed expected of the gang
  JobId shares_with{};            // the job whose allocation has the very same GPUs; 0 = none

  friend bool operator==(const Allocation&, const Allocation&) = default;
};

// A job as a planner sees it. Whole, never a delta; immutable once sent.
struct JobView {
  JobId job;
  std::string model;
  std::uint32_t batch_size = 1;
  std::uint32_t gpus = 1;
  std::vector<GpuType> gpu_types;  // allowed; empty = any
  bool forkable = true;
  bool proportional_batch = false;
  double weight = 1;
  double deadline_t_s = 0;  // cluster time; 0 = none
  std::string user;
  double submitted_t_s = 0;
  std::optional<double> started_t_s;
  std::uint64_t steps_total = 0;  // to be credited; with effective_steps: if what is left were done without merging
  std::uint64_t steps_credited = 0;
  std::uint64_t steps_issued = 0;     // quotas of open leases: steps_credited + steps_issued <= steps_total
  double attained_service_gpu_s = 0;  // GPU time received so far
  double merge_s = 0;                 // measured time from last fork's end to new version; 0 = unknown
  std::uint64_t model_bytes = 0;      // 0 = unknown
  bool merging = false;               // not plannable now
  std::vector<Estimate> estimates;
  std::vector<Allocation> held;            // open leases; quota_steps = what is left of them as far as known
  std::optional<double> merge_efficiency;  // eta, what steps beyond the fastest fork's are worth; absent = unknown
  bool effective_steps = false;            // the job is judged by what steps are worth, not by their number

  [[nodiscard]] std::uint64_t steps_left() const { return steps_total - steps_credited; }
  [[nodiscard]] std::uint64_t steps_unissued() const {
    const auto taken = steps_credited + steps_issued;
    return taken < steps_total ? steps_total - taken : 0;
  }
  friend bool operator==(const JobView&, const JobView&) = default;
};

using JobViews = std::vector<std::shared_ptr<const JobView>>;

// A node a planner may use (state up). GPUs that are neither idle nor in a job's `held` are unusable.
struct NodeCapacity {
  NodeName node;
  std::vector<GpuGroup> gpus;
  std::vector<std::uint32_t> idle_gpus;
  double pcie_gb_s = 0;
  double net_gb_s = 0;

  friend bool operator==(const NodeCapacity&, const NodeCapacity&) = default;
};

// Prices by GPU type, in utility per GPU and round.
struct PriceBoard {
  RoundId round;  // the round they were made for
  bool stale = false;
  bool exponential = false;         // GPUs cost what the curve says at their node's fill; else all of a type the same
  std::map<GpuType, double> price;  // per GPU and round
  std::map<GpuType, double> u_min;  // bounds of the exponential curve
  std::map<GpuType, double> u_max;

  friend bool operator==(const PriceBoard&, const PriceBoard&) = default;
};

struct RoundInput {
  RoundId round;
  bool early = false;   // an early replan: held allocations are immovable
  double now_s = 0;     // cluster time
  double round_s = 0;   // length of a whole round
  double window_s = 0;  // time left to the border; round_s at a border
  std::uint64_t seed = 0;
  JobViews jobs;                    // unfinished, not held back, rising ids
  std::vector<NodeCapacity> nodes;  // rising names
  PriceBoard prices;
  std::string memory;  // what the policy put into the last plan's memory; at most 1 MiB
  PairTable pairs;     // rising (a, b, gpus, type); of these jobs' workloads; empty unless the policy shares GPUs
};

inline bool operator==(const RoundInput& a, const RoundInput& b) {
  if (a.jobs.size() != b.jobs.size()) return false;
  for (std::size_t i = 0; i < a.jobs.size(); ++i)
    if (!(*a.jobs[i] == *b.jobs[i])) return false;
  return a.round == b.round && a.early == b.early && a.now_s == b.now_s && a.round_s == b.round_s &&
         a.window_s == b.window_s && a.seed == b.seed && a.nodes == b.nodes && a.prices == b.prices &&
         a.memory == b.memory && a.pairs == b.pairs;
}

enum class OutcomeKind : std::uint8_t {
  kGranted = 1,     // holds or gets GPUs this round
  kWaiting = 2,     // not now; can change by itself
  kInfeasible = 3,  // never on this cluster
};

struct Outcome {
  JobId job;
  OutcomeKind kind = OutcomeKind::kWaiting;
  Reason reason;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Complete for the round: a held allocation that is not repeated in `allocations` is revoked (never in an early
// replan).
struct RoundPlan {
  RoundId round;
  std::vector<Allocation> allocations;  // rising (job, fork)
  std::vector<Outcome> outcomes;        // one for every job of the input, same order
  std::string memory;                   // goes into the next input

  friend bool operator==(const RoundPlan&, const RoundPlan&) = default;
};

}  // namespace hadar
