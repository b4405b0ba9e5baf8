// Policies made of a rule that shares time and the round mechanism.
#pragma once

#include "actors/policy/gavel/gavel_rules.hpp"
#include "actors/policy/policy.hpp"

namespace hadar {

// The policy of a rule. `rule` must outlive it.
//
// Shares are asked for at a border when jobs, GPUs or speeds have changed, else every `reset_gap_s` (1920 s, Gavel's);
// by rules that place whole jobs also when GPUs fall idle in mid-round. Rounds then follow them: see fair_rounds.hpp.
//
// Settings: `reset_gap_s`; those of share_question.hpp; `compat` = "gavel-2022" for the mechanism of gavel_2022.hpp,
// which then wants a round clock that closes a round when all its leases have ended, and takes `seed` (of its order of
// types), `start_s` (cluster time that is its 0) and `last_arrival_s` (after `start_s`; no job comes later; left out:
// unknown). kInvalidArgument names a wrong setting.
[[nodiscard]] Result<std::unique_ptr<Policy>> make_shares_policy(const GavelRule& rule, const PolicySettings& settings);

}  // namespace hadar
