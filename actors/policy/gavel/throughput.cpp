// Sums over jobs: throughput, cost, cost-slo, cost-ratio.
#include <algorithm>

#include "actors/policy/gavel/fallback.hpp"
#include "actors/policy/gavel/question.hpp"
#include "actors/policy/gavel/rules.hpp"
#include "actors/policy/solvers/max_value.hpp"

namespace hadar::gavel {
namespace {

Status check_prices(const ShareProblem& problem) {
  if (problem.price_per_gpu_hour.empty())
    return fail(ErrorCode::kInvalidArgument, "this policy weighs costs: give the price per GPU-hour of every type");
  return {};
}

std::vector<double> per_price(const ShareProblem& problem, const Question& question) {
  auto value = question.market.utility;
  for (std::size_t i = 0; i < question.jobs.size(); ++i)
    for (std::size_t j = 0; j < question.types.size(); ++j)
      value[i * question.types.size() + j] /= problem.price_per_gpu_hour[question.types[j]];
  return value;
}

struct Floors {
  std::vector<double> speed;  // by job of the question; 0 = no deadline
  bool any = false;
  bool late = false;  // a deadline has passed
};

Floors floors_of(const ShareProblem& problem, const Question& question) {
  Floors out;
  for (const auto i : question.jobs) {
    const auto& job = problem.jobs[i];
    out.speed.push_back(0);
    if (!job.time_to_deadline_s) continue;
    out.any = true;
    if (*job.time_to_deadline_s <= 0)
      out.late = true;
    else
      out.speed.back() = job.steps_left / *job.time_to_deadline_s;
  }
  return out;
}

constexpr auto kDropped = "the deadlines cannot all be met; they are all left out of account";

TimeShares largest_sum(const ShareProblem& problem, Question& question, const std::vector<double>& value,
                       const Floors& floors) {
  std::optional<solvers::ValuePlan> plan;
  if (floors.any && !floors.late) plan = solvers::max_value(question.market, value, floors.speed);
  const bool kept = plan.has_value();
  if (floors.any && !kept) question.notes.emplace_back(kDropped);
  if (!kept) plan = solvers::max_value(question.market, value);
  if (!plan->settled)
    *plan = max_value_by_clp(question.market, value, kept ? floors.speed : std::vector<double>{}, std::move(*plan),
                             question.notes);
  auto out = answer(problem, question, plan->shares);
  out.objective = plan->value;
  return out;
}

}  // namespace

Result<TimeShares> throughput(const ShareProblem& problem) {
  if (auto right = check_problem(problem); !right) return fail(std::move(right));
  auto question = ask(problem, true_speed);
  return largest_sum(problem, question, question.market.utility, {});
}

Result<TimeShares> cost(const ShareProblem& problem) {
  if (auto right = check_problem(problem); !right) return fail(std::move(right));
  if (auto priced = check_prices(problem); !priced) return fail(std::move(priced));
  auto question = ask(problem, true_speed);
  return largest_sum(problem, question, per_price(problem, question), {});
}

Result<TimeShares> cost_slo(const ShareProblem& problem) {
  if (auto right = check_problem(problem); !right) return fail(std::move(right));
  if (auto priced = check_prices(problem); !priced) return fail(std::move(priced));
  auto question = ask(problem, true_speed);
  return largest_sum(problem, question, per_price(problem, question), floors_of(problem, question));
}

Result<TimeShares> cost_ratio(const ShareProblem& problem) {
  if (auto right = check_problem(problem); !right) return fail(std::move(right));
  if (auto priced = check_prices(problem); !priced) return fail(std::move(priced));
  auto question = ask(problem, true_speed);
  const auto floors = floors_of(problem, question);
  std::vector<double> spent(question.market.utility.size());
  for (std::size_t i = 0; i < question.jobs.size(); ++i)
    for (std::size_t j = 0; j < question.types.size(); ++j)
      spent[i * question.types.size() + j] = problem.price_per_gpu_hour[question.types[j]] * question.market.gpus[i];
  std::optional<solvers::ValuePlan> plan;
  if (floors.any && !floors.late)
    plan = solvers::max_ratio(question.market, question.market.utility, spent, floors.speed);
  if (!plan) {
    question.notes.emplace_back(floors.any ? "the deadlines cannot all be met; the sum of speed per price is used"
                                           : "without deadlines the ratio would run one job only; the sum of speed per "
                                             "price is used");
    return largest_sum(problem, question, per_price(problem, question), {});
  }
  note_unsettled(plan->settled, "the ratio search", question.notes);
  auto out = answer(problem, question, plan->shares);
  out.objective = plan->value;
  return out;
}

}  // namespace hadar::gavel
