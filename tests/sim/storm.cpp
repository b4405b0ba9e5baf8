#include "tests/sim/storm.hpp"

#include <functional>
#include <map>
#include <sstream>

#include "launchers/policies.hpp"
#include "launchers/simulated_link.hpp"
#include "tests/sim/sim_cases.hpp"

namespace hadar {
namespace {

constexpr double kFaults_s = 120;  // faults come within; all are healed by then
constexpr double kLimit_s = 6000;
constexpr double kLossy_s = 12;  // after a node was lost
const std::vector<GpuType> kTypes{"A", "B", "C"};

class Storm {
 public:
  Storm(std::uint64_t seed, std::string policy) : chance_(seed * 2 + 1), seed_(seed), policy_(std::move(policy)) {}

  StormOutcome run(std::ostream* told) {
    auto started = SimulatedCluster::start(options());
    if (!started) return {started.error().message, "", ""};
    cluster_ = *std::move(started);
    add_jobs();
    const auto faults = chance_.below(7);
    const bool only_drains = chance_.below(4) == 0;
    for (std::uint64_t i = 0; i < faults; ++i) only_drains ? add_drain() : add_fault();
    cluster_->at(kFaults_s, [this] { heal_all(); });
    if (told) *told << plan_.str() << std::flush;
    StormOutcome outcome;
    const bool ended = cluster_->run_until_ended(kLimit_s);
    cluster_->run_until(cluster_->now_s() + 60);
    auto wrong = check_log(cluster_->events(), true, only_drains ? DrainSlack{2, 5} : DrainSlack{});
    for (const auto& line : cluster_->violations()) wrong.push_back(line);
    if (!ended) wrong.push_back("not all jobs ended by " + std::to_string(kLimit_s) + " s");
    if (cluster_->events().size() > 20000)
      wrong.push_back(std::to_string(cluster_->events().size()) + " events: something goes round in circles");
    outcome.wrong = joined(wrong);
    outcome.plan = plan_.str();
    outcome.events = cluster_->event_lines();
    return outcome;
  }

 private:
  SimulatedClusterOptions options() {
    SimulatedClusterOptions options;
    options.seed = seed_;
    options.shuffle = chance_.below(2) == 1;
    const auto& all = policies();
    options.scheduler.policy = std::string(all[chance_.below(all.size())].name);
    if (!policy_.empty()) options.scheduler.policy = policy_;
    options.scheduler.round_s = 5 + 15 * chance_.fraction();
    options.scheduler.request_limit_s = 1 + 3 * chance_.fraction();
    options.scheduler.dead_after_s = dead_after_s_ = 3 + 10 * chance_.fraction();
    options.scheduler.waiting_window_s = 3 + 10 * chance_.fraction();
    options.scheduler.outage_grace_s = 10 + 50 * chance_.fraction();
    options.link_delay_s = chance_.below(3) == 0 ? 0 : 0.05 * chance_.fraction();
    options.silence_s = silence_s_ = 2 * chance_.fraction();
    options.load_s = chance_.below(2) == 0 ? 0 : chance_.fraction();
    options.save_s = chance_.below(2) == 0 ? 0 : 0.5 * chance_.fraction();
    const auto nodes = 1 + chance_.below(5);
    for (std::uint64_t i = 0; i < nodes; ++i) {
      const auto name = "n" + std::to_string(i + 1);
      options.nodes.push_back(
          node_of(name, kTypes[chance_.below(kTypes.size())], 1 + static_cast<std::uint32_t>(chance_.below(3))));
      nodes_.push_back(name);
      of_type_[options.nodes.back().gpus.front().type] += options.nodes.back().gpus.front().count;
      gpus_ += options.nodes.back().gpus.front().count;
    }
    for (const auto& [type, count] : of_type_) largest_ = std::max(largest_, count);
    if (find_policy(options.scheduler.policy)->mixes_types) largest_ = gpus_;
    if (options.scheduler.policy == "allox") largest_ = 1;
    plan_ << "policy " << options.scheduler.policy << ", round " << options.scheduler.round_s << " s, " << nodes
          << " nodes, " << gpus_ << " GPUs, shuffle " << options.shuffle << "\n";
    return options;
  }

