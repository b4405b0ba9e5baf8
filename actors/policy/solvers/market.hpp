// Jobs that compete for GPUs of a few types, as the price methods see them.
#pragma once

#include <cstddef>
#include <vector>

namespace hadar::solvers {

// Shares x[i][j] >= 0 of wall time of job i on type j, with sum_j x[i][j] <= 1 and sum_i gpus[i] x[i][j] <=
// capacity[j]. The capacity rows are all that couples the jobs.
struct Market {
  std::size_t types = 0;
  std::vector<double> capacity;  // GPUs by type; > 0
  std::vector<double> gpus;      // gang size by job; > 0
  std::vector<double> utility;   // [job * types + type]: utility per unit of share; 0 = cannot run there

  [[nodiscard]] std::size_t jobs() const { return gpus.size(); }
  [[nodiscard]] const double* row(std::size_t job) const { return utility.data() + job * types; }
  [[nodiscard]] double* row(std::size_t job) { return utility.data() + job * types; }
  // The utility of a whole share on the job's best type.
  [[nodiscard]] double best(std::size_t job) const;
};

// Shares as [job * types + type].
using Shares = std::vector<double>;

// GPUs in use by type.
std::vector<double> usage_of(const Market& market, const Shares& shares);

// Utility of each job.
std::vector<double> utility_of(const Market& market, const Shares& shares);

// Takes rounding away: no negative share, no job above 1, no type above its capacity. All shares shrink by one factor
// where a type is over-full, so that no ratio between jobs changes.
void fit(const Market& market, Shares& shares);

// The largest relative break of a rule: a share below 0, a job above 1, a type above its capacity.
double violation_of(const Market& market, const Shares& shares);

}  // namespace hadar::solvers
