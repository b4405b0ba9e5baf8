// HadarE (arXiv 2503.10918): jobs fork over nodes so that none idles while work remains.
#pragma once

#include "actors/policy/policy.hpp"

namespace hadar {

// A superset of `hadar`: every border the policy forecasts two rules to the end of the queue and takes the better (see
// ForkForecaster): all nodes to the job soonest done, or `hadar`'s one gang per job, warm and without merges, with idle
// nodes forking. Gathering is taken when it does the mean completion time more good than the makespan harm, both as
// parts of what they would be otherwise, and the makespan loses no more than 5 %: where jobs are many or differ much in
// which types suit them, and where merging is inefficient, it spreads. Forks train from one model version for a quota
// in proportion to their speed and merge at the border. With n nodes and jobs that may have n forks no node idles at a
// border while a job that fits on it is unfinished, but where merging would cost the job more than the node brings, and
// for last steps too few to share.
//
// Settings: those of `hadar`, and rule ("auto", "gather", "spread"), merge_efficiency (1: eta, what steps beyond the
// fastest fork's are worth), merge_s (0 = 1 % of a round until measured), start_s (0: from a fork's lease to its first
// step), least_window (0.05 of a round), max_forks (16).
[[nodiscard]] Result<std::unique_ptr<Policy>> make_hadare(const PolicySettings& settings);

}  // namespace hadar
