// Jobs that run alike, so that a start can be found on groups instead of jobs.
#pragma once

#include <cstddef>
#include <vector>

#include "actors/policy/solvers/market.hpp"

namespace hadar::solvers {

struct JobGroups {
  std::vector<std::size_t> group_of;              // by job
  std::vector<std::vector<std::size_t>> members;  // rising
};

// At most `most` groups per gang size, by the logarithms of the speeds relative to each other: farthest points first,
// then a few means. Deterministic; the grouping only decides where a search starts.
JobGroups group_jobs(const Market& market, std::size_t most);

}  // namespace hadar::solvers
