// YARN's capacity scheduler as the Hadar paper (arXiv 2503.10918) uses it for comparison.
#pragma once

#include "actors/policy/policy.hpp"

namespace hadar {

// Strict order of submission: the first job whose gang does not fit blocks those behind it. A job takes any free GPUs
// of its allowed types in the order of node names, blind to their speed, keeps them until it is done, and is never
// preempted. No settings, no memory.
[[nodiscard]] Result<std::unique_ptr<Policy>> make_yarn_cs(const PolicySettings& settings);

}  // namespace hadar
