#include "launchers/simulation.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "actors/policy/feasibility.hpp"
#include "launchers/makespan_bound.hpp"
#include "launchers/policies.hpp"

namespace hadar {
namespace {

constexpr double kGavelStart_s = 10;              // Gavel's nodes are all there at its time 0
constexpr double kYears_s = 100.0 * 365 * 86400;  // virtual nanoseconds fit in 63 bits for 292 years
constexpr std::uint64_t kTellEvery = 2000;        // events between two words of progress

SimulatedRole role_of(FaultyRole role) {
  return role == FaultyRole::kScheduler ? SimulatedRole::kScheduler : SimulatedRole::kTracker;
}

// Speed on an equal share of every type, as Gavel's isolated policy gives it.
std::function<double(const JobSpec&, double)> isolated_speed(const ThroughputBook& book,
                                                             const std::vector<NodeInventory>& nodes) {
  return [book, totals = totals_of(nodes)](const JobSpec& spec, double n) {
    double time = 0;
    double steps = 0;
    for (const auto& [type, count] : totals) {
      const auto& allowed = spec.gpu_types;
      if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), type) == allowed.end()) continue;
      const auto part = count / (n * spec.gpus);
      time += part;
      steps += part * book.declared(spec, type);
    }
    return steps / std::max(1.0, time);
  };
}

// The types on which a job runs at all: those with a speed in the book, for its gang or for one GPU. Empty: it runs
// nowhere.
std::vector<GpuType> types_with_speed(const ThroughputBook& book, const JobSpec& spec, const GpuTotals& totals) {
  std::vector<GpuType> types;
  for (const auto& [type, count] : totals)
    if (book.declared(spec, type) > 0) types.push_back(type);
  return types;
}

// A type without a speed would hold its GPUs for ever.
std::optional<Reason> restrict_to_known_speeds(JobSpec& spec, const ThroughputBook& book, const GpuTotals& totals) {
  if (spec.workload == "sleep" && spec.gpu_types.empty())
    for (const auto& [type, speed] : spec.sleep.steps_per_s) spec.gpu_types.push_back(type);
  if (spec.workload != kTraceWorkload) return std::nullopt;
  auto types = types_with_speed(book, spec, totals);
  if (!spec.gpu_types.empty())
    std::erase_if(types, [&](const GpuType& type) {
      return std::find(spec.gpu_types.begin(), spec.gpu_types.end(), type) == spec.gpu_types.end();
    });
  if (types.empty())
    return Reason{"infeasible_no_speed",
                  "no speed is known of model " + spec.model + " with batch size " + std::to_string(spec.batch_size) +
                      " on any GPU type here",
                  {{"gpus", spec.gpus}, {"batch_size", spec.batch_size}}};
  spec.gpu_types = std::move(types);
  return std::nullopt;
}

class Simulation {
 public:
  Simulation(const SimulationOptions& options, const std::vector<TraceJob>& workload)
      : options_(options), workload_(workload), collector_(figure_options()) {}

  Result<SimulationResult> run() {
    auto started = SimulatedCluster::start(cluster_options());
    if (!started) return fail(std::move(started));
    cluster_ = *std::move(started);
    SimulationResult result;
    submit_all(result);
    for (const auto& fault : options_.faults)
      if (auto planned = plan(fault); !planned) return fail(std::move(planned));
    result.ended = cluster_->run_until_ended(options_.limit_s > 0 ? std::min(options_.limit_s, kYears_s) : kYears_s);
    result.now_s = cluster_->now_s();
    result.violations = cluster_->violations();
    result.failed = std::move(failed_);
    result.figures = collector_.figures();
    const bool all_completed = ended_ - result.failed.size() + result.infeasible.size() == workload_.size();
    if (result.ended && all_completed) result.figures.makespan_bound_s = bound(result.infeasible);
    return result;
  }

 private:
  FigureOptions figure_options() const {
    FigureOptions figures;
    figures.nodes = options_.nodes;
    figures.cost_per_gpu_h = options_.cost_per_gpu_h;
    figures.isolated_speed = isolated_speed(ThroughputBook(options_.throughputs, options_.time_scale), options_.nodes);
    figures.merge_efficiency = options_.merge_efficiency;
    figures.first_measured = options_.first_measured;
    figures.last_measured = options_.last_measured;
    return figures;
  }

