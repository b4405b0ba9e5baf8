#include <caf/all.hpp>
#include <gmock/gmock.h>

#include "actors/scheduler/lease_keeper_actor.hpp"
#include "launchers/simulated_time.hpp"
#include "runtime/bridge/caf_compat.hpp"
#include "tests/unit/actors/values.hpp"

namespace hadar {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// Two nodes, a ledger and a round clock that only write down what they are told.
class LeaseKeeperTest : public testing::Test {
 protected:
  struct FakeNode {
    std::string refuses;  // why it refuses leases; empty = it takes them
    std::vector<LeaseId> committed;
    std::vector<LeaseId> revoked;
  };

  LeaseKeeperTest() {
    auto& system = time_.system();
    ledger_ = system.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {[this](const CloseLeases& message) -> caf::result<Ack> {
        if (ledger_down_) return to_caf(Error{ErrorCode::kUnreachable, "down"});
        for (auto id : message.leases) closed_[id] = message.reason;
        return Ack{};
      }};
    });
    round_flow_ =
        system.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](const CapacityChanged&) {}}; });
    keeper_ = spawn_lease_keeper(system, SpawnMode::kShared, {}, caf::actor_cast<JobLedgerActor>(ledger_));
    caf::anon_send(keeper_, KeeperPeers{caf::actor_cast<RoundFlowActor>(round_flow_)});
    NodeTable table;
    for (const auto* name : {"n1", "n2"}) {
      auto& fake = fakes_[name];
      auto node = system.spawn([&fake](caf::event_based_actor*) { return play_node(fake); });
      nodes_.push_back(node);
      caf::anon_send(keeper_, NodeLinked{name, caf::actor_cast<NodeWorkerActor>(node)});
      NodeView view;
      view.inventory = some_node(name);
      view.state = NodeState::kUp;
      view.epoch = Epoch{1};
      table.nodes.push_back(view);
    }
    caf::anon_send(keeper_, table);
    time_.drain();
  }

  ~LeaseKeeperTest() override {
    caf::anon_send_exit(keeper_, caf::exit_reason::kill);
    caf::anon_send_exit(ledger_, caf::exit_reason::kill);
    caf::anon_send_exit(round_flow_, caf::exit_reason::kill);
    for (const auto& node : nodes_) caf::anon_send_exit(node, caf::exit_reason::kill);
    time_.drain();
  }

  static caf::behavior play_node(FakeNode& fake) {
    return {
        [&fake](const PrepareLeases& message) {
          LeasesPrepared answer;
          for (const auto& lease : message.leases)
            if (fake.refuses.empty())
              answer.accepted.push_back({lease.id, "host:1"});
            else
              answer.refused.push_back({lease.id, fake.refuses});
          return answer;
        },
        [&fake](const CommitLeases& message) {
          for (const auto& lease : message.leases) fake.committed.push_back(lease.lease);
          return Ack{};
        },
        [&fake](const RevokeLeases& message) {
          fake.revoked.insert(fake.revoked.end(), message.leases.begin(), message.leases.end());
          return Ack{};
        },
    };
  }

  template <class Answer, class Request>
  Answer ask(Request request) {
    Answer answer;
    caf::scoped_actor self{time_.system()};
    auto pending = self->request(keeper_, caf::infinite, std::move(request));
    time_.drain();
    pending.receive([&](const Answer& got) { answer = got; },
                    [](const caf::error& error) { ADD_FAILURE() << to_error(error).message; });
    return answer;
  }

  static std::vector<Lease> gang() {
    auto first = some_lease(1, 1, 0, "n1", 10);
    auto second = some_lease(2, 1, 0, "n2", 10);
    first.gang.world_size = second.gang.world_size = 2;
    second.gang.rank = 1;
    return {first, second};
  }

  std::vector<std::uint32_t> idle_on(std::size_t node) {
    return ask<CapacityPtr>(ViewCapacity{})->nodes.at(node).idle_gpus;
  }

  SimulatedTime time_{1, false};
  std::map<std::string, FakeNode> fakes_;
  std::vector<caf::actor> nodes_;
  caf::actor ledger_;
  caf::actor round_flow_;
  LeaseKeeperActor keeper_;
  std::map<LeaseId, std::string> closed_;
  bool ledger_down_ = false;
};

