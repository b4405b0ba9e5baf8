// Which of our TOML files a file is.
#pragma once

#include <cstdint>
#include <filesystem>

#include "messages/types/result.hpp"

namespace hadar {

enum class ConfigKind : std::uint8_t { kCluster = 1, kJob = 2, kProcess = 3 };

// By its top-level keys: nodes makes a cluster; name, workload, command or total_steps a job; anything else a process.
// Errors: kNotFound, kIo, kInvalidArgument with file, line and column when it is not TOML.
Result<ConfigKind> config_kind_of(const std::filesystem::path& file);

}  // namespace hadar
