// The largest sum of values of shares: total throughput, throughput per cost, with or without floors.
#pragma once

#include <optional>
#include <vector>

#include "actors/policy/solvers/market.hpp"

namespace hadar::solvers {

struct ValuePlan {
  double value = 0;  // reached by `shares`
  double upper = 0;  // no plan reaches more
  Shares shares;
  std::vector<double> prices;  // per GPU by type
  int iterations = 0;
  bool settled = false;
};

// max sum_ij value_ij x_ij over the market's shares; `value` as [job * types + type], of any sign. With `floors` (by
// job; 0 = none) also utility_i >= floors[i], where utility is the market's. nullopt: the floors cannot be met.
// Lagrangian in the prices, Kelley's cutting planes (Gavel, OSDI'20, section 4.2: maximum throughput, minimum cost,
// with SLOs).
std::optional<ValuePlan> max_value(const Market& market, const std::vector<double>& value,
                                   const std::vector<double>& floors = {});

// max (sum value_ij x_ij) / (sum cost_ij x_ij) under floors, by Dinkelbach's steps; costs are > 0 where x may be. Needs
// a floor above 0, else the best single ratio wins with a share of nothing. nullopt as above. `value` of the result is
// the ratio.
std::optional<ValuePlan> max_ratio(const Market& market, const std::vector<double>& value,
                                   const std::vector<double>& cost, const std::vector<double>& floors);

}  // namespace hadar::solvers
