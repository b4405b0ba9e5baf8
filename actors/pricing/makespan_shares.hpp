// Which jobs the makespan hangs on.
#pragma once

#include <vector>

#include "actors/policy/solvers/market.hpp"

namespace hadar {

// How the least makespan reacts to each job's progress.
struct MakespanShares {
  double makespan_s = 0;       // of the plan the shares belong to: within a few `gap`s of the least
  std::vector<double> shares;  // per job, >= 0, sum to 1 (0 for a job that fits no type)
  int steps = 0;               // Newton steps taken
};

// The makespan program: max t so that every job i does at least the part t of its work per second,
//   sum_j u_ij x_ij >= t,   sum_j x_ij <= 1,   sum_i gpus_i x_ij <= capacity_j,   x >= 0,
// with u_ij = speed of i on j / its steps left (the market's utility), and 1 / t the makespan. The dual variables of
// the jobs' rows sum to 1: doing a part p of job i's work now shortens the makespan by share_i p of it.
//
// At the optimum these jump: of two equally long jobs either may carry all. So the shares are those of the point on the
// central path that is (gap + grain_s / makespan) short of the optimum. It is unique and moves smoothly with the jobs,
// jobs within that of the longest share its weight; and `grain_s`, a round, is as fine as a schedule can be (Boyd and
// Vandenberghe, Convex Optimization, 11.7).
[[nodiscard]] MakespanShares makespan_shares(const solvers::Market& market, double gap, double grain_s);

// The least makespan any scheduler can reach with jobs that are all there from the start, in seconds: 1 / t of the
// program, from below. Jobs that fit no type do not count. Gangs of mixed types cannot beat it: at their slowest
// member's pace, or with the batch split by speed, they do no more than the same GPU time of gangs of one type each.
[[nodiscard]] double least_makespan(const solvers::Market& market);

}  // namespace hadar
