// Tables of speeds, from CSV files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "messages/types/result.hpp"
#include "messages/types/throughput.hpp"

namespace hadar {

// The speed of a job that shares its GPU with another.
struct SharedThroughputRow {
  ThroughputRow row;    // of the job itself
  std::string partner;  // model of the other job
  double partner_steps_per_s = 0;

  friend bool operator==(const SharedThroughputRow&, const SharedThroughputRow&) = default;
};

struct ThroughputFile {
  ThroughputTable rows;  // jobs that have their GPUs to themselves
  std::vector<SharedThroughputRow> shared;
};

// Reads model,batch_size,gpus,gpu_type,placement,steps_per_s[,partner,partner_steps_per_s]: columns in any order,
// speeds in steps per second of one gang member, above 0; placement "packed" or "spread"; both partner cells empty for
// a job alone. A row with the same key twice is an error. Numbers are read the same in every locale. Errors: kNotFound,
// kIo, kInvalidArgument "file:line: column 'c': got 'v', must be …".
Result<ThroughputFile> load_throughput_file(const std::filesystem::path& file);

// The same from text; `name` stands for the file in errors.
Result<ThroughputFile> parse_throughputs(const std::string& text, const std::string& name);

// The rows of jobs that have their GPUs to themselves; shared rows are checked and not part of this table.
Result<ThroughputTable> load_throughputs(const std::filesystem::path& file);

}  // namespace hadar