  void add_jobs() {
    const auto jobs = 1 + chance_.below(6);
    for (std::uint64_t i = 0; i < jobs; ++i) {
      const auto gpus =
          chance_.below(3) == 0 ? 1 + static_cast<std::uint32_t>(chance_.below(std::min(largest_, 4U))) : 1;
      auto spec = sleep_job("job" + std::to_string(i + 1), gpus, 1 + chance_.below(600),
                            {{"A", 10}, {"B", 6}, {"C", 2 + 2 * chance_.fraction()}});
      spec.forkable = chance_.below(4) != 0;
      spec.sleep.checkpoint_bytes = chance_.below(2) == 0 ? 0 : 1 + chance_.below(200);
      if (chance_.below(3) == 0) spec.checkpoint_every_s = 1 + 5 * chance_.fraction();
      if (chance_.below(8) == 0) spec.sleep.crash_at_step = 1 + chance_.below(50);
      const auto t_s = 40 * chance_.fraction();
      plan_ << t_s << " s: submit " << spec.name << ", " << gpus << " GPUs, " << spec.total_steps << " steps"
            << (spec.forkable ? ", forkable" : "") << ", checkpoints of " << spec.sleep.checkpoint_bytes
            << " bytes every " << spec.checkpoint_every_s << " s, crash at " << spec.sleep.crash_at_step << "\n";
      cluster_->submit(spec, t_s);
      if (chance_.below(10) == 0) command(spec.name, t_s);
    }
  }

  void command(const std::string& job, double t_s) {
    const auto when = t_s + 20 * chance_.fraction();
    if (chance_.below(2) == 0)
      return act(when, "cancel " + job, [this, job] { cluster_->command(CommandJob{job, JobAction::kCancel}); });
    act(when, "hold " + job, [this, job] { cluster_->command(CommandJob{job, JobAction::kHold}); });
    for (double t = when + 5; t < kFaults_s + 60; t += 20)
      act(t, "release " + job, [this, job] { cluster_->command(CommandJob{job, JobAction::kRelease}); });
  }

  void act(double t_s, const std::string& what, std::function<void()> action, std::uint64_t after = 0) {
    plan_ << t_s << " s + " << after << " messages: " << what << "\n";
    cluster_->at(t_s, std::move(action), after);
  }

  // A node that the scheduler has lost trains on and reports: now and then while the words that say so are lost too.
  void cut(const NodeName& node, SimulatedRole role, double from_s, double until_s, std::uint64_t after) {
    const bool scheduler = role == SimulatedRole::kScheduler;
    act(
        from_s, "cut " + node + " from the " + (scheduler ? "scheduler" : "tracker"),
        [this, node, role] { cluster_->cut_link(node, role); }, after);
    if (scheduler && chance_.below(2) == 0) {
      const auto lost_s = from_s + silence_s_ + dead_after_s_;
      until_s = std::max(until_s, lost_s + kLossy_s);
      LinkTrouble trouble;
      trouble.loss = 0.7;
      act(lost_s - 0.5, "the roles lose messages", [this, trouble] { cluster_->disturb_roles(trouble); });
      act(lost_s + kLossy_s, "no longer", [this] { cluster_->disturb_roles({}); });
    }
    act(
        until_s, "heal it", [this, node, role] { cluster_->heal_link(node, role); }, after);
  }

  void drain(const NodeName& node, double t_s, double deadline_s, double until_s) {
    act(t_s, "drain " + node + " within " + std::to_string(deadline_s) + " s", [this, node, deadline_s] {
      cluster_->command(CommandNode{node, NodeAction::kDrain, "test", deadline_s});
    });
    for (double t = until_s; t < kFaults_s + 60; t += 20)
      act(t, "undrain " + node, [this, node] { cluster_->command(CommandNode{node, NodeAction::kUndrain, "", 0}); });
  }

