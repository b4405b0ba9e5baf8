#include "actors/pricing/utility_jobs.hpp"

#include <algorithm>

#include "actors/pricing/makespan_shares.hpp"

namespace hadar {

double steps_undone(const JobView& job) {
  auto steps = job.steps_unissued();
  for (const auto& held : job.held) steps += held.quota_steps;
  return static_cast<double>(std::max<std::uint64_t>(1, steps));
}

std::vector<UtilityJob> utility_jobs(const RoundInput& input, const std::vector<GpuType>& types,
                                     const std::vector<JobSpeeds>& speeds) {
  std::vector<double> capacity(types.size(), 0);
  for (const auto& node : input.nodes)
    for (const auto& group : node.gpus) {
      const auto it = std::lower_bound(types.begin(), types.end(), group.type);
      if (it != types.end() && *it == group.type) capacity[static_cast<std::size_t>(it - types.begin())] += group.count;
    }
  std::vector<MakespanJob> work;
  for (std::size_t j = 0; j < input.jobs.size(); ++j) {
    MakespanJob job{steps_undone(*input.jobs[j]), static_cast<double>(input.jobs[j]->gpus), {}};
    for (std::uint32_t type = 0; type < types.size(); ++type) job.speed.push_back(speeds[j].member(type));
    work.push_back(std::move(job));
  }
  const auto bound = makespan_bound(work, capacity);
  std::vector<UtilityJob> jobs;
  for (std::size_t j = 0; j < input.jobs.size(); ++j) {
    const auto& view = *input.jobs[j];
    jobs.push_back({view.weight, work[j].steps_left, std::max(speeds[j].best(), 1e-12),
                    std::max(0.0, input.now_s - view.submitted_t_s), bound.shares[j],
                    static_cast<double>(input.jobs.size())});
  }
  return jobs;
}

}  // namespace hadar
