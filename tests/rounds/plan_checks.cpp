#include "tests/rounds/plan_checks.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace hadar::testing {
namespace {

using Gpu = std::pair<NodeName, std::uint32_t>;

std::vector<Gpu> gpus_of(const Allocation& allocation) {
  std::vector<Gpu> gpus;
  for (const auto& slice : allocation.slices)
    for (const auto gpu : slice.gpus) gpus.emplace_back(slice.node, gpu);
  return gpus;
}

class Checker {
 public:
  Checker(const RoundInput& input, const RoundPlan& plan, const PolicyTraits& traits)
      : input_(input), plan_(plan), traits_(traits) {
    for (const auto& node : input.nodes) {
      types_[node.node] = gpu_types_by_index(node.gpus);
      for (const auto gpu : node.idle_gpus) usable_.insert({node.node, gpu});
    }
    for (const auto& job : input.jobs)
      for (const auto& held : job->held) {
        const bool immovable = input.early || job->merging;
        for (const auto& gpu : gpus_of(held)) {
          if (immovable) usable_.erase(gpu);
          if (!immovable && types_.contains(gpu.first)) usable_.insert(gpu);
        }
      }
  }

  std::vector<std::string> run() {
    check_frame();
    for (const auto& allocation : plan_.allocations) check_allocation(allocation);
    for (const auto& job : input_.jobs) check_job(*job);
    return faults_;
  }

 private:
  void fault(const std::string& text) { faults_.push_back(text); }

  void check_frame() {
    if (plan_.round != input_.round) fault("another round's number");
    if (plan_.memory.size() > (1U << 20)) fault("memory above 1 MiB");
    if (plan_.outcomes.size() != input_.jobs.size()) return fault("not one outcome per job");
    for (std::size_t i = 0; i < input_.jobs.size(); ++i) {
      const auto& outcome = plan_.outcomes[i];
      if (outcome.job != input_.jobs[i]->job) fault("outcomes in another order");
      if (outcome.reason.code.empty() || outcome.reason.text.empty()) fault("an outcome without a reason");
      if (outcome.reason.numbers.empty()) fault("a reason without numbers: " + outcome.reason.code);
      for (const auto& [name, value] : outcome.reason.numbers)
        if (!std::isfinite(value)) fault("reason number " + name + " is not finite");
    }
    for (std::size_t i = 1; i < plan_.allocations.size(); ++i)
      if (!(plan_.allocations[i - 1].fork < plan_.allocations[i].fork)) fault("allocations do not rise");
  }

  const JobView* find(JobId id) const {
    for (const auto& job : input_.jobs)
      if (job->job == id) return job.get();
    return nullptr;
  }

  static bool repeats(const JobView& job, const Allocation& allocation) {
    return std::find(job.held.begin(), job.held.end(), allocation) != job.held.end();
  }

  // Exactly two allocations have its very GPUs, and one of them says so.
  [[nodiscard]] bool shared(const Allocation& allocation) const {
    if (!traits_.shares_gpus) return false;
    std::size_t same = 0;
    bool said = false;
    for (const auto& other : plan_.allocations) {
      if (other.slices != allocation.slices) continue;
      ++same;
      said = said || other.shares_with == allocation.fork.job || allocation.shares_with == other.fork.job;
    }
    return same == 2 && said;
  }

  void check_allocation(const Allocation& allocation) {
    const auto* job = find(allocation.fork.job);
    if (job == nullptr) return fault("an allocation for no job");
    const auto name = "job " + std::to_string(job->job.value) + ": ";
    const bool repeated = repeats(*job, allocation);
    if (job->merging && !repeated) fault(name + "planned while merging");
    std::set<Gpu> own;
    for (const auto& gpu : gpus_of(allocation)) {
      if (!owned_.insert(gpu).second && !shared(allocation)) fault(name + "GPU of two owners on " + gpu.first);
      own.insert(gpu);
      if (repeated) continue;
      if (!usable_.contains(gpu)) fault(name + "GPU neither idle nor free to take on " + gpu.first);
      const auto it = types_.find(gpu.first);
      if (it == types_.end() || gpu.second >= it->second.size()) {
        fault(name + "no such GPU on " + gpu.first);
      } else if (!job->gpu_types.empty() && std::find(job->gpu_types.begin(), job->gpu_types.end(),
                                                      it->second[gpu.second]) == job->gpu_types.end()) {
        fault(name + "GPU type not allowed");
      }
    }
    if (own.size() != job->gpus) fault(name + "the gang is not whole");
    if (!repeated && allocation.quota_steps == 0) fault(name + "quota 0");
    if (!repeated && !(allocation.steps_per_s > 0)) fault(name + "no expected speed");
  }

