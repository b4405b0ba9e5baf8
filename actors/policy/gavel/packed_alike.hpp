// Packed max-min for many jobs of few kinds.
#pragma once

#include <optional>
#include <vector>

#include "actors/policy/gavel/question.hpp"

namespace hadar::gavel {

// max min_i utility_i with pairs, where jobs come in few kinds: equal gangs and utilities alone, and equal speeds of
// all pairs of two kinds. A program over kinds then is the whole problem. `asked` is of `problem`, its utilities
// factor_i x speed. The answer's objective is the smallest utility; nullopt when the jobs are not so, a pair's speed is
// unsound, or Clp fails.
std::optional<TimeShares> alike_max_min(const ShareProblem& problem, const Question& asked,
                                        const std::vector<double>& factor);

}  // namespace hadar::gavel
