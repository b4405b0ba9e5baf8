// AlloX: which one-GPU job runs first on which GPU.
#include <algorithm>
#include <cmath>
#include <limits>

#include "actors/policy/gavel/question.hpp"
#include "actors/policy/gavel/rules.hpp"
#include "actors/policy/solvers/assignment.hpp"

namespace hadar::gavel {
namespace {

struct Waiting {
  std::vector<std::size_t> jobs;
  std::vector<std::vector<double>> durations;
  std::vector<std::size_t> machines;  // free GPUs by type
};

// Jobs that run keep their GPU until they complete; the others wait for a place.
Waiting waiting_of(const ShareProblem& problem, TimeShares& out) {
  Waiting waiting;
  const auto types = problem.types.size();
  for (const double gpus : problem.gpus) waiting.machines.push_back(static_cast<std::size_t>(std::floor(gpus)));
  std::vector<char> running(problem.jobs.size(), 0);
  for (std::size_t i = 0; i < problem.jobs.size(); ++i) {
    const auto& job = problem.jobs[i];
    if (job.gpus != 1 || !job.placed_on || waiting.machines[*job.placed_on] == 0) continue;
    --waiting.machines[*job.placed_on];
    out.alone[i][*job.placed_on] = 1;
    running[i] = 1;
  }
  std::size_t gangs = 0;
  std::size_t nowhere = 0;
  for (std::size_t i = 0; i < problem.jobs.size(); ++i) {
    const auto& job = problem.jobs[i];
    if (running[i] != 0) continue;
    if (job.gpus != 1) {
      ++gangs;
      continue;
    }
    std::vector<double> durations(types, std::numeric_limits<double>::infinity());
    bool fits = false;
    for (std::size_t j = 0; j < types; ++j) {
      if (waiting.machines[j] == 0 || job.steps_per_s[j] <= 0) continue;
      durations[j] = job.steps_left / job.steps_per_s[j];
      fits = fits || std::isfinite(durations[j]);
    }
    if (!fits) {
      ++nowhere;
      continue;
    }
    waiting.jobs.push_back(i);
    waiting.durations.push_back(std::move(durations));
  }
  if (gangs > 0) out.notes.push_back(std::to_string(gangs) + " jobs get no share: AlloX places one-GPU jobs only");
  if (nowhere > 0) out.notes.push_back(std::to_string(nowhere) + " jobs get no share: no free GPU can run them");
  return waiting;
}

}  // namespace

Result<TimeShares> allox(const ShareProblem& problem) {
  if (auto right = check_problem(problem); !right) return fail(std::move(right));
  auto out = no_shares(problem);
  const auto waiting = waiting_of(problem, out);
  const auto assignment = solvers::assign_queues(waiting.durations, waiting.machines);
  out.objective = assignment.cost;
  // A GPU starts with the job farthest from its queue's end. Of the jobs at place k as many start as there are GPUs
  // without a job at place k + 1; which of them is the same to the sum, so the oldest do.
  std::size_t deepest = 0;
  for (const auto& place : assignment.places) deepest = std::max(deepest, place.place);
  const auto types = problem.types.size();
  std::vector<std::size_t> at(types * (deepest + 2), 0);
  for (const auto& place : assignment.places) ++at[place.place * types + place.type];
  std::vector<std::size_t> starters(at.size(), 0);
  for (std::size_t k = 1; k <= deepest; ++k)
    for (std::size_t j = 0; j < types; ++j)
      starters[k * types + j] = at[k * types + j] - std::min(at[k * types + j], at[(k + 1) * types + j]);
  for (std::size_t q = 0; q < waiting.jobs.size(); ++q) {
    const auto& place = assignment.places[q];
    out.objective += problem.jobs[waiting.jobs[q]].age_s;
    auto& left = starters[place.place * types + place.type];
    if (left == 0) continue;
    --left;
    out.alone[waiting.jobs[q]][place.type] = 1;
  }
  return out;
}

}  // namespace hadar::gavel
