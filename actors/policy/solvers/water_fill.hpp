// Water filling: raise everybody's level together, freeze whom the prices stop, go on with the rest.
#pragma once

#include "actors/policy/solvers/level_path.hpp"
#include "actors/policy/solvers/market.hpp"

namespace hadar::solvers {

struct WaterPlan {
  std::vector<double> utility;  // demand of each job at the end; what `shares` give
  Shares shares;
  int events = 0;  // times the prices stopped the level; at most the number of types
  int iterations = 0;
  bool settled = false;
};

// Lexicographic max-min along a path. A job that reaches its best type's speed just stops. Otherwise prices l with
// cost(demands, l) = 1 stop the level: whoever needs a priced type is frozen, the others never use priced types in any
// optimal plan, so each event takes at least one type away. This stands for the rounds of linear and integer programs
// of Gavel (OSDI'20, section 4.3 and appendix) and needs neither its big constant nor its factors of 1.0001. Every job
// must be able to run somewhere. Precision: 1e-12 in usage; late levels of fifo entities amplify that up to 1e6 times.
WaterPlan water_fill(const Market& market, LevelPath& path);

}  // namespace hadar::solvers
