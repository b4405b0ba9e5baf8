#include "tools/cli/solve_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hadar::cli {
namespace {

constexpr double kRound_s = 360;

JobView view_of(const ShareProblem& problem, const ShareJob& job, const std::string& job_type, double now_s) {
  JobView view;
  view.job = JobId{job.job.value + 1};
  view.model = job_type;
  view.gpus = job.gpus;
  view.forkable = job.gpus == 1;
  view.weight = job.weight;
  view.submitted_t_s = now_s - job.age_s;
  if (job.time_to_deadline_s) view.deadline_t_s = std::max(now_s + *job.time_to_deadline_s, 0.0);
  view.steps_total = static_cast<std::uint64_t>(std::ceil(job.steps_left));
  for (std::size_t j = 0; j < problem.types.size(); ++j) {
    if (job.steps_per_s[j] <= 0) continue;
    view.gpu_types.push_back(problem.types[j]);
    view.estimates.push_back({problem.types[j], Placement::kPacked, job.steps_per_s[j], EstimateSource::kDeclared});
  }
  return view;
}

}  // namespace

RoundInput round_of(const SolveInstance& instance) {
  const auto& problem = instance.problem;
  RoundInput input;
  input.round = RoundId{1};
  input.round_s = input.window_s = kRound_s;
  input.seed = problem.seed;
  for (const auto& job : problem.jobs) input.now_s = std::max(input.now_s, job.age_s);
  for (std::size_t j = 0; j < problem.types.size(); ++j) {
    const auto count = static_cast<std::uint32_t>(problem.gpus[j]);
    if (count == 0) continue;
    NodeCapacity node;
    node.node = problem.types[j];
    node.gpus = {{problem.types[j], count}};
    node.idle_gpus.resize(count);
    std::iota(node.idle_gpus.begin(), node.idle_gpus.end(), 0U);
    input.nodes.push_back(std::move(node));
  }
  std::sort(input.nodes.begin(), input.nodes.end(), [](const auto& a, const auto& b) { return a.node < b.node; });
  for (std::size_t i = 0; i < problem.jobs.size(); ++i)
    input.jobs.push_back(
        std::make_shared<const JobView>(view_of(problem, problem.jobs[i], instance.job_types[i], input.now_s)));
  return input;
}

}  // namespace hadar::cli
