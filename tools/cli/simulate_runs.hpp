// Running what `hadar simulate` planned, and showing what came out.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/cli/simulate_args.hpp"

namespace hadar::cli {

// One policy under one seed.
struct SimulatedRun {
  std::string policy;
  std::uint64_t seed = 0;
  SimulationResult result;
  std::vector<std::string> explained;  // the events of the job asked for, as JSON lines
  std::string events_path;             // empty = not written
  std::uint64_t events = 0;
  double wall_s = 0;
  std::vector<double> plans_s;  // what each plan took
};

// Where each run's events go, in the order of the runs; empty names when they are not written.
std::vector<std::string> events_paths(const SimulateArgs& args, const SimulatePlan& plan);

// Runs all policies and seeds, `args.threads` at a time; the order of the answer and every byte written are the same
// for any number of threads. Progress goes to stderr when that is a terminal. Errors: the first run's that has one;
// kIo for events that cannot be written.
Result<std::vector<SimulatedRun>> run_all(const SimulateArgs& args, const SimulatePlan& plan);

// {policy, seed, jobs, …} as the contract says; timing only when asked for.
nlohmann::ordered_json run_json(const SimulatedRun& run, const SimulatePlan& plan, bool timing);

// One line per policy: means over seeds with 95 % intervals; what they cost when `costs`.
std::string runs_table(const std::vector<SimulatedRun>& runs, std::size_t seeds, bool costs);

// The history of one job, per run.
std::string explanation_text(const std::vector<SimulatedRun>& runs, const std::string& job);

}  // namespace hadar::cli
