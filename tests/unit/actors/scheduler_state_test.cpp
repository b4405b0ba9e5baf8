// The scheduler's pure parts: leases on GPUs, nodes and their epochs.
#include <gmock/gmock.h>

#include "actors/scheduler/lease_table.hpp"
#include "actors/scheduler/node_table.hpp"
#include "tests/unit/actors/values.hpp"

namespace hadar {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class LeaseTableTest : public testing::Test {
 protected:
  void SetUp() override {
    NodeTable nodes;
    for (const auto* name : {"n1", "n2"}) {
      NodeView view;
      view.inventory = some_node(name, 2);
      view.state = NodeState::kUp;
      view.epoch = Epoch{1};
      nodes.nodes.push_back(view);
    }
    table_.set_nodes(nodes);
  }

  ReconcileNode hello(const std::string& node, std::vector<HeldLease> held) {
    return ReconcileNode{node, 1, Epoch{1}, std::move(held)};
  }

  LeaseTable table_;
};

TEST_F(LeaseTableTest, GpuGoesToOneLeaseAtATime) {
  EXPECT_THAT(table_.begin({some_lease(1, 1, 0, "n1", 10)}), IsEmpty());
  EXPECT_THAT(table_.begin({some_lease(2, 2, 0, "n1", 10)}), SizeIs(1));
  EXPECT_THAT(table_.view()->nodes.front().idle_gpus, ElementsAre(1));
  EXPECT_TRUE(table_.end(LeaseId{1}));
  EXPECT_FALSE(table_.end(LeaseId{1}));
  EXPECT_THAT(table_.begin({some_lease(2, 2, 0, "n1", 10)}), IsEmpty());
}

TEST_F(LeaseTableTest, NodesThatAreNotUpGetNothing) {
  const auto refused = table_.begin({some_lease(1, 1, 0, "n9", 10)});
  ASSERT_THAT(refused, SizeIs(1));
  EXPECT_THAT(refused.front().reason, HasSubstr("not up"));
}

TEST_F(LeaseTableTest, LeaseBeingTakenBackKeepsItsGpuUntilItEnds) {
  ASSERT_THAT(table_.begin({some_lease(1, 1, 0, "n1", 10)}), IsEmpty());
  EXPECT_TRUE(table_.revoke(LeaseId{1}));
  EXPECT_TRUE(table_.revoking(LeaseId{1}));
  EXPECT_THAT(table_.view()->nodes.front().idle_gpus, ElementsAre(1));
}

TEST_F(LeaseTableTest, GangIsWhoeverSharesItsFork) {
  auto other = some_lease(2, 1, 0, "n2", 10);
  ASSERT_THAT(table_.begin({some_lease(1, 1, 0, "n1", 10), other, some_lease(3, 1, 1, "n2", 10)}), SizeIs(1));
  EXPECT_THAT(table_.gang_of(LeaseId{1}), ElementsAre(LeaseId{2}));
}

TEST_F(LeaseTableTest, HelloAfterARestartAdoptsEndsDiscardsAndMissesLeases) {
  table_.restore({some_lease(1, 1, 0, "n1", 10), some_lease(2, 2, 0, "n1", 10), some_lease(3, 3, 0, "n1", 10)});
  std::vector<LeaseId> lost;
  const auto answer = table_.reconcile(hello("n1", {{some_lease(1, 1, 0, "n1", 10), false},
                                                    {some_lease(2, 2, 0, "n1", 10), true},
                                                    {some_lease(7, 7, 0, "n1", 10), false}}),
                                       Epoch{1}, lost);
  EXPECT_THAT(answer.adopt, ElementsAre(LeaseId{1}));
  EXPECT_THAT(answer.discard, ElementsAre(LeaseId{7})) << "nobody knows it any more";
  EXPECT_THAT(lost, ElementsAre(LeaseId{3})) << "the node does not hold it";
  EXPECT_FALSE(table_.revoke(LeaseId{2})) << "it is over";
}

TEST_F(LeaseTableTest, LeaseThatIsOverFreesItsGpuAndIsOwedUntilItIsReported) {
  ASSERT_THAT(table_.begin({some_lease(1, 1, 0, "n1", 10)}), IsEmpty());
  EXPECT_TRUE(table_.over(LeaseId{1}));
  EXPECT_FALSE(table_.over(LeaseId{1})) << "no news";
  EXPECT_THAT(table_.view()->nodes.front().idle_gpus, ElementsAre(0, 1));
  EXPECT_THAT(table_.view()->open, IsEmpty());
  EXPECT_THAT(table_.on_node("n1"), ElementsAre(LeaseId{1}));
  std::vector<LeaseId> lost;
  table_.reconcile(hello("n1", {}), Epoch{1}, lost);
  EXPECT_THAT(lost, ElementsAre(LeaseId{1})) << "its node will never report it";
}

TEST_F(LeaseTableTest, HelloLeavesAPromiseUnderWayAlone) {
  ASSERT_THAT(table_.begin({some_lease(1, 1, 0, "n1", 10)}), IsEmpty());
  std::vector<LeaseId> lost;
  table_.reconcile(hello("n1", {}), Epoch{1}, lost);
  EXPECT_THAT(lost, IsEmpty());
}

TEST_F(LeaseTableTest, ViewFollowsEveryChangeAndLeavesOldOnesAlone) {
  const auto before = table_.view();
  ASSERT_THAT(table_.begin({some_lease(2, 1, 0, "n2", 10), some_lease(3, 1, 1, "n1", 10)}), IsEmpty());
  const auto held = table_.view();
  EXPECT_THAT(before->open, IsEmpty()) << "someone still looks at it";
  EXPECT_THAT(before->nodes.front().idle_gpus, ElementsAre(0, 1));
  ASSERT_THAT(held->open, SizeIs(2));
  EXPECT_EQ(held->open.front()->id, LeaseId{2}) << "by fork";
  EXPECT_THAT(held->nodes.front().leases, ElementsAre(LeaseId{3}));
  table_.lengthen(LeaseId{3}, 99);
  EXPECT_EQ(table_.view()->open.back()->quota_steps, 99U);
  EXPECT_EQ(held->open.back()->quota_steps, 10U);
  NodeTable one;
  one.nodes.push_back(held->nodes.back());
  one.nodes.front().state = NodeState::kDraining;
  table_.set_nodes(one);
  ASSERT_THAT(table_.view()->nodes, SizeIs(1)) << "n1 was forgotten";
  EXPECT_THAT(table_.view()->nodes.front().idle_gpus, IsEmpty()) << "it is not up";
  EXPECT_THAT(table_.view()->nodes.front().leases, ElementsAre(LeaseId{2}));
}

class NodeTableTest : public testing::Test {
 protected:
  Epoch hello(double now_s, Epoch epoch = {}, const std::string& name = "n1") {
    const auto outcome = table_.hello(NodeHello{some_node(name), 1, epoch, {}}, now_s);
    EXPECT_TRUE(outcome.has_value());
    changed_ = outcome->changed;
    return outcome->epoch;
  }
  NodeState state() { return table_.table().nodes.at(0).state; }

