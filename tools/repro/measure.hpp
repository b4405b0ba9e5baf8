// Running experiments.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/repro/experiment.hpp"

namespace hadar::repro {

// What one scheme made of one seed's workload.
struct Measured {
  RunFigures figures;               // without its jobs
  std::uint64_t never = 0;          // jobs that the scheme can never run on its cluster
  double useful_gpu_s = 0;          // of the workload
  std::optional<double> ceiling_s;  // makespan no scheduler can beat
  bool ended = true;                // false: given up, with jobs still waiting
};

struct Outcome {
  Experiment experiment;
  std::vector<std::vector<Measured>> runs;  // by scheme, by seed
};

struct MeasureOptions {
  std::vector<std::uint64_t> seeds;
  std::uint32_t threads = 1;
  std::function<void(std::size_t done, std::size_t runs)> progress;  // called on the calling thread
};

// Runs every scheme of every experiment under every seed, `threads` at a time; the answer is the same for any number of
// threads. Errors: the first a case or a simulation has; kInternal when a rule of the cluster was broken.
Result<std::vector<Outcome>> measure(const std::vector<Experiment>& experiments, const MeasureOptions& options);

// Of one run, in its unit: seconds for times, a part of 1 for what was busy. Absent = nothing completed.
std::optional<double> value_of(Figure figure, const Measured& run);

// Ours against the other's, seed by seed: how many times shorter, or busier. kMakespanSaved: 1 - ours / theirs. Where
// either run was given up or one left out jobs that the other ran, that seed tells nothing. Empty `against`: the values
// themselves.
std::vector<double> compared(const Outcome& outcome, const Comparison& comparison);

// The best any scheduler could show in this comparison, seed by seed; empty where nothing bounds it.
std::vector<double> ceilings(const Outcome& outcome, const Comparison& comparison);

}  // namespace hadar::repro
