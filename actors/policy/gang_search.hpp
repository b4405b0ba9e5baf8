// The gangs a job could have on the GPUs free now.
#pragma once

#include <optional>
#include <vector>

#include "actors/policy/valuation.hpp"

namespace hadar {

// All gangs worth looking at, best payoff first (ties: fewer nodes, then lower node numbers): for every type as the
// slowest member, the cheapest whole gang of types at least that fast
//   packed on one node (among equals the node that keeps fewest GPUs over),
//   packed on as few nodes as it takes,
//   spread over the cheapest types,
// and what the job holds already. Under a bottleneck speed and prices per type, the best gang over all type mixes is
// among them: speed depends on the slowest type only, so for each slowest type the cheapest gang wins. For a job with
// `proportional_batch` the mixes of neighbouring types are included in the same way, the best is then not proven.
// Empty when no whole gang is free. Never changes the plan; deterministic.
[[nodiscard]] std::vector<Offer> offers(const PlanBuilder& plan, const Valuation& value, std::size_t j);

// The first of `offers`.
[[nodiscard]] std::optional<Offer> best_offer(const PlanBuilder& plan, const Valuation& value, std::size_t j);

// The fastest gang of the job on one node's free GPUs, or nothing when it does not fit there. Ties in speed go to the
// cheaper types.
[[nodiscard]] std::optional<Offer> offer_on_node(const PlanBuilder& plan, const Valuation& value, std::size_t j,
                                                 std::uint32_t node);

}  // namespace hadar
