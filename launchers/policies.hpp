// The one list of policies. A new policy adds one line to policies.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "actors/policy/policy.hpp"

namespace hadar {

struct PolicyEntry {
  std::string_view name;     // as users write it
  std::string_view summary;  // one line for `hadar policies`
  PolicyFactory make = nullptr;
  bool looks_at_progress = true;  // of running jobs; false: what they did counts when they stop
  bool looks_at_time = true;      // false: the same jobs and nodes get the same plan whenever it is made
  bool mixes_types = true;        // may give a gang GPUs of several types
};

// All policies, in the order they are shown.
[[nodiscard]] const std::vector<PolicyEntry>& policies();

// The entry of that name; null when there is none.
[[nodiscard]] const PolicyEntry* find_policy(const std::string& name);

// A policy by name. kNotFound lists the names there are; kInvalidArgument names a wrong setting.
[[nodiscard]] Result<std::unique_ptr<Policy>> make_policy(const std::string& name, const PolicySettings& settings = {});

}  // namespace hadar
