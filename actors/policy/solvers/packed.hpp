// Max-min levels when two jobs may share GPUs: a linear program with a column for each pair, most of them never made.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "actors/policy/solvers/market.hpp"
#include "messages/types/result.hpp"

namespace hadar::solvers {

struct PackedPair {
  std::uint32_t a = 0;  // jobs of the market, a < b, of equal gang size
  std::uint32_t b = 0;
};

struct PackedMarket {
  Market alone;
  std::vector<PackedPair> pairs;
  std::vector<std::array<double, 2>> pair_utility;  // [pair * types + type]: of a and of b; 0, 0 = does not fit

  // The most utility a job gets from a whole share, alone or in a pair; by job.
  [[nodiscard]] std::vector<double> best() const;
};

struct PackedShare {
  std::size_t pair = 0;
  std::size_t type = 0;
  double share = 0;
};

struct PackedPlan {
  double level = 0;  // reached by the shares
  double upper = 0;  // proven: no plan reaches more
  Shares alone;
  std::vector<PackedShare> together;  // by rising pair and type
  int rounds = 0;
  std::size_t columns = 0;
  int iterations = 0;  // of the simplex
  bool settled = false;
};

// Utility of each job under a plan.
std::vector<double> utility_of(const PackedMarket& market, const PackedPlan& plan);
// As violation_of(Market): a pair counts once for GPUs and once for each job's time.
double violation_of(const PackedMarket& market, const PackedPlan& plan);

// max t with utility_i >= t * demands[i] (Gavel, OSDI'20, section 3.3 and appendix). Column generation over pairs with
// Clp as the master, begun from a program over groups of alike jobs; ended by a Lagrangian bound. Every job must be
// able to run somewhere, demands are > 0. Errors: those of LinearProgram::solve.
Result<PackedPlan> packed_max_min(const PackedMarket& market, const std::vector<double>& demands);

// min rho such that utility_i >= demand_i(rho) for all jobs, each demand convex and falling in rho; `first` is a lower
// bound of rho. `demands` fills its second argument. The duals of each program give the next lower bound; `level` is
// the rho of the last demands and `upper` the proven lower bound. Errors as above.
Result<PackedPlan> packed_min_ratio(const PackedMarket& market, double first,
                                    const std::function<void(double, std::vector<double>&)>& demands);

}  // namespace hadar::solvers
