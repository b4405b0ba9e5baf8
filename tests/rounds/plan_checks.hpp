// What every plan must keep, whoever made it.
#pragma once

#include <string>
#include <vector>

#include "actors/policy/policy.hpp"

namespace hadar::testing {

// Every broken rule in words; empty for a sound plan. Works from the input alone, shares no code with PlanBuilder.
[[nodiscard]] std::vector<std::string> faults(const RoundInput& input, const RoundPlan& plan,
                                              const PolicyTraits& traits);

// GPUs, by type, that are free under the plan: idle or held in the input and not held after it.
[[nodiscard]] std::map<GpuType, std::uint32_t> left_idle(const RoundInput& input, const RoundPlan& plan);

}  // namespace hadar::testing
