// Shares as the public Gavel code of 2022 answers them, for `--compat gavel-2022`.
#pragma once

#include "actors/policy/gavel/gavel_rules.hpp"

namespace hadar {

// The rule's question put and solved the 2022 way: where many answers are best, the one at which its interior-point
// solver, ECOS, stops; gavel-makespan by bisection to 5 %; every GPU type counts for every job, also one
// without room or speed for it. Rules that have no such form answer as they are. Errors as the rule's.
[[nodiscard]] Result<TimeShares> gavel_2022_shares(const GavelRule& rule, const ShareProblem& problem);

}  // namespace hadar
