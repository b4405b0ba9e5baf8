// One fault at a time, in the middle of a round: every job still ends with exactly its steps.
#include <gmock/gmock.h>

#include "tests/sim/sim_cases.hpp"

namespace hadar {
namespace {

class OneFault : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto options = five_nodes(GetParam(), 6);
    options.scheduler.dead_after_s = 3;
    options.scheduler.waiting_window_s = 3;
    options.scheduler.request_limit_s = 1;
    options.link_delay_s = 0.001;
    auto started = SimulatedCluster::start(options);
    ASSERT_TRUE(started.has_value());
    cluster_ = *std::move(started);
    for (int i = 0; i < 3; ++i) {
      auto spec = sleep_job("job" + std::to_string(i), 1, 400, five_speeds());
      spec.sleep.checkpoint_bytes = 64;
      cluster_->submit(spec, 0);
    }
  }

  void finish() {
    ASSERT_TRUE(cluster_->run_until_ended(1000)) << cluster_->event_lines();
    cluster_->run_until(cluster_->now_s() + 60);
    EXPECT_EQ(joined(check_log(cluster_->events(), true)), "");
    EXPECT_EQ(joined(cluster_->violations()), "");
    EXPECT_EQ(count_of<event::Completed>(cluster_->events()), 3U);
  }

  std::unique_ptr<SimulatedCluster> cluster_;
};

TEST_P(OneFault, NodeKilledForGood) {
  cluster_->at(8.3, [this] { cluster_->kill_node("n1"); });
  finish();
  EXPECT_EQ(count_of<event::NodeLost>(cluster_->events()), 1U);
}

TEST_P(OneFault, NodeKilledAndBackBeforeItIsMissed) {
  cluster_->at(8.3, [this] { cluster_->kill_node("n1"); });
  cluster_->at(8.4, [this] { cluster_->restart_node("n1"); });
  finish();
  EXPECT_EQ(count_of<event::NodeUp>(cluster_->events()), 6U) << "the new process is a new epoch";
}

TEST_P(OneFault, TrackerKilledAndRestarted) {
  cluster_->at(8.3, [this] { cluster_->kill(SimulatedRole::kTracker); });
  cluster_->at(11.1, [this] { cluster_->restart(SimulatedRole::kTracker); });
  finish();
}

TEST_P(OneFault, TrackerKilledAtABorder) {
  cluster_->at(
      12.0, [this] { cluster_->kill(SimulatedRole::kTracker); }, 25);
  cluster_->at(13.1, [this] { cluster_->restart(SimulatedRole::kTracker); });
  finish();
}

TEST_P(OneFault, SchedulerKilledAndRestarted) {
  cluster_->at(8.3, [this] { cluster_->kill(SimulatedRole::kScheduler); });
  cluster_->at(11.1, [this] { cluster_->restart(SimulatedRole::kScheduler); });
  finish();
  EXPECT_EQ(count_of<event::SchedulerStarted>(cluster_->events()), 2U);
  EXPECT_EQ(count_of<event::NodeLost>(cluster_->events()), 0U) << "nodes trained on and were taken back";
}

TEST_P(OneFault, LinkCutBeyondTheDeadTimeThenHealed) {
  cluster_->at(8.3, [this] { cluster_->cut_link("n1", SimulatedRole::kScheduler); });
  cluster_->at(20, [this] { cluster_->heal_link("n1", SimulatedRole::kScheduler); });
  finish();
  EXPECT_EQ(count_of<event::NodeLost>(cluster_->events()), 1U);
}

TEST_P(OneFault, LinkToTheTrackerCutThenHealed) {
  cluster_->at(5.1, [this] { cluster_->cut_link("n1", SimulatedRole::kTracker); });
  cluster_->at(25, [this] { cluster_->heal_link("n1", SimulatedRole::kTracker); });
  finish();
  EXPECT_EQ(count_of<event::NodeLost>(cluster_->events()), 0U);
}

TEST_P(OneFault, SchedulerAndTrackerCutApartThenHealed) {
  cluster_->at(5.9, [this] { cluster_->cut_roles(); });
  cluster_->at(14, [this] { cluster_->heal_roles(); });
  finish();
}

TEST_P(OneFault, NodeThatHangs) {
  cluster_->at(8.3, [this] { cluster_->slow_node("n1", 0); });
  cluster_->at(60, [this] { cluster_->slow_node("n1", 1); });
  finish();
}

