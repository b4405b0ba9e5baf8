// The cheapest gang on a limited number of nodes, where exchanging gradients makes every node cost speed.
#pragma once

#include <cstdint>
#include <vector>

#include "actors/policy/valuation.hpp"

namespace hadar {

// Clusters up to this many nodes are searched so; in larger ones nodes are many and alike.
inline constexpr std::uint32_t kFewNodes = 16;

// Nodes whose network is at least so fast, and perhaps those where it is unknown.
struct NetworkFilter {
  double least_gb_s = 0;
  bool unknown = true;
};

// For k = 2 to the number of nodes: the cheapest gang of the job on at most k nodes of the filter, of free GPUs of
// `types` (cheapest first). No entry where none fits. By dynamic programming over nodes, O(nodes^2 gpus^2): for
// clusters of at most kFewNodes.
[[nodiscard]] std::vector<Gang> cheapest_on_few(const PlanBuilder& plan, const Valuation& value, std::size_t j,
                                                const std::vector<std::uint32_t>& types, NetworkFilter filter);

}  // namespace hadar
