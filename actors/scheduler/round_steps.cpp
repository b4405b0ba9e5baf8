#include "actors/scheduler/round_steps.hpp"

#include <algorithm>
#include <set>
#include <span>

#include "messages/types/check.hpp"

namespace hadar {
namespace {

constexpr double kMergeShareMax = 0.1;       // of the round
constexpr double kMergeShareUnknown = 0.03;  // of the round, before the first merge was measured

// The element whose key is `key` in a range that rises by it; null when there is none.
template <class Range, class Key, class KeyOf>
auto find_sorted(const Range& range, const Key& key, KeyOf key_of) -> decltype(&*range.begin()) {
  const auto at = std::lower_bound(range.begin(), range.end(), key,
                                   [&](const auto& item, const Key& wanted) { return key_of(item) < wanted; });
  return at != range.end() && !(key < key_of(*at)) ? &*at : nullptr;
}

const JobView* find_job(const JobViews& jobs, JobId id) {
  const auto* found = find_sorted(jobs, id, [](const auto& job) { return job->job; });
  return found ? found->get() : nullptr;
}

// Whether the job that an allocation shares with has this GPU.
bool with_partner(const Allocation& allocation, const NodeName& node, std::uint32_t gpu, const CapacityViewed& viewed) {
  if (allocation.shares_with.value == 0) return false;
  return std::any_of(viewed.open.begin(), viewed.open.end(), [&](const auto& lease) {
    return lease->fork.job == allocation.shares_with && lease->node == node &&
           std::binary_search(lease->gpus.begin(), lease->gpus.end(), gpu);
  });
}

bool all_idle(const Allocation& allocation, const CapacityViewed& viewed) {
  for (const auto& slice : allocation.slices) {
    const auto* node = find_sorted(viewed.nodes, slice.node,
                                   [](const NodeView& view) -> const NodeName& { return view.inventory.name; });
    if (!node) return false;
    for (auto gpu : slice.gpus)
      if (!std::binary_search(node->idle_gpus.begin(), node->idle_gpus.end(), gpu) &&
          !with_partner(allocation, slice.node, gpu, viewed))
        return false;
  }
  return true;
}

// Held allocations by fork; quick when forks are asked for in rising order.
class HeldForks {
 public:
  explicit HeldForks(const JobViews& jobs) : jobs_(jobs), next_(jobs.begin()) {}

  const Allocation* find(ForkId fork) {
    if (next_ != jobs_.begin() && fork.job < (*std::prev(next_))->job) next_ = jobs_.begin();
    while (next_ != jobs_.end() && (*next_)->job < fork.job) ++next_;
    if (next_ == jobs_.end() || (*next_)->job != fork.job) return nullptr;
    for (const auto& allocation : (*next_)->held)
      if (allocation.fork == fork) return &allocation;
    return nullptr;
  }

