// What is done, and said, when a fast method does not settle within its iterations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "actors/policy/solvers/max_min.hpp"
#include "actors/policy/solvers/max_value.hpp"

namespace hadar::gavel {

// Adds "NAME did not settle within its iterations; …" unless it settled.
void note_unsettled(bool settled, std::string_view name, std::vector<std::string>& notes);

// The same problem as one linear program of Clp, with a note; `plan` stays when that is no better.
solvers::LevelPlan max_min_by_clp(const solvers::Market& market, solvers::LevelPlan plan,
                                  std::vector<std::string>& notes);
solvers::ValuePlan max_value_by_clp(const solvers::Market& market, const std::vector<double>& value,
                                    const std::vector<double>& floors, solvers::ValuePlan plan,
                                    std::vector<std::string>& notes);

}  // namespace hadar::gavel