TEST_P(OneFault, DrainedNodeGetsNothingNew) {
  cluster_->at(8.3, [this] { cluster_->command(CommandNode{"n1", NodeAction::kDrain, "test", 1}); });
  finish();
  double drained_t_s = 0;
  for (const auto& event : cluster_->events()) {
    if (std::holds_alternative<event::NodeDraining>(event.body)) drained_t_s = event.t_s;
    const auto* granted = std::get_if<event::LeasesGranted>(&event.body);
    if (!granted || drained_t_s == 0 || event.t_s < drained_t_s + 0.1) continue;
    for (const auto& lease : granted->leases) EXPECT_NE(lease.node, "n1");
  }
  EXPECT_EQ(count_of<event::NodeDrained>(cluster_->events()), 1U);
}

TEST(LostFork, LeavesItsLastCheckpointToTheMerge) {
  auto options = five_nodes("hadare", 20);
  options.scheduler.dead_after_s = 3;
  options.link_delay_s = 0.001;
  auto started = SimulatedCluster::start(options);
  ASSERT_TRUE(started.has_value());
  auto& cluster = **started;
  auto spec = sleep_job("job", 1, 1000, five_speeds());
  spec.sleep.checkpoint_bytes = 64;
  spec.checkpoint_every_s = 2;
  cluster.submit(spec, 0);
  cluster.at(12.5, [&] { cluster.kill_node("n1"); });
  ASSERT_TRUE(cluster.run_until_ended(1000)) << cluster.event_lines();
  EXPECT_EQ(joined(check_log(cluster.events(), true)), "");
  std::uint64_t saved = 0;
  for (const auto& event : cluster.events()) {
    const auto* merged = std::get_if<event::Consolidated>(&event.body);
    if (!merged) continue;
    for (const auto& fork : merged->forks)
      if (fork.in && saved == 0 && fork.steps > 80 && merged->forks.size() == 5) saved = fork.steps;
    break;
  }
  EXPECT_GE(saved, 90U) << "it had run at 10 steps a second and saved every 2 s";
  EXPECT_LE(saved, 125U);
}

// Four copies, rounds of 10 s, 3 s of grace. The node of one dies before the border, another cannot reach the tracker:
// the merge is done without them, their steps are not counted, and the next copies are three on the new version.
TEST(LostForks, AreLeftOutOfTheMergeWhoseGraceIsOver) {
  auto options = five_nodes("hadare", 10);
  options.nodes.pop_back();
  options.scheduler.dead_after_s = 2;
  options.tracker.merge_grace_s = 3;
  options.link_delay_s = 0.001;
  auto started = SimulatedCluster::start(options);
  ASSERT_TRUE(started.has_value());
  auto& cluster = **started;
  cluster.submit(sleep_job("job", 1, 1000, {{"A", 10}, {"B", 10}, {"C", 10}, {"D", 10}}), 0);
  cluster.at(5, [&] { cluster.cut_link("n3", SimulatedRole::kTracker); });
  cluster.at(9.5, [&] { cluster.kill_node("n2"); });
  cluster.at(15, [&] { cluster.heal_link("n3", SimulatedRole::kTracker); });
  ASSERT_TRUE(cluster.run_until_ended(1000)) << cluster.event_lines();
  EXPECT_EQ(joined(check_log(cluster.events(), true)), "");
  std::map<LeaseId, NodeName> node_of_lease;
  std::set<NodeName> in;
  std::set<NodeName> out;
  std::set<NodeName> next;
  for (const auto& event : cluster.events()) {
    if (const auto* granted = std::get_if<event::LeasesGranted>(&event.body))
      for (const auto& lease : granted->leases) {
        node_of_lease[lease.id] = lease.node;
        if (lease.base.version == 1) next.insert(lease.node);
      }
    const auto* merged = std::get_if<event::Consolidated>(&event.body);
    if (merged == nullptr || merged->version.version != 1) continue;
    EXPECT_LE(event.t_s, 14);
    std::uint64_t steps = 0;
    for (const auto& fork : merged->forks) {
      (fork.in ? in : out).insert(node_of_lease.at(fork.lease));
      steps += fork.in ? fork.steps : 0;
      EXPECT_EQ(fork.in, fork.reason.empty()) << fork.reason;
    }
    EXPECT_EQ(merged->credited, steps);
  }
  EXPECT_EQ(in, (std::set<NodeName>{"n1", "n4"}));
  EXPECT_TRUE(out.contains("n3"));
  EXPECT_EQ(next, (std::set<NodeName>{"n1", "n3", "n4"}));
}

INSTANTIATE_TEST_SUITE_P(Policies, OneFault, testing::Values("hadare", "hadar", "yarn-cs"), [](const auto& policy) {
  auto name = policy.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace hadar