 private:
  const JobViews& jobs_;
  JobViews::const_iterator next_;
};

// The open leases of a fork.
auto leases_of_fork(const CapacityViewed& viewed, ForkId fork) {
  struct ByFork {
    bool operator()(const std::shared_ptr<const Lease>& lease, ForkId wanted) const { return lease->fork < wanted; }
    bool operator()(ForkId wanted, const std::shared_ptr<const Lease>& lease) const { return wanted < lease->fork; }
  };
  const auto [first, last] = std::equal_range(viewed.open.begin(), viewed.open.end(), fork, ByFork{});
  return std::span(first, last);
}

void reserve(std::vector<NodeCapacity>& usable, const GpuSlice& slice) {
  const auto at = std::lower_bound(usable.begin(), usable.end(), slice.node,
                                   [](const NodeCapacity& node, const NodeName& name) { return node.node < name; });
  if (at == usable.end() || at->node != slice.node) return;
  std::erase_if(at->idle_gpus,
                [&](auto gpu) { return std::find(slice.gpus.begin(), slice.gpus.end(), gpu) != slice.gpus.end(); });
}

double merge_allowance(const JobView& job, double round_s) {
  const auto known = job.merge_s > 0 ? job.merge_s : kMergeShareUnknown * round_s;
  return std::min(known, kMergeShareMax * round_s);
}

// What a fork that merges at the border may still train.
double train_left_s(const RoundInput& input, JobId id) {
  const auto* job = find_job(input.jobs, id);
  return job ? input.window_s - merge_allowance(*job, input.round_s) : 0;
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

void refresh_usable(std::vector<NodeCapacity>& usable, const CapacityViewed& viewed,
                    std::initializer_list<std::span<const Allocation>> reserved) {
  std::size_t kept = 0;
  for (const auto& node : viewed.nodes) {
    if (node.state != NodeState::kUp) continue;
    const auto& inventory = node.inventory;
    if (kept == usable.size()) usable.emplace_back();
    auto& capacity = usable[kept++];
    if (capacity.node != inventory.name) capacity.node = inventory.name;
    if (capacity.gpus != inventory.gpus) capacity.gpus = inventory.gpus;
    if (capacity.idle_gpus != node.idle_gpus) capacity.idle_gpus = node.idle_gpus;
    capacity.pcie_gb_s = inventory.pcie_gb_s;
    capacity.net_gb_s = inventory.net_gb_s;
  }
  usable.resize(kept);
  for (const auto& allocations : reserved)
    for (const auto& allocation : allocations)
      for (const auto& slice : allocation.slices) reserve(usable, slice);
}

JobViews plannable_jobs(JobViews jobs, const PendingGrants& pending) {
  if (!pending.allocations.empty()) std::erase_if(jobs, [&](const auto& job) { return pending.waits(job->job); });
  return jobs;
}

bool wants_gpus(const JobViews& jobs) {
  return std::any_of(jobs.begin(), jobs.end(),
                     [](const auto& job) { return !job->merging && job->steps_unissued() > 0; });
}

bool worth_replanning(const RoundInput& input) {
  const bool idle =
      std::any_of(input.nodes.begin(), input.nodes.end(), [](const auto& node) { return !node.idle_gpus.empty(); });
  return idle && wants_gpus(input.jobs);
}

std::vector<Outcome> ToldOutcomes::news(const std::vector<Outcome>& outcomes, bool early) {
  std::vector<Outcome> news;
  std::vector<Told> told;
  told.reserve(outcomes.size());
  auto last = told_.begin();
  for (const auto& outcome : outcomes) {
    while (last != told_.end() && last->job < outcome.job) ++last;
    const bool same_kind = last != told_.end() && last->job == outcome.job && last->kind == outcome.kind;
    const bool still_waits = early && outcome.kind == OutcomeKind::kWaiting;
    const bool known = same_kind && (still_waits || last->code == outcome.reason.code);
    if (known) {
      told.push_back(std::move(*last));
      continue;
    }
    news.push_back(outcome);
    told.push_back({outcome.job, outcome.kind, outcome.reason.code});
  }
  told_ = std::move(told);
  return news;
}

PlanSteps steps_of(const RoundPlan& plan, const RoundInput& input, const CapacityViewed& viewed) {
  PlanSteps steps;
  std::vector<ForkId> kept;                 // rising
  std::vector<const Allocation*> repeated;  // per allocation of the plan: the held one it repeats, or null
  std::set<JobId> losing;                   // jobs with a fork that is taken back: their base will move on
  const auto repeats = [&](const Allocation& held, const Allocation& wanted) {
    return held.slices == wanted.slices && (input.early || held.ends_at_border || !wanted.ends_at_border);
  };
  HeldForks held_forks(input.jobs);
  for (const auto& wanted : plan.allocations) {
    const auto* held = held_forks.find(wanted.fork);
    repeated.push_back(held && repeats(*held, wanted) ? held : nullptr);
    if (repeated.back()) kept.push_back(wanted.fork);
  }
  const auto keeps = [&](ForkId fork) { return std::binary_search(kept.begin(), kept.end(), fork); };
  for (const auto& job : input.jobs) {
    if (input.early) break;
    for (const auto& held : job->held) {
      if (held.ends_at_border || keeps(held.fork)) continue;
      losing.insert(held.fork.job);
      steps.pending.leaving.push_back(held);
      for (const auto& lease : leases_of_fork(viewed, held.fork)) steps.revoke.push_back(lease->id);
    }
  }
  for (std::size_t i = 0; i < plan.allocations.size(); ++i) {
    const auto& wanted = plan.allocations[i];
    if (repeated[i]) {
      const auto& current = *repeated[i];
      const auto left_s = current.ends_at_border ? train_left_s(input, wanted.fork.job) : 0;
      if (current.ends_at_border && left_s <= 0) continue;
      if (input.early && wanted.quota_steps > current.quota_steps)
        for (const auto& lease : leases_of_fork(viewed, wanted.fork))
          steps.extend.push_back(
              {lease->id, wanted.fork.job, lease->quota_steps + (wanted.quota_steps - current.quota_steps), left_s});
    } else if (!losing.count(wanted.fork.job) && all_idle(wanted, viewed)) {
      steps.grant.push_back(wanted);
    } else {
      steps.pending.allocations.push_back(wanted);
    }
  }
  return steps;
}

namespace {

bool still_open(const Allocation& allocation, const CapacityViewed& viewed) {
  const auto leases = leases_of_fork(viewed, allocation.fork);
  return std::any_of(leases.begin(), leases.end(), [&](const auto& lease) {
    return std::any_of(allocation.slices.begin(), allocation.slices.end(),
                       [&](const GpuSlice& slice) { return slice.node == lease->node && slice.gpus == lease->gpus; });
  });
}

// Members of a gang end one by one: what is left of it is still leaving.
bool what_is_left_of(const Allocation& gone, const Allocation& held) {
  return gone.fork == held.fork && std::all_of(held.slices.begin(), held.slices.end(), [&](const GpuSlice& slice) {
           return std::find(gone.slices.begin(), gone.slices.end(), slice) != gone.slices.end();
         });
}

bool still_leaving(const JobView& job, const std::vector<Allocation>& leaving) {
  return std::any_of(job.held.begin(), job.held.end(), [&](const Allocation& held) {
    return std::any_of(leaving.begin(), leaving.end(),
                       [&](const Allocation& gone) { return what_is_left_of(gone, held); });
  });
}

}  // namespace

bool any_use(const CapacityViewed& viewed, const PendingGrants& pending) {
  const auto leaves = [&](JobId job) {
    return std::any_of(pending.leaving.begin(), pending.leaving.end(),
                       [&](const auto& a) { return a.fork.job == job && still_open(a, viewed); });
  };
  const auto& waiting = pending.allocations;
  return std::any_of(waiting.begin(), waiting.end(),
                     [&](const auto& a) { return !leaves(a.fork.job) && all_idle(a, viewed); }) ||
         std::any_of(viewed.nodes.begin(), viewed.nodes.end(), [&](const NodeView& node) {
           return std::any_of(node.idle_gpus.begin(), node.idle_gpus.end(),
                              [&](auto gpu) { return !pending.reserves(node.inventory.name, gpu); });
         });
}

std::vector<Allocation> ready_grants(PendingGrants& pending, const JobViews& jobs, const CapacityViewed& viewed) {
  std::vector<Allocation> ready;
  std::size_t kept = 0;
  for (auto& allocation : pending.allocations) {
    const auto* job = find_job(jobs, allocation.fork.job);
    if (!job) continue;  // finished, held or gone: no longer wanted
    const bool free = !job->merging && !still_leaving(*job, pending.leaving) && all_idle(allocation, viewed);
    if (free)
      ready.push_back(std::move(allocation));
    else if (auto& place = pending.allocations[kept++]; &place != &allocation)
      place = std::move(allocation);
  }
  pending.allocations.resize(kept);
  return ready;
}

std::vector<Lease> leases_of(const std::vector<Allocation>& allocations, const RoundInput& input, double left_s,
                             LeaseId& last) {
  std::vector<Lease> leases;
  for (const auto& allocation : allocations) {
    const auto& job = *find_job(input.jobs, allocation.fork.job);
    const auto train_for_s = allocation.ends_at_border ? left_s - merge_allowance(job, input.round_s) : 0;
    if (allocation.ends_at_border && train_for_s <= 0) continue;
    std::uint32_t rank = 0;
    for (const auto& slice : allocation.slices) {
      Lease lease;
      lease.id = LeaseId{++last.value};
      lease.fork = allocation.fork;
      lease.node = slice.node;
      lease.gpus = slice.gpus;
      const auto* node =
          find_sorted(input.nodes, slice.node, [](const NodeCapacity& n) -> const NodeName& { return n.node; });
      HADAR_ENSURE(node != nullptr);
      const auto types = gpu_types_by_index(node->gpus);
      for (auto gpu : slice.gpus) lease.gpu_types.push_back(types.at(gpu));
      lease.quota_steps = allocation.quota_steps;
      lease.train_for_s = train_for_s;
      lease.round = input.round;
      lease.shares_with = allocation.shares_with;
      lease.gang.rank = rank;
      lease.gang.world_size = job.gpus;
      rank += static_cast<std::uint32_t>(slice.gpus.size());
      leases.push_back(std::move(lease));
    }
  }
  return leases;
}

}  // namespace hadar
