// Finish-time fairness: ftf, ftf-agnostic.
#include <algorithm>

#include "actors/policy/gavel/fallback.hpp"
#include "actors/policy/gavel/question.hpp"
#include "actors/policy/gavel/rules.hpp"
#include "actors/policy/solvers/max_min.hpp"
#include "actors/policy/solvers/water_fill.hpp"

namespace hadar::gavel {
namespace {

Result<TimeShares> finish_rule(const ShareProblem& problem, const SpeedOf& speed) {
  if (auto right = check_problem(problem); !right) return fail(std::move(right));
  auto question = ask(problem, speed);
  solvers::FinishTerms terms;
  for (std::size_t i = 0; i < question.jobs.size(); ++i) {
    const auto& job = problem.jobs[question.jobs[i]];
    scale_row(question.market, i, 1 / job.steps_left);
    terms.age.push_back(job.age_s);
    terms.fair.push_back(job.isolated_history + job.steps_left / isolated_speed(problem, job, speed));
  }
  auto plan = solvers::min_finish_ratio(question.market, terms);
  note_unsettled(plan.settled, "the finish-time search", question.notes);
  if (plan.capped) {
    const auto path = solvers::finish_path(terms, 2 * plan.level);
    auto filled = solvers::water_fill(question.market, *path);
    note_unsettled(filled.settled, "water filling", question.notes);
    plan.shares = std::move(filled.shares);
  }
  auto out = answer(problem, question, plan.shares);
  const auto rates = solvers::utility_of(question.market, plan.shares);
  for (std::size_t i = 0; i < rates.size(); ++i)
    out.objective = std::max(out.objective, (terms.age[i] + 1 / rates[i]) / terms.fair[i]);
  return out;
}

}  // namespace

Result<TimeShares> finish_time(const ShareProblem& problem) {
  return finish_rule(problem, true_speed);
}

Result<TimeShares> finish_time_agnostic(const ShareProblem& problem) {
  if (auto right = check_problem(problem); !right) return fail(std::move(right));
  const auto column = blind_column(problem);
  return finish_rule(problem, [column](const ShareJob& job, std::size_t) { return job.steps_per_s[column]; });
}

}  // namespace hadar::gavel
