// One pass over all jobs: the cheapest plan that meets every job's demand at given prices.
#pragma once

#include <vector>

#include "actors/policy/solvers/market.hpp"

namespace hadar::solvers {

// What the cheapest plan costs and uses.
struct PassResult {
  double cost = 0;            // sum of price * GPUs used
  double slope = 0;           // d(cost) / d(level), when every demand i rises by rates[i] per level
  std::vector<double> usage;  // GPUs by type
};

// The cheapest plan at `prices` (per GPU of each type, >= 0) in which job i gets utility demands[i]; a demand above
// what the job's best type gives counts as that. `rates` may be empty: the slope is then 0. `out` is reused between
// calls.
void demand_pass(const Market& market, const std::vector<double>& demands, const std::vector<double>& rates,
                 const std::vector<double>& prices, PassResult& out);

// Adds `weight` times the shares of that plan to `shares`.
void add_plan(const Market& market, const std::vector<double>& demands, const std::vector<double>& prices,
              double weight, Shares& shares);

}  // namespace hadar::solvers
