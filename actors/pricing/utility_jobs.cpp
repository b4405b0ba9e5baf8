#include "actors/pricing/utility_jobs.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "actors/pricing/makespan_shares.hpp"

namespace hadar {
namespace {

constexpr double kMakespanGap = 0.01;  // jobs this close to the longest share the makespan's weight
constexpr double kLeastSpeed = 1e-12;

// Speed of a job that has an n-th of every type to itself.
double isolated_speed(const std::vector<double>& capacity, const JobSpeeds& speeds, double gpus, std::size_t n) {
  double time = 0;
  double steps = 0;
  for (std::uint32_t type = 0; type < capacity.size(); ++type) {
    if (!speeds.allows(type)) continue;
    const double part = capacity[type] / (static_cast<double>(n) * gpus);
    time += part;
    steps += part * speeds.member(type);
  }
  return std::max(steps / std::max(1.0, time), kLeastSpeed);
}

// By user who has a quota and holds GPUs.
std::map<std::string, double> quota_factors(const RoundInput& input, const std::vector<double>& capacity,
                                            const std::map<std::string, double>& quotas) {
  std::map<std::string, double> factors;
  if (quotas.empty()) return factors;
  std::map<std::string, double> held;
  for (const auto& job : input.jobs)
    for (const auto& allocation : job->held)
      for (const auto& slice : allocation.slices) held[job->user] += static_cast<double>(slice.gpus.size());
  const double installed = std::accumulate(capacity.begin(), capacity.end(), 0.0);
  for (const auto& [user, quota] : quotas) factors[user] = quota_factor(quota, held[user], installed);
  return factors;
}

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

std::vector<UtilityJob> utility_jobs(const RoundInput& input, const UtilitySettings& settings,
                                     const std::vector<GpuType>& types, const std::vector<JobSpeeds>& speeds) {
  const auto market = work_left(input, types, speeds);
  MakespanShares makespan;
  if (settings.kind == UtilityKind::kJctMakespan || settings.kind == UtilityKind::kMakespan)
    makespan = makespan_shares(market, kMakespanGap, input.round_s);
  const auto factors = quota_factors(input, market.capacity, settings.quotas);
  std::vector<UtilityJob> jobs;
  for (std::size_t j = 0; j < input.jobs.size(); ++j) {
    const auto& view = *input.jobs[j];
    const auto factor = factors.find(view.user);
    jobs.push_back({.weight = view.weight * (factor == factors.end() ? 1 : factor->second),
                    .steps_left = steps_undone(view),
                    .steps_total = static_cast<double>(std::max<std::uint64_t>(1, view.steps_total)),
                    .best_speed = std::max(speeds[j].best(), kLeastSpeed),
                    .isolated_speed = isolated_speed(market.capacity, speeds[j], market.gpus[j], input.jobs.size()),
                    .age_s = std::max(0.0, input.now_s - view.submitted_t_s),
                    .deadline_s = view.deadline_t_s > 0 ? view.deadline_t_s - view.submitted_t_s : 0,
                    .makespan_share = makespan.shares.empty() ? 0 : makespan.shares[j],
                    .jobs = static_cast<double>(input.jobs.size())});
  }
  return jobs;
}

}  // namespace hadar
