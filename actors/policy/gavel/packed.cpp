// Policies that let two jobs share GPUs: las-packed, makespan-packed, ftf-packed.
#include "actors/policy/solvers/packed.hpp"

#include <algorithm>
#include <cmath>

#include "actors/policy/gavel/fallback.hpp"
#include "actors/policy/gavel/packed_alike.hpp"
#include "actors/policy/gavel/question.hpp"
#include "actors/policy/gavel/rules.hpp"

namespace hadar::gavel {
namespace {

struct PackedQuestion {
  Question question;
  std::vector<double> factor;    // by job of the question: utility per step per second
  solvers::PackedMarket market;  // see add_pairs
};

constexpr std::size_t kLeftOut = static_cast<std::size_t>(-1);

// `factor_of(job)` turns a speed into utility.
template <class FactorOf>
PackedQuestion ask_packed(const ShareProblem& problem, const FactorOf& factor_of) {
  PackedQuestion out;
  out.question = ask(problem, true_speed);
  for (std::size_t i = 0; i < out.question.jobs.size(); ++i) {
    out.factor.push_back(factor_of(problem.jobs[out.question.jobs[i]]));
    scale_row(out.question.market, i, out.factor.back());
  }
  return out;
}

void add_pairs(const ShareProblem& problem, PackedQuestion& out) {
  const auto& kept = out.question;
  std::vector<std::size_t> place(problem.jobs.size(), kLeftOut);
  for (std::size_t i = 0; i < kept.jobs.size(); ++i) place[kept.jobs[i]] = i;
  out.market.alone = kept.market;
  out.market.pairs.reserve(problem.pairs.size());
  out.market.pair_utility.reserve(problem.pairs.size() * kept.types.size());
  for (const auto& pair : problem.pairs) {
    if (place[pair.a] == kLeftOut || place[pair.b] == kLeftOut) continue;
    const auto a = place[pair.a];
    const auto b = place[pair.b];
    out.market.pairs.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
    for (const auto j : kept.types)
      out.market.pair_utility.push_back(
          {pair.steps_per_s[j][0] * out.factor[a], pair.steps_per_s[j][1] * out.factor[b]});
  }
}

TimeShares answer_packed(const ShareProblem& problem, const PackedQuestion& asked, const solvers::PackedPlan& plan) {
  auto out = answer(problem, asked.question, plan.alone);
  for (const auto& share : plan.together) {
    const auto& pair = asked.market.pairs[share.pair];
    const auto a = asked.question.jobs[pair.a];
    const auto b = asked.question.jobs[pair.b];
    if (out.together.empty() || out.together.back().a != a || out.together.back().b != b)
      out.together.push_back({a, b, std::vector<double>(problem.types.size(), 0.0)});
    out.together.back().share[asked.question.types[share.type]] = share.share;
  }
  return out;
}

// The largest smallest utility; the objective is that level. Checks the speeds of pairs.
Result<TimeShares> packed_level(const ShareProblem& problem, PackedQuestion asked) {
  if (auto alike = alike_max_min(problem, asked.question, asked.factor)) return *std::move(alike);
  if (auto right = check_all_pair_speeds(problem); !right) return fail(std::move(right));
  add_pairs(problem, asked);
  auto plan = solvers::packed_max_min(asked.market, std::vector<double>(asked.factor.size(), 1.0));
  if (!plan) return fail(std::move(plan));
  note_unsettled(plan->settled, "the packed search", asked.question.notes);
  auto out = answer_packed(problem, asked, *plan);
  out.objective = plan->level;
  return out;
}

}  // namespace

Result<TimeShares> las_packed(const ShareProblem& problem) {
  if (auto right = check_all_but_pair_speeds(problem); !right) return fail(std::move(right));
  return packed_level(problem, ask_packed(problem, [&](const ShareJob& job) {
                        return job.gpus / (job.weight * equal_speed(problem, job, true_speed));
                      }));
}

Result<TimeShares> makespan_packed(const ShareProblem& problem) {
  if (auto right = check_all_but_pair_speeds(problem); !right) return fail(std::move(right));
  auto out = packed_level(problem, ask_packed(problem, [](const ShareJob& job) { return 1 / job.steps_left; }));
  if (out) out->objective = out->objective > 0 ? 1 / out->objective : 0;
  return out;
}

Result<TimeShares> finish_time_packed(const ShareProblem& problem) {
  if (auto right = check_problem(problem); !right) return fail(std::move(right));
  auto asked = ask_packed(problem, [](const ShareJob& job) { return 1 / (job.weight * job.steps_left); });
  add_pairs(problem, asked);
  std::vector<double> age;
  std::vector<double> fair;
  const auto best = asked.market.best();
  double first = 0;
  for (std::size_t i = 0; i < asked.factor.size(); ++i) {
    const auto& job = problem.jobs[asked.question.jobs[i]];
    age.push_back(job.age_s);
    fair.push_back(job.isolated_history + job.steps_left / isolated_speed(problem, job, true_speed));
    first = std::max(first, (age[i] + 1 / best[i]) / fair[i]);
  }
  auto plan = solvers::packed_min_ratio(asked.market, first, [&](double rho, std::vector<double>& demands) {
    for (std::size_t i = 0; i < age.size(); ++i) demands[i] = std::min(best[i], 1 / (rho * fair[i] - age[i]));
  });
  if (!plan) return fail(std::move(plan));
  note_unsettled(plan->settled, "the packed finish-time search", asked.question.notes);
  auto out = answer_packed(problem, asked, *plan);
  const auto reached = solvers::utility_of(asked.market, *plan);
  for (std::size_t i = 0; i < reached.size(); ++i)
    out.objective = std::max(out.objective, (age[i] + 1 / reached[i]) / fair[i]);
  return out;
}

}  // namespace hadar::gavel
