// The rules of a job, one place for files and wire. Internal to this room.
#pragma once

#include <optional>
#include <string>

#include "messages/types/job.hpp"

namespace hadar {

inline constexpr double kMostNumber = 1e15;
inline constexpr double kLeastRate = 1e-9;  // of weights and speeds: what is computed from them stays a number
inline constexpr std::uint32_t kMostGangGpus = 65536;

struct BrokenRule {
  std::string key;   // as in JOB.toml: "sleep.steps_per_s"
  std::string text;  // "got X, must be Y"
};

// The first rule a job breaks.
std::optional<BrokenRule> broken_rule(const JobSpec& spec);

}  // namespace hadar