TEST_F(LeaseKeeperTest, WholeGangIsCommitted) {
  const auto outcome = ask<GrantOutcome>(GrantLeases{gang()});
  EXPECT_THAT(outcome.granted, UnorderedElementsAre(LeaseId{1}, LeaseId{2}));
  EXPECT_THAT(fakes_["n1"].committed, ElementsAre(LeaseId{1}));
  EXPECT_THAT(fakes_["n2"].committed, ElementsAre(LeaseId{2}));
}

TEST_F(LeaseKeeperTest, OneRefusalBreaksTheGangWholeAndClosesIt) {
  fakes_["n2"].refuses = "GPU 0 is hot";
  const auto outcome = ask<GrantOutcome>(GrantLeases{gang()});
  EXPECT_THAT(outcome.granted, IsEmpty());
  EXPECT_THAT(outcome.refused, SizeIs(2));
  EXPECT_THAT(fakes_["n1"].committed, IsEmpty());
  EXPECT_THAT(fakes_["n1"].revoked, ElementsAre(LeaseId{1}));
  ASSERT_THAT(closed_, SizeIs(2));
  EXPECT_THAT(closed_[LeaseId{1}], HasSubstr("GPU 0 is hot"));
  EXPECT_THAT(idle_on(0), IsEmpty()) << "until its node says that it let go";
  EXPECT_THAT(idle_on(1), ElementsAre(0));
  ask<Ack>(LeaseEnded{LeaseId{1}, "n1", Epoch{1}, LeaseEndReason::kLost, true, "let go"});
  EXPECT_THAT(idle_on(0), ElementsAre(0));
}

TEST_F(LeaseKeeperTest, RefusalOfOneJobLeavesTheOthersAlone) {
  fakes_["n2"].refuses = "no";
  const auto outcome = ask<GrantOutcome>(GrantLeases{{some_lease(1, 1, 0, "n1", 10), some_lease(2, 2, 0, "n2", 10)}});
  EXPECT_THAT(outcome.granted, ElementsAre(LeaseId{1}));
  EXPECT_THAT(fakes_["n1"].committed, ElementsAre(LeaseId{1}));
}

TEST_F(LeaseKeeperTest, ClosingIsRepeatedUntilTheLedgerHasWrittenIt) {
  ledger_down_ = true;
  fakes_["n2"].refuses = "no";
  ask<GrantOutcome>(GrantLeases{gang()});
  EXPECT_THAT(closed_, IsEmpty());
  ledger_down_ = false;
  time_.run(5, [this] { return closed_.size() == 2; });
  EXPECT_THAT(closed_, SizeIs(2));
}

TEST_F(LeaseKeeperTest, FailedMemberTakesItsGangWithIt) {
  ask<GrantOutcome>(GrantLeases{gang()});
  ask<Ack>(LeaseEnded{LeaseId{2}, "n2", Epoch{1}, LeaseEndReason::kFailed, false, "exit code 1"});
  EXPECT_THAT(fakes_["n1"].revoked, ElementsAre(LeaseId{1}));
  EXPECT_THAT(closed_, IsEmpty()) << "both report";
}

TEST_F(LeaseKeeperTest, LeasesOfALostNodeAreClosedAndTheirGangTakenBack) {
  ask<GrantOutcome>(GrantLeases{gang()});
  caf::anon_send(keeper_, NodeGone{"n2", Epoch{2}, "no heartbeat"});
  time_.drain();
  EXPECT_THAT(fakes_["n1"].revoked, ElementsAre(LeaseId{1}));
  EXPECT_THAT(closed_, SizeIs(1));
  EXPECT_THAT(closed_[LeaseId{2}], HasSubstr("no heartbeat"));
}

