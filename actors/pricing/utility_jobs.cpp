#include "actors/pricing/utility_jobs.hpp"

#include <algorithm>

#include "actors/pricing/makespan_shares.hpp"

namespace hadar {
namespace {

constexpr double kMakespanGap = 0.01;  // jobs this close to the longest share the makespan's weight

}  // namespace

double steps_undone(const JobView& job) {
  auto steps = job.steps_unissued();
  for (const auto& held : job.held) steps += held.quota_steps;
  return static_cast<double>(std::max<std::uint64_t>(1, steps));
}

solvers::Market work_left(const RoundInput& input, const std::vector<GpuType>& types,
                          const std::vector<JobSpeeds>& speeds) {
  solvers::Market market;
  market.types = types.size();
  market.capacity.assign(types.size(), 0);
  for (const auto& node : input.nodes)
    for (const auto& group : node.gpus) {
      const auto it = std::lower_bound(types.begin(), types.end(), group.type);
      if (it != types.end() && *it == group.type)
        market.capacity[static_cast<std::size_t>(it - types.begin())] += group.count;
    }
  for (std::size_t j = 0; j < input.jobs.size(); ++j) {
    const double steps = steps_undone(*input.jobs[j]);
    market.gpus.push_back(std::max(1.0, static_cast<double>(input.jobs[j]->gpus)));
    for (std::uint32_t type = 0; type < types.size(); ++type) market.utility.push_back(speeds[j].member(type) / steps);
  }
  return market;
}

std::vector<UtilityJob> utility_jobs(const RoundInput& input, const std::vector<GpuType>& types,
                                     const std::vector<JobSpeeds>& speeds) {
  const auto makespan = makespan_shares(work_left(input, types, speeds), kMakespanGap, input.round_s);
  std::vector<UtilityJob> jobs;
  for (std::size_t j = 0; j < input.jobs.size(); ++j) {
    const auto& view = *input.jobs[j];
    jobs.push_back({view.weight, steps_undone(view), std::max(speeds[j].best(), 1e-12),
                    std::max(0.0, input.now_s - view.submitted_t_s), makespan.shares[j],
                    static_cast<double>(input.jobs.size())});
  }
  return jobs;
}

}  // namespace hadar
