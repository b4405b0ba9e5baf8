// Max-min fairness of normalised speeds: las, las-agnostic, las-leximin, hierarchical.
#include <algorithm>

#include "actors/policy/gavel/fallback.hpp"
#include "actors/policy/gavel/question.hpp"
#include "actors/policy/gavel/rules.hpp"
#include "actors/policy/solvers/max_min.hpp"
#include "actors/policy/solvers/water_fill.hpp"

namespace hadar::gavel {
namespace {

// Turns speeds into normalised speeds gpus_i / equal_speed_i * speed.
void normalise(const ShareProblem& problem, Question& question, const SpeedOf& speed) {
  for (std::size_t i = 0; i < question.jobs.size(); ++i) {
    const auto& job = problem.jobs[question.jobs[i]];
    scale_row(question.market, i, job.gpus / equal_speed(problem, job, speed));
  }
}

std::vector<double> weights_of(const ShareProblem& problem, const Question& question) {
  std::vector<double> out;
  for (const auto i : question.jobs) out.push_back(problem.jobs[i].weight);
  return out;
}

double least(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

// Expects utilities u_i, weights included.
TimeShares leximin(const ShareProblem& problem, Question& question) {
  const auto path = solvers::flat_path(std::vector<double>(question.jobs.size(), 1.0));
  auto plan = solvers::water_fill(question.market, *path);
  note_unsettled(plan.settled, "water filling", question.notes);
  auto out = answer(problem, question, plan.shares);
  out.objective = least(plan.utility);
  return out;
}

Result<TimeShares> max_min_rule(const ShareProblem& problem, const SpeedOf& speed, bool all_levels) {
  if (auto right = check_problem(problem); !right) return fail(std::move(right));
  auto question = ask(problem, speed);
  normalise(problem, question, speed);
  const auto weights = weights_of(problem, question);
  for (std::size_t i = 0; i < weights.size(); ++i) scale_row(question.market, i, 1 / weights[i]);
  if (all_levels) return leximin(problem, question);
  auto plan = solvers::max_min(question.market);
  if (!plan.settled) plan = max_min_by_clp(question.market, std::move(plan), question.notes);
  if (plan.capped) return leximin(problem, question);
  auto out = answer(problem, question, plan.shares);
  out.objective = least(solvers::utility_of(question.market, plan.shares));
  return out;
}

// Blind to speeds, not to what cannot run at all.
double one(const ShareJob& job, std::size_t) {
  return std::any_of(job.steps_per_s.begin(), job.steps_per_s.end(), [](double speed) { return speed > 0; }) ? 1 : 0;
}

solvers::EntityTerms terms_of(const ShareProblem& problem, const Question& question) {
  solvers::EntityTerms terms;
  const bool alone = problem.entities.empty();
  for (const auto& entity : problem.entities) {
    terms.weight.push_back(entity.weight);
    terms.fifo.push_back(entity.rule == EntityRule::kFifo ? 1 : 0);
  }
  terms.members.resize(alone ? question.jobs.size() : problem.entities.size());
  for (std::size_t i = 0; i < question.jobs.size(); ++i) {
    const auto& job = problem.jobs[question.jobs[i]];
    if (alone) {
      terms.weight.push_back(job.weight);
      terms.fifo.push_back(0);
    }
    terms.members[alone ? i : job.entity].push_back(i);
    terms.job_weight.push_back(job.weight);
    terms.gpus.push_back(job.gpus);
  }
  return terms;
}

}  // namespace

Result<TimeShares> las(const ShareProblem& problem) {
  return max_min_rule(problem, true_speed, false);
}
Result<TimeShares> las_agnostic(const ShareProblem& problem) {
  return max_min_rule(problem, one, false);
}
Result<TimeShares> las_leximin(const ShareProblem& problem) {
  return max_min_rule(problem, true_speed, true);
}

Result<TimeShares> hierarchical(const ShareProblem& problem) {
  if (auto right = check_problem(problem); !right) return fail(std::move(right));
  auto question = ask(problem, true_speed);
  // The levels are those of speed_i / equal_speed_i; gang sizes enter through the rates.
  for (std::size_t i = 0; i < question.jobs.size(); ++i)
    scale_row(question.market, i, 1 / equal_speed(problem, problem.jobs[question.jobs[i]], true_speed));
  const auto path = solvers::entity_path(terms_of(problem, question));
  const auto plan = solvers::water_fill(question.market, *path);
  note_unsettled(plan.settled, "water filling", question.notes);
  auto out = answer(problem, question, plan.shares);
  out.objective = least(plan.utility);
  return out;
}

}  // namespace hadar::gavel
