// Taking free GPUs from the nodes of a plan, in the orders that gang searches share.
#pragma once

#include <cstdint>
#include <vector>

#include "actors/policy/plan_builder.hpp"

namespace hadar {

// Free GPUs of the types on one node.
[[nodiscard]] std::uint32_t free_on(const PlanBuilder& plan, std::uint32_t node,
                                    const std::vector<std::uint32_t>& types);

// Adds up to `most` free GPUs of one node to `gang`, in the types' order; returns how many. The plan stays as it is.
std::uint32_t take_on(const PlanBuilder& plan, std::uint32_t node, const std::vector<std::uint32_t>& types,
                      std::uint32_t most, Gang& gang);

// The same over all nodes: those with most free GPUs of the types first, among equals the lower number.
std::uint32_t take_by_free(const PlanBuilder& plan, const std::vector<std::uint32_t>& types, std::uint32_t most,
                           Gang& gang);

}  // namespace hadar
