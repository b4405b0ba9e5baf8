// Every rule as a function; see gavel_rules.cpp for what each is called. All follow the contract of ShareRule.
#pragma once

#include "actors/policy/shares.hpp"

namespace hadar::gavel {

// max min_i u_i, u_i = gpus_i / (weight_i equal_speed_i) * speed_i(x). What the level leaves over goes on by water
// filling.
Result<TimeShares> las(const ShareProblem& problem);
Result<TimeShares> las_agnostic(const ShareProblem& problem);  // with all speeds 1
// The lexicographically largest sorted u.
Result<TimeShares> las_leximin(const ShareProblem& problem);
// Water filling over entities, fair or first-in-first-out inside; objective: the smallest speed_i / equal_speed_i *
// gpus_i.
Result<TimeShares> hierarchical(const ShareProblem& problem);

// min max_i steps_i / speed_i(x).
Result<TimeShares> makespan(const ShareProblem& problem);
Result<TimeShares> makespan_agnostic(const ShareProblem& problem);
// min max_i (age_i + steps_i / speed_i(x)) / (history_i + steps_i / isolated_speed_i).
Result<TimeShares> finish_time(const ShareProblem& problem);
Result<TimeShares> finish_time_agnostic(const ShareProblem& problem);

// max sum speed_i(x), steps per second.
Result<TimeShares> throughput(const ShareProblem& problem);
// max sum_ij speed_ij / price_j x_ij.
Result<TimeShares> cost(const ShareProblem& problem);
// The same with speed_i(x) >= steps_i / time to deadline; all deadlines are dropped, and a note says so, if they cannot
// be met.
Result<TimeShares> cost_slo(const ShareProblem& problem);
// max sum speed_i(x) / sum_ij price_j gpus_i x_ij under the same floors; the linear form when there is none.
Result<TimeShares> cost_ratio(const ShareProblem& problem);

// The forms that let two jobs share GPUs. finish_time_packed divides a job's speed by its weight, as the public code
// does.
Result<TimeShares> las_packed(const ShareProblem& problem);
Result<TimeShares> makespan_packed(const ShareProblem& problem);
Result<TimeShares> finish_time_packed(const ShareProblem& problem);

// Everyone 1/n of every type. Proportional shares ignore gang sizes and may exceed capacity: a yardstick, no plan.
Result<TimeShares> isolated(const ShareProblem& problem);
Result<TimeShares> proportional(const ShareProblem& problem);
// Largest product of u_i, each job's share cut by what its presence costs the others (partial allocation).
Result<TimeShares> strategy_proof(const ShareProblem& problem);

// Oldest job first on the fastest type with room; stops at the first that finds room on no type.
Result<TimeShares> fifo(const ShareProblem& problem);
// Then those behind it join running jobs while a pair's summed relative speed exceeds 1.5; stops at the first that
// cannot.
Result<TimeShares> fifo_packed(const ShareProblem& problem);
// Shortest remaining time at full speed first; a job that fits nowhere is passed over.
Result<TimeShares> shortest_first(const ShareProblem& problem);

// AlloX (EuroSys'20): the assignment of jobs to (GPU, place in its queue) with the smallest sum of completion times.
Result<TimeShares> allox(const ShareProblem& problem);
// Gandiva as Gavel codes it: isolated shares while GPUs suffice, else random pairs.
Result<TimeShares> gandiva(const ShareProblem& problem);

}  // namespace hadar::gavel
