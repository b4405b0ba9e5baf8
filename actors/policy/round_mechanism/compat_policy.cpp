#include "actors/policy/round_mechanism/compat_policy.hpp"

#include <algorithm>

#include "actors/policy/gavel/question.hpp"
#include "actors/policy/round_mechanism/gavel_2022_shares.hpp"
#include "actors/policy/round_mechanism/mechanism_memory.hpp"

namespace hadar {
namespace {

constexpr double kClockNoise_s = 1e-5;  // the cluster's clock against the mechanism's own
constexpr int kMostEmptyRounds = 64;    // one after the other in which nothing can be granted

// "Perf" and "Packing" policies serve types in a fixed order; of ours these stand for the others.
bool shuffles(const GavelRule& rule) {
  return rule.name == "gavel-isolated" || rule.name.ends_with("-agnostic");
}

// A type's GPUs in the order in which they are numbered.
struct Worker {
  std::uint32_t node = 0;
  std::uint32_t gpu = 0;
};

// One call of plan().
class Call {
 public:
  Call(const RoundInput& input, const ClusterIndex& cluster, const GavelRule& rule, const CompatSettings& settings)
      : input_(input), cluster_(cluster), rule_(rule), settings_(settings) {
    for (std::uint32_t type = 0; type < cluster.types(); ++type)
      for (std::uint32_t node = 0; node < cluster.nodes(); ++node)
        for (std::uint32_t gpu = 0; gpu < cluster.gpu_types(node).size(); ++gpu)
          if (cluster.gpu_types(node)[gpu] == type) workers_.push_back({node, gpu});
    world_.speeds = [this](const Combination& what, std::size_t type) { return speeds(what, type); };
    world_.shares = [this](std::vector<Gavel2022Active>& active, double now_s) { return shares(active, now_s); };
  }

  Result<RoundPlan> run() {
    Gavel2022Settings settings;
    settings.round_s = input_.round_s;
    settings.reset_gap_s = settings_.reset_gap_s;
    settings.zero_shares_run = !rule_.strict_queue;
    settings.shuffle_types = shuffles(rule_);
    settings.packs = rule_.shares_gpus;
    settings.seed = settings_.question.seed;
    for (std::uint32_t type = 0; type < cluster_.types(); ++type) settings.gpus.push_back(cluster_.installed(type));
    auto kept = read_gavel_2022(input_.memory, cluster_.types());
    Gavel2022 mechanism(settings, world_, kept ? *std::move(kept) : Gavel2022State{});
    if (auto played = play(mechanism); !played) return fail(std::move(played));
    return plan_of(mechanism);
  }

 private:
  [[nodiscard]] const JobView* find(JobId id) const {
    const auto it = std::lower_bound(input_.jobs.begin(), input_.jobs.end(), id,
                                     [](const auto& job, JobId key) { return job->job < key; });
    return it != input_.jobs.end() && (*it)->job == id ? it->get() : nullptr;
  }

  [[nodiscard]] double declared(const JobView& job, std::size_t type) const {
    const auto& name = cluster_.type_name(static_cast<std::uint32_t>(type));
    const bool allowed =
        job.gpu_types.empty() || std::find(job.gpu_types.begin(), job.gpu_types.end(), name) != job.gpu_types.end();
    for (const auto& estimate : job.estimates)
      if (allowed && estimate.type == name && estimate.placement == Placement::kPacked &&
          estimate.source == EstimateSource::kDeclared)
        return estimate.steps_per_s;
    return 0;
  }

  [[nodiscard]] std::array<double, 2> speeds(const Combination& what, std::size_t type) const {
    const auto* a = find(what.a);
    const auto* b = what.pair() ? find(what.b) : nullptr;
    if (a == nullptr) return {0, 0};
    if (!what.pair()) return {declared(*a, type), 0};
    if (b == nullptr) return {0, 0};
    const auto together = pair_speeds(input_, cluster_, *a, *b);
    return together.empty() ? std::array<double, 2>{0, 0} : together[type];
  }

