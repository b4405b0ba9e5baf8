// A share problem as a market: what every Gavel rule starts with and ends with.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "actors/policy/shares.hpp"
#include "actors/policy/solvers/market.hpp"

namespace hadar::gavel {

// Checks what a caller may get wrong: lengths, finite numbers, signs, indices, rising order. Errors: kInvalidArgument
// with the job or type and what would be right.
Status check_problem(const ShareProblem& problem);
// The same in parts, since there can be millions of pairs and some rules look at few of them.
Status check_all_but_pair_speeds(const ShareProblem& problem);
Status check_all_pair_speeds(const ShareProblem& problem);
Status check_pair_speeds(const SharePair& pair);

// Speed of a job on a type, as a rule wants to see it.
using SpeedOf = std::function<double(const ShareJob& job, std::size_t type)>;

// The measured speeds.
double true_speed(const ShareJob& job, std::size_t type);

// The column that stands for every type in the blind rules: V100, or the fastest type by the jobs' mean speed when the
// cluster has none (the public Gavel code knows V100 only).
std::size_t blind_column(const ShareProblem& problem);

// A job's mean speed over the cluster's GPUs: sum_j T_j c_j / C (Gavel's X^equal as coded).
double equal_speed(const ShareProblem& problem, const ShareJob& job, const SpeedOf& speed);

// A job's speed on an isolated 1/n share: shares c_j / (n gpus), scaled so that they sum to at most 1 (Gavel's
// X^isolated).
double isolated_speed(const ShareProblem& problem, const ShareJob& job, const SpeedOf& speed);
std::vector<double> isolated_shares(const ShareProblem& problem, const ShareJob& job, std::size_t jobs);

// The jobs and types that take part, and the map back.
struct Question {
  solvers::Market market;          // utility = speed, to be scaled by the rule
  std::vector<std::size_t> jobs;   // index into ShareProblem::jobs
  std::vector<std::size_t> types;  // index into ShareProblem::types
  std::vector<std::string> notes;  // who was left out and why
};

// Leaves out types without GPUs, and jobs without any speed or larger than every type they run on: they would pull a
// max-min level to 0 for all.
Question ask(const ShareProblem& problem, const SpeedOf& speed);

// Multiplies a job's utilities.
void scale_row(solvers::Market& market, std::size_t job, double factor);

// Rows of 0 for everyone.
TimeShares no_shares(const ShareProblem& problem);

// The market's shares in the problem's rows and columns, with the question's notes.
TimeShares answer(const ShareProblem& problem, const Question& question, const solvers::Shares& shares);

}  // namespace hadar::gavel
