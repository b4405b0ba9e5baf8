// The largest product of utilities.
#pragma once

#include <vector>

#include "actors/policy/solvers/market.hpp"

namespace hadar::solvers {

struct ProductPlan {
  double log_product = 0;  // sum of log utility_i, reached by `shares`
  double upper = 0;        // no plan reaches more
  Shares shares;
  std::vector<double> utility;
  std::vector<double> prices;  // per GPU by type, of the bound
  int iterations = 0;
  bool settled = false;
};

// max sum_i log utility_i (proportional fairness; the first step of the partial allocation mechanism of Cole, Gkatzelis
// and Goel, EC'13). Every job must be able to run somewhere. `first` prices the search begins at; empty = uniform.
ProductPlan max_product(const Market& market, const std::vector<double>& first = {});

}  // namespace hadar::solvers
