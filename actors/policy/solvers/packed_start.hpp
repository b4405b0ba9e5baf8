// Where the packed program starts: which pairs look useful before any of them was priced.
#pragma once

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

}  // namespace hadar::solvers
