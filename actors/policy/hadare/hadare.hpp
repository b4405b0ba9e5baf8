// HadarE (arXiv 2503.10918): jobs fork over nodes so that none idles while work remains.
#pragma once

#include "actors/policy/policy.hpp"

namespace hadar {

// Every border the policy plays two rules to the end of the queue and takes the better (see ForkPlanner): all nodes to
// the job soonest done, or one gang per job with idle nodes forking. Forks train from one model version for a quota in
// proportion to their speed and merge at the border. What cannot fork is placed as `hadar` places it. With n nodes and
// jobs that may have n forks no node idles while a job that fits on it is unfinished, but for merging, for windows too
// short to start in, and for last steps too few to share.
//
// Settings: those of `hadar`, and rule ("auto", "gather", "spread"), merge_efficiency (1), merge_s (0 = 3 % of a round
// until measured), least_window (0.05 of a round), max_forks (16).
[[nodiscard]] Result<std::unique_ptr<Policy>> make_hadare(const PolicySettings& settings);

}  // namespace hadar
