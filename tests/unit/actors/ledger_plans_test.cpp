#include "tests/unit/actors/ledger_case.hpp"

namespace hadar {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(LedgerTest, PlanOfAnOldTermIsStale) {
  const auto id = submit(some_job());
  RecordPlan plan;
  plan.term = term_;
  plan.round = RoundId{1};
  plan.leases = {some_lease(1, id.value, 0, "n1", 10)};
  ledger_.open_term({"test", 60}, 2);
  const auto recorded = ledger_.record_plan(plan, 3);
  ASSERT_FALSE(recorded.has_value());
  EXPECT_EQ(recorded.error().code, ErrorCode::kStale);
  EXPECT_THAT(ledger_.state().leases(), IsEmpty());
}

TEST_F(LedgerTest, ThePolicysMemoryIsKeptUntilItPlansAnew) {
  RecordPlan planned{term_, RoundId{1}, false, "test", {}, {}, {}, "seen so far"};
  ASSERT_TRUE(ledger_.record_plan(planned, 2).has_value());
  planned.memory.reset();
  planned.round = RoundId{2};
  ASSERT_TRUE(ledger_.record_plan(planned, 3).has_value());
  EXPECT_EQ(ledger_.open_term({"test", 60}, 4).memory, "seen so far");
  planned.term = ledger_.state().term();
  planned.memory = "";
  ASSERT_TRUE(ledger_.record_plan(planned, 5).has_value());
  EXPECT_EQ(ledger_.open_term({"test", 60}, 6).memory, "");
}

TEST_F(LedgerTest, SpecsThatWereGivenStayAsTheyAre) {
  submit(some_job(100));
  (void)ledger_.view(2);
  const auto given = ledger_.viewed_specs();
  submit(some_job(200));
  EXPECT_THAT(ledger_.view(3).jobs, SizeIs(2));
  EXPECT_THAT(*ledger_.viewed_specs(), SizeIs(2));
  EXPECT_THAT(*given, SizeIs(1));
}

TEST_F(LedgerTest, WhatWasRefusedOnceIsNotGrantedWhenTheSamePlanComesAgain) {
  const auto held = submit(some_job());
  ASSERT_TRUE(ledger_.command({std::to_string(held.value), JobAction::kHold}, 2).has_value());
  const std::vector<Lease> leases{some_lease(1, held.value, 0, "n1", 10)};
  EXPECT_THAT(record(leases)->refused, SizeIs(1));
  ASSERT_TRUE(ledger_.command({std::to_string(held.value), JobAction::kRelease}, 2).has_value());
  EXPECT_THAT(record(leases)->leases, IsEmpty()) << "nobody waits for this answer";
  EXPECT_EQ(ledger_.open_term({"test", 60}, 3).last_lease, LeaseId{1});
}

TEST_F(LedgerTest, LeasesThatMayNotBeAreRefusedOneByOne) {
  const auto held = submit(some_job());
  const auto good = submit(some_job());
  ASSERT_TRUE(ledger_.command({std::to_string(held.value), JobAction::kHold}, 2).has_value());
  const auto recorded = record(
      {some_lease(1, held.value, 0, "n1", 10), some_lease(2, good.value, 0, "n2", 10), some_lease(3, 99, 0, "n3", 10)});
  ASSERT_TRUE(recorded.has_value());
  ASSERT_THAT(recorded->leases, SizeIs(1));
  EXPECT_EQ(recorded->leases.front().fork.job, good);
  ASSERT_THAT(recorded->refused, SizeIs(2));
}

TEST_F(LedgerTest, NoMoreStepsAreIssuedThanAreLeft) {
  const auto id = submit(some_job(100));
  auto recorded = record({some_lease(1, id.value, 0, "n1", 80, 50), some_lease(2, id.value, 1, "n2", 80, 50)});
  ASSERT_TRUE(recorded.has_value());
  ASSERT_THAT(recorded->leases, SizeIs(2));
  EXPECT_EQ(recorded->leases[0].quota_steps + recorded->leases[1].quota_steps, 100U);
  recorded = record({some_lease(3, id.value, 2, "n3", 1, 50)});
  EXPECT_THAT(recorded->leases, IsEmpty());
}

TEST_F(LedgerTest, GpuIsGrantedAgainWhenItsLastLeaseIsReportedAndThatBringsANewPlan) {
  const auto a = submit(some_job(100));
  const auto b = submit(some_job(100));
  const auto lease = grant(some_lease(1, a.value, 0, "n1", 60, 50));
  grant(some_lease(2, a.value, 1, "n2", 40, 50));
  EXPECT_THAT(record({some_lease(3, b.value, 0, "n1", 10)})->refused, SizeIs(1));
  ledger_.take();
  ledger_.accept(some_report(lease, 60), 2);
  EXPECT_THAT(ledger_.take().advanced, SizeIs(1)) << "though the job itself waits for its other fork";
  EXPECT_THAT(record({some_lease(4, b.value, 0, "n1", 10)})->leases, SizeIs(1));
}

TEST_F(LedgerTest, AForkGetsNoLeaseWhileAMemberOfItsOldGangTrains) {
  auto spec = some_job(100);
  spec.gpus = 2;
  const auto id = submit(spec);
  std::vector<Lease> gang{some_lease(1, id.value, 0, "n1", 60), some_lease(2, id.value, 0, "n2", 60)};
  for (std::uint32_t rank = 0; rank < 2; ++rank) gang[rank].gang = {rank, 2, ""};
  ASSERT_THAT(record(gang)->leases, SizeIs(2));
  ledger_.accept(some_report(gang[0], 20, LeaseEndReason::kRevoked), 2);
  auto next = some_lease(3, id.value, 0, "n1", 40);
  next.gpus = {0, 1};
  const auto refused = record({next})->refused;
  ASSERT_THAT(refused, SizeIs(1));
  EXPECT_THAT(refused.front().reason, HasSubstr("lease 2 of its fork"));
}

TEST_F(LedgerTest, LeaseIdsNeverFall) {
  const auto id = submit(some_job(100));
  grant(some_lease(5, id.value, 0, "n1", 10));
  const auto recorded = record({some_lease(5, id.value, 1, "n2", 10)});
  ASSERT_TRUE(recorded.has_value());
  EXPECT_THAT(recorded->refused, SizeIs(1));
}

TEST_F(LedgerTest, ExtensionStaysWithinWhatIsUnissued) {
  const auto id = submit(some_job(100));
  const auto lease = grant(some_lease(1, id.value, 0, "n1", 60, 50));
  EXPECT_FALSE(ledger_.record_extension({term_, lease.id, id, 101}, 2).has_value());
  EXPECT_FALSE(ledger_.record_extension({term_, lease.id, id, 60}, 2).has_value());
  EXPECT_TRUE(ledger_.record_extension({term_, lease.id, id, 100}, 2).has_value());
  EXPECT_EQ(ledger_.state().find(lease.id)->lease.quota_steps, 100U);
}

TEST_F(LedgerTest, ATermIsOpenedOnceForEachStartOfTheScheduler) {
  const auto first = ledger_.open_term({"test", 60, 7}, 2).term;
  EXPECT_EQ(ledger_.open_term({"test", 60, 7}, 3).term, first) << "the same request, brought twice";
  const auto second = ledger_.open_term({"test", 60, 8}, 4).term;
  EXPECT_GT(second, first);
  EXPECT_GT(ledger_.open_term({"test", 60, 7}, 5).term, second) << "who lost the term opens another";
}

TEST_F(LedgerTest, ANewTermIsToldOfDrainsWholeThoughTheNodeWasLostMeanwhile) {
  ASSERT_TRUE(record_node(event::NodeUp{some_node("n1"), Epoch{1}}, 1).has_value());
  ASSERT_TRUE(record_node(event::NodeDraining{"n1", "disk", 30}, 2).has_value());
  ASSERT_TRUE(record_node(event::NodeLost{"n1", Epoch{2}, "no heartbeat"}, 3).has_value());
  const auto opened = ledger_.open_term({"test", 60}, 4);
  ASSERT_THAT(opened.nodes, SizeIs(1));
  const auto& node = opened.nodes.front();
  EXPECT_EQ(node.state, NodeState::kDraining);
  EXPECT_EQ(node.reason, "disk");
  EXPECT_EQ(node.drain_deadline_s, 32);
  EXPECT_EQ(node.epoch, Epoch{2});
}

TEST_F(LedgerTest, AFactOfANodeIsWrittenOnceAndNotForAnOldTerm) {
  const RecordNode up{event::NodeUp{some_node("n1"), Epoch{1}}, term_, 1};
  const RecordNode lost{event::NodeLost{"n1", Epoch{2}, "no heartbeat"}, term_, 2};
  ASSERT_TRUE(ledger_.record_node(up, 1).has_value());
  ASSERT_TRUE(ledger_.record_node(lost, 2).has_value());
  const auto seq = ledger_.state().last_seq();
  EXPECT_TRUE(ledger_.record_node(up, 3).has_value()) << "a link brought it twice, late";
  EXPECT_EQ(ledger_.state().last_seq(), seq);
  ledger_.open_term({"test", 60}, 4);
  EXPECT_EQ(ledger_.record_node({event::NodeForgotten{"n1"}, term_, 3}, 5).error().code, ErrorCode::kStale);
}

}  // namespace
}  // namespace hadar
