// What a user submits, from a file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "messages/types/job.hpp"
#include "messages/types/result.hpp"

namespace hadar {

// Built-in workloads: "image", "recommendation", "sleep", "weather".
const std::vector<std::string>& known_workloads();

// Reads a JOB.toml, fills in defaults (model = the workload's name, or the job's for a command) and checks every rule.
// Errors: kNotFound, kIo, kInvalidArgument "file:line:column: key: got X, must be Y".
Result<JobSpec> load_job(const std::filesystem::path& file);

// The same from text; `name` stands for the file in errors.
Result<JobSpec> parse_job(const std::string& text, const std::string& name);

// Every rule of a job that needs no cluster to be judged: the first broken one as kInvalidArgument "key: got X, must
// be Y". Run on whatever comes from outside, files and wire alike. Thread-safe.
Status validate_job(const JobSpec& spec);

}  // namespace hadar