  void check_job(const JobView& job) {
    const auto name = "job " + std::to_string(job.job.value) + ": ";
    std::vector<const Allocation*> planned;
    for (const auto& allocation : plan_.allocations)
      if (allocation.fork.job == job.job) planned.push_back(&allocation);
    const auto repeated = std::count_if(planned.begin(), planned.end(),
                                        [&](const auto* allocation) { return repeats(job, *allocation); });
    const bool only_repeats = repeated == static_cast<std::ptrdiff_t>(planned.size());
    if (planned.size() > 1 && !only_repeats && (!traits_.forks || !job.forkable))
      fault(name + "forked against the rules");
    std::set<NodeName> nodes;
    std::uint64_t fresh = 0;
    std::uint64_t kept = 0;
    std::uint64_t held_left = 0;
    for (const auto& held : job.held) held_left += held.quota_steps;
    for (const auto* allocation : planned) {
      for (const auto& slice : allocation->slices)
        if (!nodes.insert(slice.node).second) fault(name + "two forks on " + slice.node);
      if (planned.size() > 1 && !only_repeats && !allocation->ends_at_border)
        fault(name + "a self-renewing fork among others");
      (repeats(job, *allocation) ? kept : fresh) += allocation->quota_steps;
    }
    const auto movable = input_.early ? 0 : held_left - std::min(held_left, kept);
    if (fresh > job.steps_unissued() + movable) fault(name + "more steps issued than left");
    for (const auto& held : job.held)
      if ((input_.early || job.merging) &&
          std::none_of(planned.begin(), planned.end(), [&](const auto* other) { return *other == held; }))
        fault(name + "an immovable allocation is not repeated");
    const bool granted = outcome_of(job.job) == OutcomeKind::kGranted;
    if (granted != !planned.empty()) fault(name + "outcome and allocations disagree");
  }

  OutcomeKind outcome_of(JobId id) const {
    for (const auto& outcome : plan_.outcomes)
      if (outcome.job == id) return outcome.kind;
    return OutcomeKind::kWaiting;
  }

  const RoundInput& input_;
  const RoundPlan& plan_;
  PolicyTraits traits_;
  std::map<NodeName, std::vector<GpuType>> types_;
  std::set<Gpu> usable_;
  std::set<Gpu> owned_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> faults(const RoundInput& input, const RoundPlan& plan, const PolicyTraits& traits) {
  return Checker(input, plan, traits).run();
}

std::map<GpuType, std::uint32_t> left_idle(const RoundInput& input, const RoundPlan& plan) {
  std::set<Gpu> free;
  std::map<NodeName, std::vector<GpuType>> types;
  for (const auto& node : input.nodes) {
    types[node.node] = gpu_types_by_index(node.gpus);
    for (const auto gpu : node.idle_gpus) free.insert({node.node, gpu});
  }
  for (const auto& job : input.jobs)
    for (const auto& held : job->held)
      for (const auto& gpu : gpus_of(held))
        if (types.contains(gpu.first)) free.insert(gpu);
  for (const auto& allocation : plan.allocations)
    for (const auto& gpu : gpus_of(allocation)) free.erase(gpu);
  std::map<GpuType, std::uint32_t> idle;
  for (const auto& [node, gpu] : free) ++idle[types[node][gpu]];
  return idle;
}

}  // namespace hadar::testing
