// The gangs a job could have on the GPUs free now.
#pragma once

#include <optional>
#include <vector>

#include "actors/policy/valuation.hpp"

namespace hadar {

// All gangs worth looking at, best payoff first (ties: fewer nodes, then lower node numbers):
//   what the job holds already;
//   for every type as the slowest member, the cheapest whole gang of types at least that fast, packed on one node
//   (among equals the node that keeps fewest GPUs over), packed on as few nodes as it takes, and spread over the
//   cheapest types: speed depends on the slowest type only, so for each slowest type the cheapest gang wins; the same
//   by the types' speeds across nodes, where these are known; and where exchanging gradients makes speed depend on the
//   nodes, the cheapest gang for every number of nodes and slowest network (clusters of at most kFewNodes nodes; larger
//   ones keep to the fewest and the cheapest); with `proportional_batch`, every mix of types, up to 400.
// The first is the best of all gangs at prices per type (tests/answers/gang_oracle tries them all), but for the
// limits named here and for a split batch whose nodes differ in their networks.
// Empty when no whole gang is free. Never changes the plan; deterministic.
[[nodiscard]] std::vector<Offer> offers(const PlanBuilder& plan, const Valuation& value, std::size_t j);

// The first of `offers`.
[[nodiscard]] std::optional<Offer> best_offer(const PlanBuilder& plan, const Valuation& value, std::size_t j);

// The fastest gang of the job on one node's free GPUs, or nothing when it does not fit there. Ties in speed go to the
// cheaper types.
[[nodiscard]] std::optional<Offer> offer_on_node(const PlanBuilder& plan, const Valuation& value, std::size_t j,
                                                 std::uint32_t node);

}  // namespace hadar
