// Tables of speeds, from CSV files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "messages/types/result.hpp"
#include "messages/types/throughput.hpp"

namespace hadar {

// Speeds of a table, in steps per second: 0 (cannot run) or within these.
inline constexpr double kLeastSpeed = 1e-9;
inline constexpr double kMostSpeed = 1e15;
inline constexpr const char* kSpeedRule = "0 (cannot run) or a number from 1e-9 to 1e15";
[[nodiscard]] constexpr bool is_speed(double steps_per_s) {
  return steps_per_s == 0 || (steps_per_s >= kLeastSpeed && steps_per_s <= kMostSpeed);
}

// The speeds of two jobs of equal gang size that share the same GPUs. A pair stands there once, either way round.
struct SharedThroughputRow {
  ThroughputRow row;                     // of the job itself
  std::string partner;                   // model of the other job
  std::uint32_t partner_batch_size = 0;  // 0 = any
  double partner_steps_per_s = 0;        // 0, as the job's own speed then: they do not fit

  friend bool operator==(const SharedThroughputRow&, const SharedThroughputRow&) = default;
};

struct ThroughputFile {
  ThroughputTable rows;   // jobs that have their GPUs to themselves; speeds above 0
  ThroughputTable unfit;  // speed 0: such a job cannot run on such GPUs (a type without a row is unknown instead)
  std::vector<SharedThroughputRow> shared;
  std::vector<std::string> notes;  // what was left out of a foreign form, one sentence each
};

// Shared rows as the tracker and policies want them; speeds of gangs on one node only.
PairTable pair_table(const std::vector<SharedThroughputRow>& rows);

// Reads model,batch_size,gpus,gpu_type,placement,steps_per_s[,partner,partner_steps_per_s]: columns in any order,
// speeds in steps per second of one gang member, 0 = cannot run; placement "packed" or "spread"; both partner cells
// empty for a job alone; a partner is a model, or a model at a batch size: "LM (batch size 20)". A row with the same
// key twice is an error. Numbers are read the same in every locale. Also reads Gavel's forms: see
// gavel_throughputs.hpp. Errors: kNotFound, kIo, kInvalidArgument "file:line: column 'c': got 'v', must be …".
Result<ThroughputFile> load_throughput_file(const std::filesystem::path& file);

// The same from text; `name` stands for the file in errors.
Result<ThroughputFile> parse_throughputs(const std::string& text, const std::string& name);

// The rows of jobs that have their GPUs to themselves and can run; the others are checked and not part of this table.
Result<ThroughputTable> load_throughputs(const std::filesystem::path& file);

// The packed pairs of a file as planners take them.
PairTable pair_table(const ThroughputFile& file);

}  // namespace hadar