  NodeTableState table_{{10, 20}};
  bool changed_ = false;
};

TEST_F(NodeTableTest, NewNodeIsUpUnderItsFirstEpoch) {
  EXPECT_EQ(hello(1), Epoch{1});
  EXPECT_TRUE(changed_);
  EXPECT_EQ(state(), NodeState::kUp);
}

TEST_F(NodeTableTest, LinkBackInTimeKeepsTheEpoch) {
  const auto epoch = hello(1);
  table_.link_down("n1", "broken", 5);
  EXPECT_EQ(state(), NodeState::kUnknown);
  EXPECT_THAT(table_.declare_lost(14.9), IsEmpty());
  EXPECT_EQ(hello(14.9, epoch), epoch);
  EXPECT_FALSE(changed_);
  EXPECT_THAT(table_.declare_lost(100), IsEmpty());
}

TEST_F(NodeTableTest, NodeIsLostAfterItsDeadTimeUnderANewEpoch) {
  const auto epoch = hello(1);
  table_.link_down("n1", "broken", 5);
  EXPECT_EQ(table_.next_deadline_s(), 15);
  const auto gone = table_.declare_lost(15);
  ASSERT_THAT(gone, SizeIs(1));
  EXPECT_GT(gone.front().epoch, epoch);
  EXPECT_EQ(state(), NodeState::kLost);
  EXPECT_GT(hello(30, epoch), gone.front().epoch) << "its old leases are over";
  EXPECT_EQ(state(), NodeState::kUp);
}

TEST_F(NodeTableTest, RestartedProcessIsANewEpoch) {
  const auto epoch = hello(1);
  EXPECT_GT(hello(2), epoch);
  EXPECT_TRUE(changed_);
}

TEST_F(NodeTableTest, NodeOfAnEarlierTermIsWaitedFor) {
  NodeView view;
  view.inventory = some_node("n1");
  view.state = NodeState::kUp;
  view.epoch = Epoch{4};
  table_.restore({view}, 100);
  EXPECT_EQ(state(), NodeState::kUnknown);
  EXPECT_THAT(table_.declare_lost(119), IsEmpty());
  EXPECT_EQ(hello(119, Epoch{4}), Epoch{4}) << "it trained on meanwhile";
}

TEST_F(NodeTableTest, DrainEndsWhenTheLastLeaseIsGoneAndSurvivesALoss) {
  const auto epoch = hello(1);
  ASSERT_TRUE(table_.command({"n1", NodeAction::kDrain, "disk", 30}, 2).has_value());
  EXPECT_EQ(state(), NodeState::kDraining);
  auto views = table_.table().nodes;
  views.front().leases = {LeaseId{1}};
  EXPECT_THAT(table_.finish_drains(views, 3), IsEmpty());
  EXPECT_THAT(table_.overdue_drains(31), IsEmpty());
  EXPECT_THAT(table_.overdue_drains(32), ElementsAre("n1"));
  EXPECT_THAT(table_.overdue_drains(33), IsEmpty()) << "once";
  views.front().leases.clear();
  EXPECT_THAT(table_.finish_drains(views, 34), SizeIs(1));
  EXPECT_EQ(state(), NodeState::kDrained);
  table_.link_down("n1", "broken", 40);
  hello(41, epoch);
  EXPECT_EQ(state(), NodeState::kDrained);
  ASSERT_TRUE(table_.command({"n1", NodeAction::kUndrain, "", 0}, 42).has_value());
  EXPECT_EQ(state(), NodeState::kDrained) << "until that is written down";
  table_.undrain("n1", 43);
  EXPECT_EQ(state(), NodeState::kUp);
}

TEST_F(NodeTableTest, ANodeThatIsDrainedAnewMeanwhileStaysDrained) {
  hello(1);
  ASSERT_TRUE(table_.command({"n1", NodeAction::kDrain, "disk", 0}, 2).has_value());
  ASSERT_TRUE(table_.command({"n1", NodeAction::kUndrain, "", 0}, 3).has_value());
  ASSERT_TRUE(table_.command({"n1", NodeAction::kDrain, "disk", 0}, 4).has_value());
  table_.undrain("n1", 5);
  EXPECT_EQ(state(), NodeState::kDraining);
}

TEST_F(NodeTableTest, ADrainOfAnEarlierTermKeepsItsDeadline) {
  const auto epoch = hello(1);
  ASSERT_TRUE(table_.command({"n1", NodeAction::kDrain, "disk", 30}, 2).has_value());
  const auto before = table_.table().nodes;
  EXPECT_EQ(before.front().drain_deadline_s, 32);
  NodeTableState next{NodeTableOptions{}};
  next.restore(before, 20);
  EXPECT_THAT(next.overdue_drains(31), IsEmpty());
  EXPECT_THAT(next.overdue_drains(33), ElementsAre("n1")) << "though the node has not said hello yet";
  EXPECT_EQ(next.table().nodes.front().epoch, epoch);
}

TEST_F(NodeTableTest, WrongCommandsAreRefused) {
  EXPECT_EQ(table_.command({"nobody", NodeAction::kDrain, "", 0}, 1).error().code, ErrorCode::kNotFound);
  hello(1);
  EXPECT_EQ(table_.command({"n1", NodeAction::kUndrain, "", 0}, 2).error().code, ErrorCode::kRefused);
  EXPECT_EQ(table_.command({"n1", NodeAction::kForget, "", 0}, 2).error().code, ErrorCode::kRefused);
  table_.link_down("n1", "broken", 3);
  table_.declare_lost(20);
  EXPECT_TRUE(table_.command({"n1", NodeAction::kForget, "", 0}, 21).has_value());
  EXPECT_THAT(table_.table().nodes, IsEmpty());
}

TEST_F(NodeTableTest, NodeWithoutGpusIsRefused) {
  EXPECT_EQ(table_.hello(NodeHello{some_node("n1", 0), 1, {}, {}}, 1).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hadar
