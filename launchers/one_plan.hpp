// One plan of one policy, for tools: no cluster, no actors.
#pragma once

#include <string>

#include "messages/types/result.hpp"
#include "messages/types/round.hpp"

namespace hadar {

// What a policy by that name plans for this input, prices made for the input included where it wants them. Errors:
// those of make_policy and of Policy::plan.
[[nodiscard]] Result<RoundPlan> plan_once(const std::string& policy, RoundInput input);

}  // namespace hadar