TEST_F(LeaseKeeperTest, LeaseThatDiedUnreportedWithItsNodeIsClosed) {
  ask<GrantOutcome>(GrantLeases{{some_lease(1, 1, 0, "n1", 10), some_lease(2, 2, 0, "n2", 10)}});
  for (const auto* node : {"n1", "n2"}) {
    const LeaseId lease{node == std::string("n1") ? 1U : 2U};
    ask<Ack>(LeaseEnded{lease, node, Epoch{1}, LeaseEndReason::kQuota, false, ""});
  }
  ask<Ack>(LeaseEnded{LeaseId{1}, "n1", Epoch{1}, LeaseEndReason::kQuota, true, ""});
  caf::anon_send(keeper_, NodeGone{"n1", Epoch{2}, "no heartbeat"});
  caf::anon_send(keeper_, NodeGone{"n2", Epoch{2}, "no heartbeat"});
  time_.drain();
  ASSERT_THAT(closed_, SizeIs(1));
  EXPECT_EQ(closed_.count(LeaseId{2}), 1U) << "its report never came";
}

TEST_F(LeaseKeeperTest, WordOfAnEndThatIsRepeatedSaysNothingNew) {
  ask<GrantOutcome>(GrantLeases{{some_lease(1, 1, 0, "n1", 10)}});
  const LeaseEnded ended{LeaseId{1}, "n1", Epoch{1}, LeaseEndReason::kQuota, false, ""};
  for (int times = 0; times < 3; ++times) ask<Ack>(ended);
  EXPECT_THAT(idle_on(0), ElementsAre(0));
  caf::anon_send(keeper_, NodeGone{"n1", Epoch{2}, "no heartbeat"});
  time_.drain();
  EXPECT_EQ(closed_.count(LeaseId{1}), 1U) << "its report never came, however often its end was told";
}

TEST_F(LeaseKeeperTest, ReportedEndIsAllThatIsNeeded) {
  ask<GrantOutcome>(GrantLeases{{some_lease(1, 1, 0, "n1", 10)}});
  ask<Ack>(LeaseEnded{LeaseId{1}, "n1", Epoch{1}, LeaseEndReason::kQuota, true, ""});
  EXPECT_THAT(idle_on(0), ElementsAre(0));
  caf::anon_send(keeper_, NodeGone{"n1", Epoch{2}, "no heartbeat"});
  time_.drain();
  EXPECT_THAT(closed_, IsEmpty());
}

TEST_F(LeaseKeeperTest, GrantThatWasNeverConfirmedIsClosed) {
  caf::anon_send(keeper_, AbandonLeases{{LeaseId{4}}, "no answer"});
  time_.drain();
  EXPECT_THAT(closed_[LeaseId{4}], HasSubstr("no answer"));
}

TEST_F(LeaseKeeperTest, LeasesOfNodesLostInAnEarlierTermAreClosed) {
  TermOpened opened;
  opened.term = Term{2};
  opened.open_leases = {some_lease(1, 1, 0, "n1", 10), some_lease(2, 2, 0, "gone", 10),
                        some_lease(3, 3, 0, "lost", 10)};
  NodeView up;
  up.inventory = some_node("n1");
  up.state = NodeState::kUp;
  NodeView lost;
  lost.inventory = some_node("lost");
  lost.state = NodeState::kLost;
  opened.nodes = {up, lost};
  caf::anon_send(keeper_, opened);
  time_.drain();
  EXPECT_THAT(closed_, SizeIs(2));
  EXPECT_EQ(closed_.count(LeaseId{1}), 0U) << "its node may still say hello";
}

TEST_F(LeaseKeeperTest, NodeThatDoesNotAnswerRefuses) {
  caf::anon_send(keeper_, NodeLinked{"n2", caf::actor_cast<NodeWorkerActor>(round_flow_)});
  const auto outcome = ask<GrantOutcome>(GrantLeases{{some_lease(2, 2, 0, "n2", 10)}});
  ASSERT_THAT(outcome.refused, SizeIs(1));
  EXPECT_THAT(outcome.refused.front().reason, HasSubstr("node n2"));
}

}  // namespace
}  // namespace hadar
