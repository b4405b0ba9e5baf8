// What `hadar simulate` is told, and what it makes of it before anything runs.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "launchers/simulation.hpp"

namespace hadar::cli {

// What numbers may be.
inline constexpr double kLeastRound_s = 0.001;
inline constexpr double kLongest_s = 1e9;
inline constexpr double kMostNoise = 3;
inline constexpr double kLeastSpreadFactor = 1e-6;
inline constexpr double kLongestRun_s = 3e9;

struct SimulateArgs {
  // What decides the result: goes into its provenance.
  std::string cluster;
  std::string trace;
  std::string policies;     // names with commas between, or "all"
  std::string throughputs;  // empty: the cluster file's, else the measured table that comes with Hadar
  double round_s = 360;
  std::string seeds = "1";  // "A..B" or one
  std::string compat;
  std::string faults;
  std::string costs;  // table of what trainers' starts and saves take
  double restart_s = 0;
  double noise = 0;
  std::optional<double> merge_efficiency;
  double spread_factor = 1;
  std::optional<double> checkpoint_s;  // 0 = once a round; absent: as the policy needs it
  double limit_s = 0;
  std::vector<std::string> gpu_costs;  // "TYPE=COST"
  std::vector<std::string> set;        // "POLICY.key=value" and "prices.key=value"
  std::string measure_jobs;            // "A..B", places in the trace from 0; empty = all
  // What does not.
  std::string explain;
  std::string events;
  std::string report;
  std::string json;
  bool timing = false;
  std::uint32_t threads = 1;
};

struct SimulatePlan {
  SimulationOptions base;  // without policy, settings and seed
  std::vector<TraceJob> workload;
  std::vector<std::string> policies;
  std::map<std::string, PolicySettings> settings;  // by policy, of those that have any
  std::vector<std::uint64_t> seeds;
  std::uint64_t rows_refused = 0;
  std::vector<std::string> refusals;  // the first of them, for people
  std::string start_note;             // what arrivals count from, where that was decided
  std::set<GpuType> unpriced;         // types that a policy weighs at its own price, as nobody gave one
};

// Reads every input. Errors: kInvalidArgument and kNotFound with the option or file at fault, kIo.
Result<SimulatePlan> plan_simulation(const SimulateArgs& args);

// "A..B" or "A", rising. kInvalidArgument names the option.
Result<std::pair<std::uint64_t, std::uint64_t>> parse_range(const std::string& text, const std::string& option);

// Every seed of --seeds, at most `most` of them. kInvalidArgument.
Result<std::vector<std::uint64_t>> parse_seeds(const std::string& text, std::uint64_t most);

struct InputFile {
  std::string option;  // that names it, itself or in a file it names
  std::string file;
};

// Every file that is read, in the order of a provenance. A table of speeds that the cluster's file names is there as
// the option would be; a cluster's file that is wrong names none.
std::vector<InputFile> input_files(const SimulateArgs& args);

// Version, options and a hash of each file read: enough to run it again. kNotFound, kIo.
Result<nlohmann::ordered_json> provenance_of(const SimulateArgs& args);
// The arguments in a provenance. kCorrupt names the key.
Result<SimulateArgs> args_of(const nlohmann::ordered_json& provenance);
// What plan_simulation has against arguments, where they come from the provenance of a result.
std::string as_recorded(const std::string& message, const std::string& file);

}  // namespace hadar::cli