  Result<std::vector<CombinationShares>> shares(std::vector<Gavel2022Active>& active, double now_s) const {
    std::vector<std::size_t> jobs;
    std::vector<std::vector<double>> alone;
    std::vector<Gavel2022Active*> asked;
    for (auto& job : active) {
      const auto* view = find(job.job.job);
      if (view == nullptr) continue;
      jobs.push_back(place_of(job.job.job));
      asked.push_back(&job);
      auto& row = alone.emplace_back();
      for (std::uint32_t type = 0; type < cluster_.types(); ++type) row.push_back(declared(*view, type));
    }
    std::vector<CombinationShares> out;
    if (jobs.empty()) return out;
    auto problem = share_problem(input_, cluster_, jobs, alone, rule_, settings_.question, settings_.start_s + now_s);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      auto& job = problem.jobs[i];
      job.steps_left = static_cast<double>(asked[i]->job.total_steps - asked[i]->steps_done);
      job.age_s = std::max(0.0, now_s - asked[i]->job.arrival_s);
      asked[i]->history.ask(asked[i]->steps_done, gavel::isolated_speed(problem, job, gavel::true_speed));
      job.isolated_history = asked[i]->history.isolated;
    }
    const auto answer = gavel_2022_shares(rule_, problem);
    if (!answer) return tl::unexpected<Error>(answer.error());
    for (std::size_t i = 0; i < asked.size(); ++i) out.push_back({{problem.jobs[i].job, {}}, answer->alone[i]});
    for (const auto& pair : problem.pairs) {  // those without a share count as named too
      const auto found = std::find_if(answer->together.begin(), answer->together.end(),
                                      [&](const PairShare& share) { return share.a == pair.a && share.b == pair.b; });
      out.push_back({pair_of(problem.jobs[pair.a].job, problem.jobs[pair.b].job),
                     found == answer->together.end() ? std::vector<double>(cluster_.types(), 0.0) : found->share});
    }
    return out;
  }

  [[nodiscard]] std::size_t place_of(JobId id) const {
    return static_cast<std::size_t>(std::lower_bound(input_.jobs.begin(), input_.jobs.end(), id,
                                                     [](const auto& job, JobId key) { return job->job < key; }) -
                                    input_.jobs.begin());
  }

  // Brings the mechanism to the present. Rounds in which nothing can be granted take no time of the cluster's.
  Status play(Gavel2022& mechanism) const {
    std::vector<Gavel2022Job> jobs;
    for (const auto& view : input_.jobs)
      jobs.push_back({view->job, view->gpus, view->submitted_t_s - settings_.start_s, view->steps_total});
    const auto now_s = input_.now_s - settings_.start_s;
    if (!mechanism.state().running.empty() && granted(mechanism) && finish_of(mechanism) > now_s + kClockNoise_s)
      return fail(ErrorCode::kInvalidArgument, "gavel-2022: asked at " + std::to_string(now_s) +
                                                   " s, its round ends at " + std::to_string(finish_of(mechanism)) +
                                                   " s; close a round when all its leases have ended");
    const bool more_later = settings_.last_arrival_s < 0 || now_s + kClockNoise_s < settings_.last_arrival_s;
    for (int round = 0; round < kMostEmptyRounds; ++round) {
      const bool idle = mechanism.state().running.empty();
      if (idle && mechanism.next_arrival(jobs) == nullptr && (more_later || mechanism.state().active.empty()))
        return {};
      drop_gone(mechanism);
      if (auto next = mechanism.next_round(jobs, more_later); !next) return next;
      if (granted(mechanism)) return {};
    }
    return {};
  }

  [[nodiscard]] static double finish_of(const Gavel2022& mechanism) {
    double finish_s = 0;
    for (const auto& task : mechanism.state().running) finish_s = std::max(finish_s, task.finish_s);
    return finish_s;
  }

  [[nodiscard]] static bool granted(const Gavel2022& mechanism) {
    const auto& running = mechanism.state().running;
    return std::any_of(running.begin(), running.end(),
                       [](const Gavel2022Task& task) { return task.steps[0] > 0 || task.steps[1] > 0; });
  }

