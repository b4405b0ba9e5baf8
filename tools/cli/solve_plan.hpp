// An instance as one round, for policies that place whole GPUs.
#pragma once

#include "messages/types/round.hpp"
#include "tools/cli/solve_instance.hpp"

namespace hadar::cli {

// A border of a six-minute round on an idle cluster with one node per GPU type, all of whose GPUs are on it. Job
// numbers are the instance's ids plus 1; steps are rounded up.
RoundInput round_of(const SolveInstance& instance);

}  // namespace hadar::cli
