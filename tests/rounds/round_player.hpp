// Plays whole workloads against a policy, round after round in virtual time, with exact speeds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/policy/policy.hpp"

namespace hadar::testing {

struct PlayedJob {
  std::string model;
  std::uint32_t gpus = 1;
  std::uint64_t steps = 0;
  std::vector<double> speeds;  // steps/s per type of the cluster, in its order; 0 = not allowed
  bool forkable = true;
  double arrival_s = 0;
};

struct PlayedCluster {
  std::vector<GpuType> types;
  std::vector<std::vector<std::uint32_t>> nodes;  // GPUs per type, one row a node
};

struct PlaySettings {
  double round_s = 6;
  double merge_s = 0.15;   // from the last fork's end to the new version
  double most_s = 100000;  // gives up then
};

struct Played {
  bool finished = false;
  double makespan_s = 0;
  double mean_jct_s = 0;
  double cru = 0;  // node time inside leases' step loops / (nodes x makespan)
  std::vector<double> jct_s;
  std::vector<std::uint64_t> credited;
  std::vector<std::uint32_t> forks_max;
  std::vector<std::uint64_t> most_waited;  // whole rounds in a row without GPUs, per job
  std::uint64_t plans = 0;
  std::uint64_t moves = 0;          // self-renewing leases taken back
  std::vector<std::string> faults;  // of any plan
  std::vector<std::string> trace;   // one line a plan: time, then job.fork@node:quota
};

// Borders every round_s; forks end at their quota or merge_s before the border; a job merges for merge_s when its last
// fork has ended, which triggers an early replan, as does an arrival. A lease taken back credits what it did at once,
// and the job's next lease then starts merge_s later.
[[nodiscard]] Played play(Policy& policy, const PlayedCluster& cluster, const std::vector<PlayedJob>& jobs,
                          const PlaySettings& settings = {});

}  // namespace hadar::testing