  // Without a deadline its leases may go on as long as they were to.
  void add_drain() {
    const auto from = 1 + 80 * chance_.fraction();
    const auto deadline = chance_.below(3) == 0 ? 0 : 0.1 + 8 * chance_.fraction();
    drain(nodes_[chance_.below(nodes_.size())], from, deadline, from + 60 * chance_.fraction());
  }

  void add_fault() {
    const auto from = 1 + 80 * chance_.fraction();
    const auto until = from + 0.05 + (chance_.below(2) == 0 ? 3 : 30) * chance_.fraction();
    const auto after = chance_.below(2) == 0 ? 0 : chance_.below(200);
    const auto node = nodes_[chance_.below(nodes_.size())];
    const auto role = chance_.below(2) == 0 ? SimulatedRole::kScheduler : SimulatedRole::kTracker;
    const std::string role_name = role == SimulatedRole::kScheduler ? "scheduler" : "tracker";
    switch (chance_.below(8)) {
      case 0:
        act(
            from, "kill " + node, [this, node] { cluster_->kill_node(node); }, after);
        act(
            until, "restart " + node, [this, node] { cluster_->restart_node(node); }, after);
        return;
      case 1:
      case 2:
        act(
            from, "kill the " + role_name, [this, role] { cluster_->kill(role); }, after);
        act(
            until, "restart the " + role_name, [this, role] { cluster_->restart(role); }, after);
        return;
      case 3: cut(node, role, from, until, after); return;
      case 4:
        act(
            from, "cut the roles apart", [this] { cluster_->cut_roles(); }, after);
        act(
            until, "heal them", [this] { cluster_->heal_roles(); }, after);
        return;
      case 5:
      case 6: {
        LinkTrouble trouble;
        trouble.delay_s = 0.1 * chance_.fraction();
        if (chance_.below(2) == 0) trouble.loss = 0.2 * chance_.fraction();
        if (chance_.below(2) == 0) trouble.duplication = 0.3 * chance_.fraction();
        if (chance_.below(2) == 0) trouble.reordering = chance_.fraction();
        std::ostringstream what;
        what << "links delay " << trouble.delay_s << " s, lose " << trouble.loss << ", double " << trouble.duplication
             << ", reorder " << trouble.reordering;
        act(
            from, what.str(), [this, trouble] { cluster_->disturb_links(trouble); }, after);
        act(
            until, "links are themselves again", [this] { cluster_->disturb_links({}); }, after);
        return;
      }
      default: {
        const double factor = chance_.below(3) == 0 ? 0 : chance_.fraction();
        act(
            from, node + " slows down to " + std::to_string(factor),
            [this, node, factor] { cluster_->slow_node(node, factor); }, after);
        act(
            until, node + " is itself again", [this, node] { cluster_->slow_node(node, 1); }, after);
        if (chance_.below(3) == 0) drain(node, from, 2, chance_.below(2) == 0 ? until : from + 90);
      }
    }
  }

  void heal_all() {
    cluster_->disturb_links({});
    for (const auto role : {SimulatedRole::kTracker, SimulatedRole::kScheduler}) {
      cluster_->restart(role);
      for (const auto& node : nodes_) cluster_->heal_link(node, role);
    }
    cluster_->heal_roles();
    for (const auto& node : nodes_) {
      cluster_->restart_node(node);
      cluster_->slow_node(node, 1);
    }
  }

  SimulatedChance chance_;
  std::uint64_t seed_;
  std::string policy_;
  std::unique_ptr<SimulatedCluster> cluster_;
  std::vector<NodeName> nodes_;
  double dead_after_s_ = 0;
  double silence_s_ = 0;
  std::uint32_t gpus_ = 0;
  std::map<GpuType, std::uint32_t> of_type_;
  std::uint32_t largest_ = 0;  // gang that the policy can place here
  std::ostringstream plan_;
};

}  // namespace

StormOutcome run_storm(std::uint64_t seed, const std::string& policy, std::ostream* told) {
  return Storm(seed, policy).run(told);
}

}  // namespace hadar
