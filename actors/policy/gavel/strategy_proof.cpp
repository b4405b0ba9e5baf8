// Proportional fairness cut so that no job gains by lying about its speeds.
#include <cmath>

#include "actors/policy/gavel/fallback.hpp"
#include "actors/policy/gavel/question.hpp"
#include "actors/policy/gavel/rules.hpp"
#include "actors/policy/solvers/proportional_fair.hpp"

namespace hadar::gavel {
namespace {

solvers::Market without(const solvers::Market& market, std::size_t job) {
  auto out = market;
  const auto at = static_cast<std::ptrdiff_t>(job);
  const auto types = static_cast<std::ptrdiff_t>(market.types);
  out.gpus.erase(out.gpus.begin() + at);
  out.utility.erase(out.utility.begin() + at * types, out.utility.begin() + (at + 1) * types);
  return out;
}

}  // namespace

Result<TimeShares> strategy_proof(const ShareProblem& problem) {
  if (auto right = check_problem(problem); !right) return fail(std::move(right));
  auto question = ask(problem, true_speed);
  for (std::size_t i = 0; i < question.jobs.size(); ++i) {
    const auto& job = problem.jobs[question.jobs[i]];
    scale_row(question.market, i, job.gpus / (job.weight * equal_speed(problem, job, true_speed)));
  }
  const auto all = solvers::max_product(question.market);
  bool settled = all.settled;
  auto shares = all.shares;
  const auto jobs = question.jobs.size();
  for (std::size_t i = 0; jobs > 1 && i < jobs; ++i) {
    const auto rest = solvers::max_product(without(question.market, i), all.prices);
    settled = settled && rest.settled;
    double log_cut = 0;
    for (std::size_t k = 0; k + 1 < jobs; ++k) log_cut += std::log(all.utility[k < i ? k : k + 1] / rest.utility[k]);
    for (std::size_t j = 0; j < question.market.types; ++j)
      shares[i * question.market.types + j] *= std::min(1.0, std::exp(log_cut));
  }
  note_unsettled(settled, "the search for the largest product", question.notes);
  auto out = answer(problem, question, shares);
  out.objective = jobs == 0 ? 0 : std::exp(all.log_product / static_cast<double>(jobs));
  return out;
}

}  // namespace hadar::gavel
