// Experiments: the same workloads under several schemes, and what of them is set side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launchers/simulation.hpp"

namespace hadar::repro {

// One workload on one cluster.
struct Case {
  SimulationOptions base;          // without policy, settings and seed
  std::vector<TraceJob> workload;  // not empty
  double useful_gpu_s = 0;  // all of it on V100s (or what the recipe's header says), in GPU seconds; 0 = not told
  std::optional<double> ceiling_s;  // makespan no scheduler can beat, where jobs may be on more GPUs than their gang
};

// One way to schedule it.
struct Scheme {
  std::string name;  // as tables show it; each of an experiment has its own
  std::string policy;
  PolicySettings settings = {};
  bool gavel_2022 = false;
  std::optional<double> merge_efficiency = {};  // as SimulationOptions
};

// What of a run is looked at.
enum class Figure {
  kMakespan,       // TTD: first submission to last completion
  kMakespanSaved,  // the part by which ours is shorter
  kGpusBusy,       // GRU
  kNodesBusy,      // CRU
  kNodesHeld,      // the same with starts and saves
  kMeanJct,
  kP99Jct,
};

// A part of 1, better when larger; all others are times.
constexpr bool is_part(Figure figure) {
  return figure == Figure::kGpusBusy || figure == Figure::kNodesBusy || figure == Figure::kNodesHeld;
}

// Two schemes, or one by itself, in one figure.
struct Comparison {
  std::string ours;
  std::string against;  // empty: the figure itself, not a ratio
  Figure figure = Figure::kMakespan;
  std::string published = {};  // what a paper says, with its source; empty = nothing
};

struct Experiment {
  std::string name;
  std::string setup;  // shares, gangs, arrivals: one line
  std::function<Result<Case>(std::uint64_t seed)> make;
  std::vector<Scheme> schemes;
  std::vector<Comparison> comparisons;
};

}  // namespace hadar::repro
