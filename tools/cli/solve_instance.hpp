// One allocation problem from a file.
#pragma once

#include <filesystem>

#include "launchers/share_rules.hpp"
#include "messages/types/result.hpp"

namespace hadar::cli {

// What an instance file holds, beside answers it may have recorded.
struct SolveInstance {
  ShareProblem problem;
  std::vector<std::string> job_types;  // by job; names the pairs of a table of shared speeds
  bool has_pairs = false;              // the file gives pair speeds itself
};

// Reads an instance: an object with
//   worker_types ["k80", …] (names the columns of throughputs), cluster {type: GPUs}, throughputs [job][type] in steps
//   per second of the whole gang, jobs [{id, scale_factor, priority_weight, steps_remaining, time_since_start_s?,
//   slo_remaining_s?, job_type?, isolated_history?, placed_on?}], and maybe instance_costs {type: price per GPU-hour},
//   entities {jobs {name: [ids]}, weights {name: weight}, mixed_policies {name: "fairness" | "fifo"}},
//   pair_throughputs [[i, j, [speed of i, speed of j] per type …]], seed, id, kind, num_jobs, results (not read).
// Strict: unknown keys, wrong types, lengths and ranges are errors. Errors: kNotFound, kIo, kInvalidArgument "file: key
// \"jobs[3].id\" …".
Result<SolveInstance> load_instance(const std::filesystem::path& file);

// Adds the pair speeds of a table (any form of runtime/config/throughput_csv.hpp) to an instance without its own: jobs
// of equal gang size whose job types the table holds, on worker types of the table's names in any case. Errors as
// above.
Status add_pairs(SolveInstance& instance, const std::filesystem::path& file);

}  // namespace hadar::cli
