// What goes wrong in a simulation, from a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "messages/types/ids.hpp"
#include "messages/types/result.hpp"

namespace hadar {

enum class FaultKind : std::uint8_t {
  kCrash = 1,        // a node or a role dies; back after `for_s`
  kRestart = 2,      // the same, back at once
  kSlow = 3,         // a node's trainers run at `factor` of their speed; 0 = they hang
  kPartition = 4,    // messages between a node and a role, or between the two roles, vanish
  kDelay = 5,        // messages between processes take `delay_s` longer (mean)
  kLoss = 6,         // a `part` of them vanishes
  kDuplication = 7,  // comes twice
  kReordering = 8,   // overtakes others, within the delay
};

enum class FaultyRole : std::uint8_t { kNone = 0, kScheduler = 1, kJobTracker = 2 };

struct Fault {
  FaultKind kind = FaultKind::kCrash;
  double at_s = 0;   // cluster time
  double for_s = 0;  // 0 = to the end
  NodeName node;     // empty: the role's process, or for a partition the two roles
  FaultyRole role = FaultyRole::kNone;
  double factor = 0;
  double delay_s = 0;
  double part = 0;

  friend bool operator==(const Fault&, const Fault&) = default;
};

using FaultPlan = std::vector<Fault>;  // in the file's order

// Reads [[faults]] tables: kind = "crash", "restart", "slow", "partition", "delay", "loss", "duplication" or
// "reordering", and at_s, for_s, node, role ("scheduler", "job-tracker"), factor, delay_s, part as the kind needs them.
// Errors: kNotFound, kIo, kInvalidArgument "file:line:column: key: got X, must be Y" (a key the kind does not take is
// unknown).
Result<FaultPlan> load_faults(const std::filesystem::path& file);

// The same from text; `name` stands for the file in errors.
Result<FaultPlan> parse_faults(const std::string& text, const std::string& name);

}  // namespace hadar
