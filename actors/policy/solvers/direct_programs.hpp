// The share problems as one linear program each, for Clp: the fallback of the price methods and their measure in tests.
#pragma once

#include <vector>

#include "actors/policy/solvers/market.hpp"
#include "messages/types/result.hpp"

namespace hadar::solvers {

struct DirectPlan {
  double level = 0;  // of max_min_directly
  double value = 0;  // of max_value_directly
  Shares shares;     // repaired by fit()
  int iterations = 0;
};

// max t with utility_i >= t. Errors: those of LinearProgram::solve.
Result<DirectPlan> max_min_directly(const Market& market);
// max sum value_ij x_ij with utility_i >= floors[i]; `floors` may be empty. Errors as above.
Result<DirectPlan> max_value_directly(const Market& market, const std::vector<double>& value,
                                      const std::vector<double>& floors);

}  // namespace hadar::solvers
