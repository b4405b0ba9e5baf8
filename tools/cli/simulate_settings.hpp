// Settings of policies and prices on the command line of `hadar simulate`.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/simulate_args.hpp"

namespace hadar::cli {

// Reads every "POLICY.key=value" and "prices.key=value" of --set into the plan, whose policies are known already.
// kInvalidArgument, naming the option, for a policy that is not run and for what the policy or the prices refuse.
Status read_settings(const std::vector<std::string>& texts, SimulatePlan& plan);

}  // namespace hadar::cli