  // Jobs that ended in a way the mechanism did not bring about.
  void drop_gone(Gavel2022& mechanism) const {
    std::vector<JobId> gone;
    for (const auto& job : mechanism.state().active) {
      const bool runs = std::any_of(mechanism.state().running.begin(), mechanism.state().running.end(),
                                    [&](const Gavel2022Task& task) { return task.what.has(job.job.job); });
      if (!runs && find(job.job.job) == nullptr) gone.push_back(job.job.job);
    }
    for (const auto job : gone) mechanism.remove(job);
  }

  [[nodiscard]] std::vector<GpuSlice> slices_of(const Gavel2022Task& task) const {
    std::map<NodeName, std::vector<std::uint32_t>> by_node;
    for (const auto number : task.workers)
      by_node[cluster_.node_name(workers_[number].node)].push_back(workers_[number].gpu);
    std::vector<GpuSlice> slices;
    for (auto& [node, gpus] : by_node) {
      std::sort(gpus.begin(), gpus.end());
      slices.push_back({node, std::move(gpus)});
    }
    return slices;
  }

  [[nodiscard]] RoundPlan plan_of(const Gavel2022& mechanism) const {
    RoundPlan plan;
    plan.round = input_.round;
    for (const auto& task : mechanism.state().running) {
      const auto speed = speeds(task.what, task.type);
      const auto add = [&](JobId job, JobId other, std::size_t side) {
        if (task.steps[side] == 0 || find(job) == nullptr) return;
        plan.allocations.push_back({{job, 0}, slices_of(task), task.steps[side], false, speed[side], other});
      };
      add(task.what.a, task.what.b, 0);
      if (task.what.pair()) add(task.what.b, task.what.a, 1);
    }
    std::sort(plan.allocations.begin(), plan.allocations.end(),
              [](const Allocation& a, const Allocation& b) { return a.fork < b.fork; });
    for (const auto& view : input_.jobs) plan.outcomes.push_back(outcome(*view, plan));
    plan.memory = write_memory(mechanism.state());
    return plan;
  }

  [[nodiscard]] static Outcome outcome(const JobView& view, const RoundPlan& plan) {
    for (const auto& allocation : plan.allocations)
      if (allocation.fork.job == view.job)
        return {view.job,
                OutcomeKind::kGranted,
                {"granted",
                 std::to_string(view.gpus) + " GPUs, " + std::to_string(allocation.steps_per_s) + " steps/s expected",
                 {{"gpus", static_cast<double>(view.gpus)}, {"steps_per_s", allocation.steps_per_s}}}};
    return {view.job,
            OutcomeKind::kWaiting,
            {"waiting_turn",
             "wants " + std::to_string(view.gpus) + " GPUs; others come first this round",
             {{"wanted", static_cast<double>(view.gpus)}}}};
  }

  const RoundInput& input_;
  const ClusterIndex& cluster_;
  const GavelRule& rule_;
  const CompatSettings& settings_;
  std::vector<Worker> workers_;  // by number
  Gavel2022World world_;
};

class CompatPolicy final : public Policy {
 public:
  CompatPolicy(const GavelRule& rule, CompatSettings settings) : rule_(rule), settings_(std::move(settings)) {}

  [[nodiscard]] PolicyTraits traits() const override { return {false, false, rule_.shares_gpus}; }

  [[nodiscard]] Result<RoundPlan> plan(const RoundInput& input) override {
    auto cluster = ClusterIndex::make(input.nodes);
    if (!cluster) return fail(std::move(cluster));
    if (cluster->types() == 0) return fail(ErrorCode::kInvalidArgument, "gavel-2022: no node is up");
    for (const auto& job : input.jobs)
      if (!job->held.empty())
        return fail(ErrorCode::kInvalidArgument, "gavel-2022: job " + std::to_string(job->job.value) +
                                                     " holds a lease; close a round when all its leases have ended");
    return Call(input, *cluster, rule_, settings_).run();
  }

 private:
  const GavelRule& rule_;
  CompatSettings settings_;
};

}  // namespace

std::unique_ptr<Policy> make_compat_policy(const GavelRule& rule, CompatSettings settings) {
  return std::make_unique<CompatPolicy>(rule, std::move(settings));
}

}  // namespace hadar
