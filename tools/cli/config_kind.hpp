// Which of our TOML files a file is.
#pragma once

#include <filesystem>

#include "messages/types/result.hpp"

namespace hadar::cli {

enum class ConfigKind { kCluster, kJob, kProcess };

// By its top-level keys: [[nodes]] is a cluster, workload, command or total_steps a job, anything else a process.
// Errors: kNotFound; kInvalidArgument with file, line and column when it is no TOML.
Result<ConfigKind> config_kind_of(const std::filesystem::path& file);

}  // namespace hadar::cli
