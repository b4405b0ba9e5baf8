// Closed forms: isolated, proportional, and gandiva, which splits time evenly.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "actors/policy/gavel/question.hpp"
#include "actors/policy/gavel/random.hpp"
#include "actors/policy/gavel/rules.hpp"

namespace hadar::gavel {
namespace {

// Below this sum of relative speeds, over both jobs and all types, Gandiva takes a pair apart again.
constexpr double kWorthPairing = 1.0;

TimeShares isolated_answer(const ShareProblem& problem) {
  TimeShares out;
  for (const auto& job : problem.jobs) out.alone.push_back(isolated_shares(problem, job, problem.jobs.size()));
  return out;
}

double pair_worth(const ShareProblem& problem, const SharePair& pair) {
  double sum = 0;
  for (std::size_t j = 0; j < problem.types.size(); ++j)
    for (std::size_t k = 0; k < 2; ++k) {
      const double alone = problem.jobs[k == 0 ? pair.a : pair.b].steps_per_s[j];
      if (alone > 0) sum += pair.steps_per_s[j][k] / alone;
    }
  return sum;
}

const SharePair* find_pair(const ShareProblem& problem, std::size_t a, std::size_t b) {
  const std::pair key(std::min(a, b), std::max(a, b));
  const auto at = std::lower_bound(problem.pairs.begin(), problem.pairs.end(), key,
                                   [](const SharePair& pair, const auto& k) { return std::pair(pair.a, pair.b) < k; });
  return at != problem.pairs.end() && std::pair(at->a, at->b) == key ? &*at : nullptr;
}

// Neighbours of a shuffled order, among jobs of one gang size.
Result<std::vector<const SharePair*>> random_pairs(const ShareProblem& problem) {
  std::map<std::uint32_t, std::vector<std::size_t>> by_gpus;
  for (std::size_t i = 0; i < problem.jobs.size(); ++i) by_gpus[problem.jobs[i].gpus].push_back(i);
  Random random(problem.seed);
  std::vector<const SharePair*> out;
  for (auto& [gpus, jobs] : by_gpus) {
    shuffle(jobs, random);
    for (std::size_t k = 0; k + 1 < jobs.size(); k += 2) {
      const auto* pair = find_pair(problem, jobs[k], jobs[k + 1]);
      if (pair == nullptr) continue;
      if (auto right = check_pair_speeds(*pair); !right) return fail(std::move(right));
      if (pair_worth(problem, *pair) >= kWorthPairing) out.push_back(pair);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

Result<TimeShares> isolated(const ShareProblem& problem) {
  if (auto right = check_problem(problem); !right) return fail(std::move(right));
  return isolated_answer(problem);
}

Result<TimeShares> proportional(const ShareProblem& problem) {
  if (auto right = check_problem(problem); !right) return fail(std::move(right));
  const double all = std::accumulate(problem.gpus.begin(), problem.gpus.end(), 0.0);
  auto row = problem.gpus;
  for (auto& share : row) share = all > 0 ? share / all : 0;
  TimeShares out;
  out.alone.assign(problem.jobs.size(), row);
  out.notes.emplace_back("proportional shares ignore gang sizes and the number of jobs: they may exceed capacity");
  return out;
}

Result<TimeShares> gandiva(const ShareProblem& problem) {
  if (auto right = check_all_but_pair_speeds(problem); !right) return fail(std::move(right));
  double wanted = 0;
  for (const auto& job : problem.jobs) wanted += job.gpus;
  if (wanted <= std::accumulate(problem.gpus.begin(), problem.gpus.end(), 0.0)) return isolated_answer(problem);
  const auto pairs = random_pairs(problem);
  if (!pairs) return tl::unexpected<Error>(pairs.error());
  const auto combinations = problem.jobs.size() - pairs->size();
  auto out = no_shares(problem);
  std::vector<char> paired(problem.jobs.size(), 0);
  for (const auto* pair : *pairs) {
    out.together.push_back({pair->a, pair->b, isolated_shares(problem, problem.jobs[pair->a], combinations)});
    paired[pair->a] = paired[pair->b] = 1;
  }
  for (std::size_t i = 0; i < problem.jobs.size(); ++i)
    if (paired[i] == 0) out.alone[i] = isolated_shares(problem, problem.jobs[i], combinations);
  return out;
}

}  // namespace hadar::gavel