  SimulatedClusterOptions cluster_options() {
    SimulatedClusterOptions cluster;
    cluster.seed = options_.seed;
    cluster.scheduler.policy = options_.policy;
    cluster.scheduler.round_s = options_.round_s;
    cluster.policy = options_.settings;
    cluster.prices = options_.prices;
    cluster.tracker.time_scale = options_.time_scale;
    cluster.throughputs = options_.throughputs;
    cluster.pairs = options_.pairs;
    if (options_.gavel_2022) follow_gavel(cluster);
    cluster.nodes = options_.nodes;
    cluster.costs = options_.costs;
    cluster.noise = options_.noise;
    cluster.merge_efficiency = options_.merge_efficiency;
    cluster.spread_factor = options_.spread_factor;
    cluster.coalesce_s = 0;
    if (options_.faults.empty()) {  // then every request is answered, and a limit would only cost a timer
      cluster.scheduler.request_limit_s = std::numeric_limits<double>::infinity();
      cluster.scheduler.prepare_limit_s = cluster.scheduler.plan_limit_s = cluster.scheduler.request_limit_s;
    }
    cluster.planned = options_.planned;
    cluster.keep_events = std::any_of(options_.faults.begin(), options_.faults.end(), [](const Fault& fault) {
      return fault.role == FaultyRole::kJobTracker && fault.kind != FaultKind::kPartition;
    });
    cluster.observer = [this](const Event& event) { observe(event); };
    return cluster;
  }

  void follow_gavel(SimulatedClusterOptions& cluster) const {
    cluster.gavel_2022 = true;
    double last_s = 0;
    for (const auto& job : workload_) last_s = std::max(last_s, job.arrival_s);
    cluster.policy["compat"] = std::string("gavel-2022");
    cluster.policy["seed"] = static_cast<double>(options_.seed);
    cluster.policy["start_s"] = start_s();
    cluster.policy["last_arrival_s"] = last_s;
  }

  // Arrivals count from here.
  [[nodiscard]] double start_s() const { return options_.gavel_2022 ? kGavelStart_s : 0; }

  void observe(const Event& event) {
    collector_.add(event);
    if (options_.observer) options_.observer(event);
    if (const auto* submitted = std::get_if<event::Submitted>(&event.body))
      names_[submitted->job] = submitted->spec.name;
    if (const auto* failed = std::get_if<event::Failed>(&event.body))
      failed_.push_back({names_.at(failed->job), failed->reason});
    const bool completed = std::holds_alternative<event::Completed>(event.body);
    ended_ += completed || std::holds_alternative<event::Failed>(event.body) ? 1 : 0;
    if (options_.progress && ++seen_ % kTellEvery == 0) options_.progress(ended_, event.t_s);
  }

  // Saves matter to who looks at progress or loses it in a fault.
  double checkpoint_s() const {
    if (options_.checkpoint_s) return *options_.checkpoint_s;
    if (options_.gavel_2022) return kYears_s;
    const auto* entry = find_policy(options_.policy);
    const bool needed = !options_.faults.empty() || entry == nullptr || entry->looks_at_progress;
    return needed ? 0 : kYears_s;
  }

  void submit_all(SimulationResult& result) {
    const auto totals = totals_of(options_.nodes);
    const ThroughputBook book(options_.throughputs, options_.time_scale);
    const auto every_s = checkpoint_s();
    for (std::size_t i = 0; i < workload_.size(); ++i) {
      auto spec = workload_[i].spec;
      if (spec.checkpoint_every_s == 0) spec.checkpoint_every_s = every_s;
      spec.effective_steps = spec.effective_steps || options_.merge_efficiency.has_value();
      auto why = restrict_to_known_speeds(spec, book, totals);
      if (!why) why = infeasible(demand_of(spec), totals);
      if (!why) why = needs_several_types(spec, totals);
      if (why)
        result.infeasible.push_back({i, *std::move(why)});
      else
        cluster_->submit(spec, start_s() + workload_[i].arrival_s);
    }
  }

  // A gang that no type has enough GPUs for would wait for ever under a policy that gives it one type's only.
  [[nodiscard]] std::optional<Reason> needs_several_types(const JobSpec& spec, const GpuTotals& totals) const {
    const auto* entry = find_policy(options_.policy);
    if (entry == nullptr || entry->mixes_types) return std::nullopt;
    std::uint32_t most = 0;
    for (const auto& [type, count] : totals)
      if (spec.gpu_types.empty() ||
          std::find(spec.gpu_types.begin(), spec.gpu_types.end(), type) != spec.gpu_types.end())
        most = std::max(most, count);
    if (spec.gpus <= most) return std::nullopt;
    return Reason{"infeasible_one_type",
                  "wants " + std::to_string(spec.gpus) + " GPUs, which " + options_.policy +
                      " takes of one type; this cluster has at most " + std::to_string(most) +
                      " of a type that the job runs on",
                  {{"gpus", spec.gpus}, {"most", most}}};
  }

