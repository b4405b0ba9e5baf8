// The largest level that every job can reach at once: max-min fairness and makespan.
#pragma once

#include <vector>

#include "actors/policy/solvers/market.hpp"

namespace hadar::solvers {

// A level with its proof: `level` is reached by `shares`, and no plan reaches more than `upper`.
struct LevelPlan {
  double level = 0;
  double upper = 0;
  Shares shares;
  std::vector<double> prices;  // per GPU by type; of the bound
  int iterations = 0;
  bool capped = false;   // one job at full time on its best type sets the level; capacity may be left over
  bool settled = false;  // the bounds met; otherwise the iteration limit ended the search
};

// max t such that every job has utility at least t (Gavel, OSDI'20, section 4: max-min fairness; with utility = speed
// over steps left t is 1 / makespan). Every job must be able to run somewhere. Kelley's cutting planes on the prices;
// tangent steps lower t from above, plans scale down with it and never go stale.
LevelPlan max_min(const Market& market);

// Per job: rho_i = (age + 1 / u_i) / fair, where u_i is the utility in parts of the job's remaining work per second and
// `fair` the finish time on an isolated share, age included.
struct FinishTerms {
  std::vector<double> age;   // >= 0, seconds
  std::vector<double> fair;  // > 0, seconds
};

// min rho such that every job has rho_i <= rho (Gavel, section 4.2, finish-time fairness of Themis). `level` is rho and
// `upper` the proven lower bound of it.
LevelPlan min_finish_ratio(const Market& market, const FinishTerms& terms);

}  // namespace hadar::solvers
