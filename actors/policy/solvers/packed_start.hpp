// Where the packed program starts: which pairs look useful before any of them was priced.
#pragma once

#include <optional>
#include <vector>

#include "actors/policy/solvers/job_groups.hpp"
#include "actors/policy/solvers/packed.hpp"

namespace hadar::solvers {

// A column of the packed program.
struct PackedColumn {
  std::size_t pair = 0;
  std::size_t type = 0;
};

// Solves the program over groups, spreads its masses over their jobs (north-west corner between two groups, a ring
// inside one) and adds each job's best partners at the groups' prices. `unit` is the utility that counts as 1 for each
// job. May repeat a column. Empty when the group program cannot be solved: the search then starts without pairs.
std::vector<PackedColumn> packed_start(const PackedMarket& market, const JobGroups& groups,
                                       const std::vector<double>& unit);

// The optimum itself where jobs are alike inside their groups: equal speeds per unit alone and beside every member of
// every group. By symmetry the program over groups then is the whole problem. nullopt when they are not, or Clp fails.
// Levels are in units; `level` and `upper` are those of the spread-out plan and of the group program.
std::optional<PackedPlan> packed_by_groups(const PackedMarket& market, const JobGroups& groups,
                                           const std::vector<double>& unit);

}  // namespace hadar::solvers