  // None for policies that may give a job more GPUs than its gang, or two jobs the same ones; nor where speeds vary or
  // jobs may fail.
  [[nodiscard]] std::optional<double> bound(const std::vector<InfeasibleJob>& never) const {
    if (options_.noise > 0 || !options_.faults.empty()) return std::nullopt;
    const auto policy = make_policy(options_.policy, options_.settings);
    if (!policy || (*policy)->traits().forks || (*policy)->traits().shares_gpus) return std::nullopt;
    std::vector<TraceJob> jobs;
    auto next = never.begin();
    for (std::size_t i = 0; i < workload_.size(); ++i) {
      if (next != never.end() && next->index == i)
        ++next;
      else
        jobs.push_back(workload_[i]);
    }
    return makespan_bound(jobs, options_.nodes, ThroughputBook(options_.throughputs, options_.time_scale));
  }

  // ---- faults ----

  void during(const Fault& fault, std::function<void()> begin, std::function<void()> end) {
    cluster_->at(fault.at_s, std::move(begin));
    const bool at_once = fault.kind == FaultKind::kRestart;
    if (at_once || fault.for_s > 0) cluster_->at(fault.at_s + fault.for_s, std::move(end));
  }

  Status plan(const Fault& fault) {
    auto& cluster = *cluster_;
    const auto& node = fault.node;
    const auto known = [&](const NodeInventory& inventory) { return inventory.name == node; };
    if (!node.empty() && std::none_of(options_.nodes.begin(), options_.nodes.end(), known))
      return fail(ErrorCode::kInvalidArgument,
                  "faults: no node '" + node + "' in this cluster; its first is " + options_.nodes.front().name);
    const auto role = role_of(fault.role);
    switch (fault.kind) {
      case FaultKind::kCrash:
      case FaultKind::kRestart:
        if (node.empty())
          during(
              fault, [&cluster, role] { cluster.kill(role); }, [&cluster, role] { cluster.restart(role); });
        else
          during(
              fault, [&cluster, node] { cluster.kill_node(node); }, [&cluster, node] { cluster.restart_node(node); });
        break;
      case FaultKind::kSlow:
        during(
            fault, [&cluster, fault] { cluster.slow_node(fault.node, fault.factor); },
            [&cluster, node] { cluster.slow_node(node, 1); });
        break;
      case FaultKind::kPartition:
        if (node.empty())
          during(
              fault, [&cluster] { cluster.cut_roles(); }, [&cluster] { cluster.heal_roles(); });
        else
          during(
              fault, [&cluster, node, role] { cluster.cut_link(node, role); },
              [&cluster, node, role] { cluster.heal_link(node, role); });
        break;
      case FaultKind::kDelay: trouble(fault, &LinkTrouble::delay_s, fault.delay_s); break;
      case FaultKind::kLoss: trouble(fault, &LinkTrouble::loss, fault.part); break;
      case FaultKind::kDuplication: trouble(fault, &LinkTrouble::duplication, fault.part); break;
      case FaultKind::kReordering: trouble(fault, &LinkTrouble::reordering, fault.part); break;
    }
    return {};
  }

  void trouble(const Fault& fault, double LinkTrouble::*what, double value) {
    const auto set = [this, what](double to) {
      trouble_.*what = to;
      cluster_->disturb_links(trouble_);
    };
    during(
        fault, [set, value] { set(value); }, [set] { set(0); });
  }

  const SimulationOptions& options_;
  const std::vector<TraceJob>& workload_;
  FigureCollector collector_;
  LinkTrouble trouble_;
  std::uint64_t seen_ = 0;
  std::uint64_t ended_ = 0;
  std::map<JobId, std::string> names_;
  std::vector<FailedJob> failed_;
  std::unique_ptr<SimulatedCluster> cluster_;  // goes first: its actors still tell of events
};

}  // namespace

Result<SimulationResult> run_simulation(const SimulationOptions& options, const std::vector<TraceJob>& workload) {
  return Simulation(options, workload).run();
}

}  // namespace hadar
