// The earliest end of all jobs: makespan, makespan-agnostic.
#include <algorithm>

#include "actors/policy/gavel/fallback.hpp"
#include "actors/policy/gavel/question.hpp"
#include "actors/policy/gavel/rules.hpp"
#include "actors/policy/solvers/max_min.hpp"
#include "actors/policy/solvers/water_fill.hpp"

namespace hadar::gavel {
namespace {

// The level is 1 / makespan, so one linear program stands for the bisection of the public code, which stops at 5 %.
Result<TimeShares> makespan_rule(const ShareProblem& problem, const SpeedOf& speed) {
  if (auto right = check_problem(problem); !right) return fail(std::move(right));
  auto question = ask(problem, speed);
  for (std::size_t i = 0; i < question.jobs.size(); ++i)
    scale_row(question.market, i, 1 / problem.jobs[question.jobs[i]].steps_left);
  auto plan = solvers::max_min(question.market);
  if (!plan.settled) plan = max_min_by_clp(question.market, std::move(plan), question.notes);
  if (plan.capped) {
    const auto path = solvers::flat_path(std::vector<double>(question.jobs.size(), 1.0));
    auto filled = solvers::water_fill(question.market, *path);
    note_unsettled(filled.settled, "water filling", question.notes);
    plan.shares = std::move(filled.shares);
  }
  auto out = answer(problem, question, plan.shares);
  for (const double rate : solvers::utility_of(question.market, plan.shares))
    out.objective = std::max(out.objective, 1 / rate);
  return out;
}

}  // namespace

Result<TimeShares> makespan(const ShareProblem& problem) {
  return makespan_rule(problem, true_speed);
}

Result<TimeShares> makespan_agnostic(const ShareProblem& problem) {
  if (auto right = check_problem(problem); !right) return fail(std::move(right));
  const auto column = blind_column(problem);
  return makespan_rule(problem, [column](const ShareJob& job, std::size_t) { return job.steps_per_s[column]; });
}

}  // namespace hadar::gavel
