#include "actors/scheduler/round_steps.hpp"

#include <algorithm>

namespace hadar {
namespace {

constexpr double kMergeShareMax = 0.1;       // of the round
constexpr double kMergeShareUnknown = 0.03;  // of the round, before the first merge was measured

using GpuKey = std::pair<NodeName, std::uint32_t>;

std::set<GpuKey> idle_gpus(const CapacityViewed& viewed) {
  std::set<GpuKey> idle;
  for (const auto& node : viewed.nodes)
    for (auto gpu : node.idle_gpus) idle.emplace(node.inventory.name, gpu);
  return idle;
}

bool all_idle(const Allocation& allocation, const std::set<GpuKey>& idle) {
  for (const auto& slice : allocation.slices)
    for (auto gpu : slice.gpus)
      if (!idle.count({slice.node, gpu})) return false;
  return true;
}

std::map<ForkId, const Allocation*> held_by_fork(const JobViews& jobs) {
  std::map<ForkId, const Allocation*> held;
  for (const auto& job : jobs)
    for (const auto& allocation : job->held) held[allocation.fork] = &allocation;
  return held;
}

std::map<ForkId, std::vector<const Lease*>> leases_by_fork(const CapacityViewed& viewed) {
  std::map<ForkId, std::vector<const Lease*>> leases;
  for (const auto& lease : viewed.open) leases[lease.fork].push_back(&lease);
  return leases;
}

double merge_allowance(const JobView& job, double round_s) {
  const auto known = job.merge_s > 0 ? job.merge_s : kMergeShareUnknown * round_s;
  return std::min(known, kMergeShareMax * round_s);
}

// What a fork that merges at the border may still train.
double train_left_s(const RoundInput& input, JobId id) {
  for (const auto& job : input.jobs)
    if (job->job == id) return input.window_s - merge_allowance(*job, input.round_s);
  return 0;
}

}  // namespace

bool PendingGrants::reserves(const NodeName& node, std::uint32_t gpu) const {
  for (const auto& allocation : allocations)
    for (const auto& slice : allocation.slices)
      if (slice.node == node && std::find(slice.gpus.begin(), slice.gpus.end(), gpu) != slice.gpus.end()) return true;
  return false;
}

bool PendingGrants::waits(JobId job) const {
  return std::any_of(allocations.begin(), allocations.end(), [&](const auto& a) { return a.fork.job == job; });
}

std::vector<NodeCapacity> usable_capacity(const CapacityViewed& viewed, const PendingGrants& pending) {
  std::vector<NodeCapacity> nodes;
  for (const auto& node : viewed.nodes) {
    if (node.state != NodeState::kUp) continue;
    const auto& inventory = node.inventory;
    NodeCapacity capacity{inventory.name, inventory.gpus, {}, inventory.pcie_gb_s, inventory.net_gb_s};
    for (auto gpu : node.idle_gpus)
      if (!pending.reserves(inventory.name, gpu)) capacity.idle_gpus.push_back(gpu);
    nodes.push_back(std::move(capacity));
  }
  return nodes;
}

JobViews plannable_jobs(const JobViews& jobs, const PendingGrants& pending) {
  JobViews plannable;
  for (const auto& job : jobs)
    if (!pending.waits(job->job)) plannable.push_back(job);
  return plannable;
}

bool worth_replanning(const RoundInput& input) {
  const bool idle =
      std::any_of(input.nodes.begin(), input.nodes.end(), [](const auto& node) { return !node.idle_gpus.empty(); });
  return idle && std::any_of(input.jobs.begin(), input.jobs.end(),
                             [](const auto& job) { return !job->merging && job->steps_unissued() > 0; });
}

PlanSteps steps_of(const RoundPlan& plan, const RoundInput& input, const CapacityViewed& viewed) {
  PlanSteps steps;
  const auto held = held_by_fork(input.jobs);
  const auto leases = leases_by_fork(viewed);
  const auto idle = idle_gpus(viewed);
  std::set<ForkId> kept;
  std::set<JobId> losing;  // jobs with a fork that is taken back: their base will move on
  const auto keeps = [&](const Allocation& wanted) {
    const auto found = held.find(wanted.fork);
    if (found == held.end() || found->second->slices != wanted.slices) return false;
    return input.early || found->second->ends_at_border || !wanted.ends_at_border;
  };
  for (const auto& wanted : plan.allocations)
    if (keeps(wanted)) kept.insert(wanted.fork);
  for (const auto& [fork, allocation] : held) {
    const bool ends_by_itself = allocation->ends_at_border;
    if (input.early || ends_by_itself || kept.count(fork)) continue;
    losing.insert(fork.job);
    steps.pending.leaving.push_back(*allocation);
    const auto found = leases.find(fork);
    if (found == leases.end()) continue;
    for (const auto* lease : found->second) steps.revoke.push_back(lease->id);
  }
  for (const auto& wanted : plan.allocations) {
    if (kept.count(wanted.fork)) {
      const auto& current = *held.at(wanted.fork);
      const auto found = leases.find(wanted.fork);
      const auto left_s = current.ends_at_border ? train_left_s(input, wanted.fork.job) : 0;
      if (current.ends_at_border && left_s <= 0) continue;
      if (input.early && wanted.quota_steps > current.quota_steps && found != leases.end())
        for (const auto* lease : found->second)
          steps.extend.push_back(
              {lease->id, wanted.fork.job, lease->quota_steps + (wanted.quota_steps - current.quota_steps), left_s});
    } else if (!losing.count(wanted.fork.job) && all_idle(wanted, idle)) {
      steps.grant.push_back(wanted);
    } else {
      steps.pending.allocations.push_back(wanted);
    }
  }
  return steps;
}

namespace {

bool still_leaving(const JobView& job, const std::vector<Allocation>& leaving) {
  return std::any_of(job.held.begin(), job.held.end(), [&](const Allocation& held) {
    return std::any_of(leaving.begin(), leaving.end(),
                       [&](const Allocation& gone) { return gone.fork == held.fork && gone.slices == held.slices; });
  });
}

}  // namespace

std::vector<Allocation> ready_grants(PendingGrants& pending, const JobViews& jobs, const CapacityViewed& viewed) {
  const auto idle = idle_gpus(viewed);
  std::map<JobId, const JobView*> views;
  for (const auto& job : jobs) views[job->job] = job.get();
  std::vector<Allocation> ready;
  std::vector<Allocation> rest;
  for (auto& allocation : pending.allocations) {
    const auto job = views.find(allocation.fork.job);
    if (job == views.end()) continue;  // finished, held or gone: no longer wanted
    const bool free =
        !job->second->merging && !still_leaving(*job->second, pending.leaving) && all_idle(allocation, idle);
    (free ? ready : rest).push_back(std::move(allocation));
  }
  pending.allocations = std::move(rest);
  return ready;
}

std::vector<Lease> leases_of(const std::vector<Allocation>& allocations, const RoundInput& input, double left_s,
                             LeaseId& last) {
  std::map<JobId, const JobView*> views;
  for (const auto& job : input.jobs) views[job->job] = job.get();
  std::map<NodeName, std::vector<GpuType>> types;
  for (const auto& node : input.nodes) types[node.node] = gpu_types_by_index(node.gpus);
  std::vector<Lease> leases;
  for (const auto& allocation : allocations) {
    const auto& job = *views.at(allocation.fork.job);
    const auto train_for_s = allocation.ends_at_border ? left_s - merge_allowance(job, input.round_s) : 0;
    if (allocation.ends_at_border && train_for_s <= 0) continue;
    std::uint32_t rank = 0;
    for (const auto& slice : allocation.slices) {
      Lease lease;
      lease.id = LeaseId{++last.value};
      lease.fork = allocation.fork;
      lease.node = slice.node;
      lease.gpus = slice.gpus;
      for (auto gpu : slice.gpus) lease.gpu_types.push_back(types.at(slice.node).at(gpu));
      lease.quota_steps = allocation.quota_steps;
      lease.train_for_s = train_for_s;
      lease.round = input.round;
      lease.gang.rank = rank;
      lease.gang.world_size = job.gpus;
      rank += static_cast<std::uint32_t>(slice.gpus.size());
      leases.push_back(std::move(lease));
    }
  }
  return leases;
}

}  // namespace hadar
