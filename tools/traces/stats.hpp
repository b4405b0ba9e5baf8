// What a trace holds, in numbers; and parts of a trace.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/types/cluster.hpp"
#include "tools/traces/trace.hpp"

namespace hadar::traces {

// Nearest-rank percentiles of what is known; all absent when nothing is.
struct Spread {
  std::uint64_t count = 0;
  std::optional<double> mean, min, p10, p50, p90, p99, max;
};

// How a trace sits on a cluster. A job's speed there is the mean over the cluster's GPUs (Gavel's proportional share);
// jobs with no speed on any of its types are left out and counted.
struct ClusterLoad {
  std::uint64_t gpus = 0;
  std::uint64_t too_large = 0;  // jobs with more GPUs than the cluster
  std::uint64_t unknown = 0;    // jobs without a speed there
  double gpu_h = 0;             // demanded
  double busy_h = 0;            // gpu_h / gpus: how long they keep every GPU busy
  std::optional<double> load;   // busy_h / hours from first to last arrival; absent when all arrive at once
};

struct TraceStats {
  std::uint64_t jobs = 0;
  std::map<std::uint32_t, std::uint64_t> gangs;  // GPUs -> jobs
  std::map<std::string, std::uint64_t> models;   // "ResNet-18 (batch size 64)" -> jobs
  std::uint64_t users = 0;                       // different ones, "" among them
  std::uint64_t deadlines = 0;                   // jobs that have one
  double first_s = 0;                            // arrivals
  double last_s = 0;
  std::optional<double> jobs_per_h;  // (jobs - 1) / hours between; absent when all arrive at once
  std::uint64_t most_in_an_h = 0;    // arrivals in the fullest hour, counted from the first arrival
  Spread alone_s;                    // time alone on V100s (the fastest type where V100 has none)
  double gpu_h = 0;                  // gang size x that, summed
  std::uint64_t unknown = 0;         // jobs without a speed in the table
  std::optional<ClusterLoad> cluster;
};

// `throughputs` empty = that of measured_speeds.hpp. `nodes` empty = no cluster.
TraceStats stats_of(const Trace& trace, const ThroughputTable& throughputs, const std::vector<NodeInventory>& nodes);

struct SampleOptions {
  std::optional<std::uint64_t> jobs;  // so many, drawn with equal chance; absent = all
  double from_s = 0;                  // only arrivals in [from_s, to_s); they then count from from_s, to 1e-6 s
  std::optional<double> to_s;
  std::uint64_t seed = 0;
};

// A part of a trace, in its order. Errors: kInvalidArgument (an empty window, more jobs wanted than it holds).
Result<Trace> sample(const Trace& trace, const SampleOptions& options);

}  // namespace hadar::traces
