// Every gang a job could have, for exact answers on small clusters.
#pragma once

#include <vector>

#include "actors/policy/valuation.hpp"

namespace hadar {

// One offer for each way to make up the job's gang of free GPUs of allowed types, by (node, type) and count; best
// payoff first, ties as they were found. Their number grows with the power of the gang's size.
[[nodiscard]] std::vector<Offer> every_offer(const PlanBuilder& plan, const Valuation& value, std::size_t j);

}  // namespace hadar
