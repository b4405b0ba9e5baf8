#include "actors/tracker/ledger.hpp"

#include <cmath>
#include <gmock/gmock.h>

#include "messages/codec/event_json.hpp"
#include "tests/unit/actors/values.hpp"

namespace hadar {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class LedgerTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(ledger_.start(0, "").has_value());
    term_ = ledger_.open_term({"test", 60}, 0).term;
  }

  JobId submit(const JobSpec& spec, const std::string& key = "") {
    auto submitted = ledger_.submit({spec, key, false}, now_s_);
    EXPECT_TRUE(submitted.has_value()) << submitted.error().message;
    return submitted->job;
  }

  Status record_node(EventBody fact, double now_s) {
    return ledger_.record_node({std::move(fact), term_, ++last_fact_}, now_s);
  }

  Result<PlanRecorded> record(std::vector<Lease> leases, std::uint64_t round = 1) {
    RecordPlan plan;
    plan.term = term_;
    plan.round = RoundId{round};
    plan.policy = "test";
    plan.leases = std::move(leases);
    return ledger_.record_plan(plan, now_s_);
  }

  Lease grant(Lease lease) {
    auto recorded = record({std::move(lease)});
    EXPECT_TRUE(recorded.has_value());
    EXPECT_THAT(recorded->leases, SizeIs(1)) << recorded->refused.front().reason;
    return recorded->leases.front();
  }

  Result<ForksSettled> settle(JobId job, const ModelVersion& base, std::vector<event::MergedFork> forks,
                              const std::string& weights = "") {
    SettleForks request;
    request.job = job;
    request.base = base;
    request.weights = BlobRef{weights, weights.size()};
    request.forks = std::move(forks);
    return ledger_.settle(request, now_s_);
  }

  const LedgerJob& job(JobId id) { return *ledger_.state().find(id); }

  Ledger ledger_{LedgerOptions{"test", 3}};
  Term term_;
  std::uint64_t last_fact_ = 0;
  double now_s_ = 1;
};

TEST_F(LedgerTest, SameKeyIsTheSameJob) {
  const auto id = submit(some_job(), "k");
  const auto again = ledger_.submit({some_job(), "k", false}, 2);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->job, id);
  EXPECT_TRUE(again->existed);
  EXPECT_THAT(ledger_.state().jobs(), SizeIs(1));
}

TEST_F(LedgerTest, SameKeyForAnotherJobIsRefusedAndNamesTheDifference) {
  submit(some_job(100), "k");
  const auto other = ledger_.submit({some_job(200), "k", false}, 2);
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().code, ErrorCode::kAlreadyExists);
  EXPECT_THAT(other.error().message, HasSubstr("total_steps"));
}

TEST_F(LedgerTest, ReportIsCreditedOnceHoweverOftenItComes) {
  const auto id = submit(some_job(100));
  const auto lease = grant(some_lease(1, id.value, 0, "n1", 60));
  const auto report = some_report(lease, 60);
  EXPECT_EQ(ledger_.accept(report, 2).verdict, ReportVerdict::kAccepted);
  const auto events = ledger_.state().last_seq();
  EXPECT_EQ(ledger_.accept(report, 2).verdict, ReportVerdict::kAccepted);
  EXPECT_EQ(ledger_.state().last_seq(), events) << "the second telling writes nothing";
  EXPECT_EQ(job(id).steps_credited, 0U) << "a report alone is no credit";
  ASSERT_TRUE(settle(id, lease.base, {in_fork(report)}, "w1").has_value());
  EXPECT_EQ(job(id).steps_credited, 60U);
  EXPECT_EQ(job(id).version, (ModelVersion{1, {"w1", 2}}));
  EXPECT_EQ(ledger_.accept(report, 3).verdict, ReportVerdict::kSettled);
}

TEST_F(LedgerTest, LastReportIsCreditedAsItIsAccepted) {
  const auto id = submit(some_job(100));
  const auto lease = grant(some_lease(1, id.value, 0, "n1", 60));
  const auto report = some_report(lease, 60);
  SettleForks settle{id, lease.base, {"w1", 2}, {in_fork(report)}, {}, 0};
  ledger_.take();
  const auto accepted = ledger_.accept(AcceptReport{report, settle}, 2);
  ASSERT_TRUE(accepted.settled.has_value());
  EXPECT_EQ(accepted.settled->version, (ModelVersion{1, {"w1", 2}}));
  EXPECT_EQ(job(id).steps_credited, 60U);
  EXPECT_THAT(ledger_.take().advanced, SizeIs(1)) << "one word for both";
  const auto again = ledger_.accept(AcceptReport{report, settle}, 3);
  EXPECT_EQ(again.verdict, ReportVerdict::kSettled);
  EXPECT_FALSE(again.settled.has_value());
  EXPECT_EQ(job(id).steps_credited, 60U);
}

TEST_F(LedgerTest, ReportThatIsNotAcceptedAsItStandsSettlesNothing) {
  const auto id = submit(some_job(100));
  const auto lease = grant(some_lease(1, id.value, 0, "n1", 60));
  const auto report = some_report(lease, 61);
  const auto accepted =
      ledger_.accept(AcceptReport{report, SettleForks{id, lease.base, {}, {in_fork(report)}, {}, 0}}, 2);
  EXPECT_EQ(accepted.verdict, ReportVerdict::kAccepted);
  EXPECT_FALSE(accepted.settled.has_value()) << "more steps than its quota";
  EXPECT_EQ(job(id).steps_credited, 0U);
}

TEST_F(LedgerTest, SettlingOnAnOldBaseIsStale) {
  const auto id = submit(some_job(100));
  const auto lease = grant(some_lease(1, id.value, 0, "n1", 60));
  const auto report = some_report(lease, 60);
  ledger_.accept(report, 2);
  ASSERT_TRUE(settle(id, lease.base, {in_fork(report)}).has_value());
  const auto again = settle(id, lease.base, {in_fork(report)});
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code, ErrorCode::kStale);
  EXPECT_EQ(job(id).steps_credited, 60U);
}

TEST_F(LedgerTest, SettlingAClosedLeaseCreditsNothing) {
  const auto id = submit(some_job(100));
  const auto lease = grant(some_lease(1, id.value, 0, "n1", 60));
  ASSERT_TRUE(ledger_.close_leases({{lease.id}, "node lost"}, 2).has_value());
  const auto settled = settle(id, lease.base, {in_fork(some_report(lease, 60))});
  ASSERT_TRUE(settled.has_value());
  EXPECT_EQ(settled->version.version, 0U);
  EXPECT_EQ(job(id).steps_credited, 0U);
}

TEST_F(LedgerTest, ClosingKeepsWhatWasReportedAtTheEnd) {
  const auto id = submit(some_job(100));
  const auto lease = grant(some_lease(1, id.value, 0, "n1", 60));
  const auto report = some_report(lease, 60);
  ledger_.accept(report, 2);
  ASSERT_TRUE(ledger_.close_leases({{lease.id}, "node lost"}, 3).has_value());
  ASSERT_TRUE(settle(id, lease.base, {in_fork(report)}).has_value());
  EXPECT_EQ(job(id).steps_credited, 60U);
}

TEST_F(LedgerTest, DeadForksLastCheckpointIsWhatItLeavesBehind) {
  const auto id = submit(some_job(100));
  const auto lease = grant(some_lease(1, id.value, 0, "n1", 60));
  ledger_.accept(some_report(lease, 25, LeaseEndReason::kRunning), 2);
  ledger_.take();
  ASSERT_TRUE(ledger_.close_leases({{lease.id}, "node lost"}, 3).has_value());
  const auto changes = ledger_.take();
  ASSERT_THAT(changes.tracked, SizeIs(1));
  ASSERT_THAT(changes.tracked.front().reports, SizeIs(1));
  const auto& last = changes.tracked.front().reports.front();
  EXPECT_EQ(last.steps, 25U);
  EXPECT_EQ(last.end, LeaseEndReason::kLost);
  EXPECT_THAT(changes.untracked, IsEmpty());
  EXPECT_TRUE(ledger_.state().find(lease.id)->ended());
  ASSERT_TRUE(settle(id, lease.base, {in_fork(last)}).has_value());
  EXPECT_EQ(job(id).steps_credited, 25U);
  EXPECT_EQ(ledger_.accept(some_report(lease, 60), 4).verdict, ReportVerdict::kSettled) << "a late true end counts not";
}

TEST_F(LedgerTest, CancelledJobsCheckpointIsNotKept) {
  const auto id = submit(some_job(100));
  const auto lease = grant(some_lease(1, id.value, 0, "n1", 60));
  ledger_.accept(some_report(lease, 25, LeaseEndReason::kRunning), 2);
  ASSERT_TRUE(ledger_.command({std::to_string(id.value), JobAction::kCancel}, 3).has_value());
  ASSERT_TRUE(ledger_.close_leases({{lease.id}, "node lost"}, 4).has_value());
  EXPECT_EQ(ledger_.state().find(lease.id), nullptr);
}

TEST_F(LedgerTest, LastStepCompletesTheJob) {
  const auto id = submit(some_job(100));
  const auto lease = grant(some_lease(1, id.value, 0, "n1", 100));
  const auto report = some_report(lease, 100);
  ledger_.accept(report, 2);
  const auto settled = settle(id, lease.base, {in_fork(report)});
  ASSERT_TRUE(settled.has_value());
  EXPECT_TRUE(settled->finished);
  EXPECT_EQ(job(id).final_state, JobState::kCompleted);
}

TEST_F(LedgerTest, ReportOfMoreThanItsQuotaCountsForNothing) {
  const auto id = submit(some_job(100));
  const auto lease = grant(some_lease(1, id.value, 0, "n1", 60));
  ledger_.accept(some_report(lease, 61), 2);
  ASSERT_TRUE(ledger_.state().find(lease.id)->report.has_value());
  EXPECT_EQ(ledger_.state().find(lease.id)->report->steps, 0U);
  EXPECT_EQ(ledger_.state().find(lease.id)->report->end, LeaseEndReason::kFailed);
}

TEST_F(LedgerTest, CheckpointMovesTheBaseAndTheRestStillAddsUp) {
  const auto id = submit(some_job(100));
  const auto lease = grant(some_lease(1, id.value, 0, "n1", 100));
  const auto save = some_report(lease, 30, LeaseEndReason::kRunning);
  ledger_.accept(save, 2);
  ASSERT_TRUE(settle(id, lease.base, {in_fork(save, true)}, "w1").has_value());
  EXPECT_EQ(job(id).steps_credited, 30U);
  EXPECT_EQ(ledger_.accept(save, 3).verdict, ReportVerdict::kStale) << "told again, it must not count again";
  EXPECT_EQ(ledger_.accept(save, 3).base.version, 1U) << "but the node learns how far it got";
  auto rest = some_report(ledger_.state().find(lease.id)->lease, 70);
  ledger_.accept(rest, 4);
  ASSERT_TRUE(settle(id, rest.base, {in_fork(rest)}).has_value());
  EXPECT_EQ(job(id).steps_credited, 100U);
}

TEST_F(LedgerTest, AJobThatNeverMergedExpectsWhatOthersOfItsModelTook) {
  auto spec = some_job(1000);
  spec.model = "m";
  const auto first = submit(spec);
  auto other = spec;
  other.model = "another";
  const auto stranger = submit(other);
  const auto second = submit(spec);
  EXPECT_EQ(ledger_.state().merge_s(job(second)), 0) << "unknown";
  const auto a = grant(some_lease(1, first.value, 0, "n1", 100, 50));
  const auto b = grant(some_lease(2, first.value, 1, "n2", 100, 50));
  ledger_.accept(some_report(a, 100), 10);
  ledger_.accept(some_report(b, 100), 10);
  SettleForks request;
  request.job = first;
  request.merge_s = 0.25;
  request.forks = {{a.id, 0, 100, true, false, ""}, {b.id, 1, 100, true, false, ""}};
  ASSERT_TRUE(ledger_.settle(request, 10.25).has_value());
  EXPECT_EQ(ledger_.state().merge_s(job(first)), 0.25);
  EXPECT_EQ(ledger_.state().merge_s(job(second)), 0.25);
  EXPECT_EQ(ledger_.state().merge_s(job(stranger)), 0);
}

// Merges of three forks that keep half of what the shorter ones add; losses lie on 1 / sqrt(1 + steps / 100).
class MergingLedgerTest : public LedgerTest {
 protected:
  void merge(JobId id) {
    const auto recorded =
        record({some_lease(lease_ + 1, id.value, 0, "n1", 200, 50), some_lease(lease_ + 2, id.value, 1, "n2", 120, 50),
                some_lease(lease_ + 3, id.value, 2, "n3", 30, 50)});
    ASSERT_TRUE(recorded.has_value());
    ASSERT_THAT(recorded->leases, SizeIs(3));
    lease_ += 3;
    std::vector<event::MergedFork> forks;
    double others = 0;
    for (const auto& lease : recorded->leases) {
      const auto steps = lease.quota_steps;
      auto report = some_report(lease, steps);
      report.metrics["loss"] = 1 / std::sqrt(1 + (effective_ + static_cast<double>(steps)) / 100);
      ledger_.accept(report, 10);
      forks.push_back(in_fork(report));
      if (lease.fork.fork > 0) others += static_cast<double>(steps);
    }
    const auto longest = static_cast<double>(recorded->leases.front().quota_steps);
    ASSERT_TRUE(settle(id, recorded->leases.front().base, forks).has_value());
    effective_ += longest + 0.5 * others;
  }

  std::uint64_t lease_ = 0;
  double effective_ = 0;
};

TEST_F(MergingLedgerTest, TellsWhatStepsAreWorthOnceMergesShowIt) {
  const auto id = submit(some_job(100000));
  EXPECT_EQ(job(id).steps_effective(), 0);
  merge(id);
  EXPECT_FALSE(job(id).steps_effective().has_value()) << "the first merge tells nothing of what it kept";
  for (int i = 0; i < 4; ++i) merge(id);
  ASSERT_TRUE(job(id).steps_effective().has_value());
  EXPECT_NEAR(*job(id).steps_effective(), effective_, 0.03 * effective_);
  EXPECT_NEAR(*view_of(ledger_.state(), job(id), 11).merge_efficiency, 0.5, 0.1);
  EXPECT_EQ(status_of(ledger_.state(), job(id), 11).steps_effective, job(id).steps_effective());
}

TEST_F(MergingLedgerTest, OthersOfItsModelExpectTheSameEfficiency) {
  auto spec = some_job(100000);
  spec.model = "m";
  const auto first = submit(spec);
  const auto second = submit(spec);
  spec.model = "another";
  const auto stranger = submit(spec);
  for (int i = 0; i < 5; ++i) merge(first);
  EXPECT_EQ(ledger_.state().merge_efficiency(job(second)), job(first).merge_efficiency);
  EXPECT_FALSE(ledger_.state().merge_efficiency(job(stranger)).has_value());
}

TEST_F(MergingLedgerTest, AJobJudgedByEffectiveStepsEndsWithThem) {
  auto spec = some_job(1000);
  spec.effective_steps = true;
  const auto id = submit(spec);
  while (!job(id).final_state && lease_ < 100) merge(id);
  EXPECT_EQ(job(id).final_state, JobState::kCompleted);
  EXPECT_GT(job(id).steps_credited, 1000U);
  EXPECT_NEAR(effective_, 1000, 100) << "the last forks do more than the steps that are left, as they are worth less";
  EXPECT_GE(*job(id).steps_effective(), 999);
}

TEST_F(MergingLedgerTest, AReplayKnowsTheSame) {
  auto spec = some_job(5000);
  spec.effective_steps = true;
  const auto id = submit(spec);
  for (int i = 0; i < 5; ++i) merge(id);
  Ledger again{LedgerOptions{"test", 3}};
  for (const auto& event : ledger_.take().events) ASSERT_TRUE(again.replay(event).has_value());
  const auto& replayed = *again.state().find(id);
  EXPECT_EQ(replayed.merge_efficiency, job(id).merge_efficiency);
  EXPECT_EQ(replayed.steps_left(), job(id).steps_left());
  EXPECT_EQ(replayed.progress.fitted(), job(id).progress.fitted());
}

TEST_F(LedgerTest, AJobEndsWhenItsTargetIsReached) {
  auto spec = some_job(1000);
  spec.target = {"loss", 0.5, false};
  const auto id = submit(spec);
  const auto lease = grant(some_lease(1, id.value, 0, "n1", 600));
  SettleForks request;
  request.job = id;
  request.base = lease.base;
  request.metrics = {{"loss", 0.6}};
  auto save = some_report(lease, 200);
  save.end = LeaseEndReason::kRunning;
  ledger_.accept(save, 2);
  request.forks = {{lease.id, 0, 200, true, true, ""}};
  ASSERT_TRUE(ledger_.settle(request, 2).has_value());
  EXPECT_FALSE(job(id).final_state.has_value());
  const auto moved = ledger_.state().find(lease.id)->lease;
  ledger_.accept(some_report(moved, 100), 3);
  request.base = moved.base;
  request.metrics = {{"loss", 0.5}};
  request.forks = {{lease.id, 0, 100, true, false, ""}};
  const auto settled = ledger_.settle(request, 3);
  ASSERT_TRUE(settled.has_value());
  EXPECT_TRUE(settled->finished);
  EXPECT_EQ(job(id).final_state, JobState::kCompleted);
  EXPECT_EQ(job(id).reason.code, "completed_target");
  EXPECT_EQ(job(id).steps_credited, 300U);
}

TEST_F(LedgerTest, OldEpochsAreStale) {
  const auto id = submit(some_job(100));
  auto wanted = some_lease(1, id.value, 0, "n1", 60);
  wanted.epoch = Epoch{3};
  const auto lease = grant(wanted);
  auto report = some_report(lease, 60);
  report.epoch = Epoch{2};
  EXPECT_EQ(ledger_.accept(report, 2).verdict, ReportVerdict::kStale);
}

TEST_F(LedgerTest, ANodeThatWasLostHasNoLeaseThatReports) {
  const auto id = submit(some_job(100));
  ASSERT_TRUE(record_node(event::NodeUp{some_node("n1"), Epoch{1}}, 1).has_value());
  auto wanted = some_lease(1, id.value, 0, "n1", 60);
  wanted.epoch = Epoch{1};
  const auto lease = grant(wanted);
  ASSERT_TRUE(record_node(event::NodeLost{"n1", Epoch{2}, "no heartbeat"}, 2).has_value());
  EXPECT_EQ(ledger_.accept(some_report(lease, 60), 3).verdict, ReportVerdict::kStale);
  EXPECT_EQ(job(id).steps_credited, 0U);
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

TEST_F(LedgerTest, ATermIsOpenedOnceForEachStartOfTheScheduler) {
  const auto first = ledger_.open_term({"test", 60, 7}, 2).term;
  EXPECT_EQ(ledger_.open_term({"test", 60, 7}, 3).term, first) << "the same request, brought twice";
  const auto second = ledger_.open_term({"test", 60, 8}, 4).term;
  EXPECT_GT(second, first);
  EXPECT_GT(ledger_.open_term({"test", 60, 7}, 5).term, second) << "who lost the term opens another";
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

TEST_F(LedgerTest, HeldJobIsNotPlannedAndItsLeasesAreUnwanted) {
  const auto id = submit(some_job());
  const auto lease = grant(some_lease(1, id.value, 0, "n1", 10));
  ASSERT_TRUE(ledger_.command({"job", JobAction::kHold}, 2).has_value());
  EXPECT_THAT(ledger_.view(3).jobs, IsEmpty());
  EXPECT_THAT(ledger_.view(3).unwanted, ElementsAre(lease.id));
  ASSERT_TRUE(ledger_.command({"job", JobAction::kRelease}, 4).has_value());
  EXPECT_THAT(ledger_.view(5).jobs, SizeIs(1));
  EXPECT_FALSE(ledger_.command({"job", JobAction::kRelease}, 6).has_value());
}

TEST_F(LedgerTest, CancelledJobEndsAndItsLateReportClosesTheLease) {
  const auto id = submit(some_job());
  const auto lease = grant(some_lease(1, id.value, 0, "n1", 10));
  ASSERT_TRUE(ledger_.command({"job", JobAction::kCancel}, 2).has_value());
  EXPECT_EQ(job(id).final_state, JobState::kCancelled);
  EXPECT_FALSE(ledger_.command({"job", JobAction::kCancel}, 3).has_value());
  EXPECT_EQ(ledger_.accept(some_report(lease, 10), 3).verdict, ReportVerdict::kSettled);
  EXPECT_EQ(ledger_.state().find(lease.id), nullptr);
  EXPECT_EQ(job(id).steps_credited, 0U);
}

TEST_F(LedgerTest, JobIsFoundByNameUntilTwoHaveIt) {
  submit(some_job());
  EXPECT_TRUE(ledger_.command({"job", JobAction::kHold}, 2).has_value());
  submit(some_job());
  const auto which = ledger_.command({"job", JobAction::kHold}, 3);
  ASSERT_FALSE(which.has_value());
  EXPECT_THAT(which.error().message, HasSubstr("1, 2"));
  EXPECT_EQ(ledger_.command({"nobody", JobAction::kHold}, 3).error().code, ErrorCode::kNotFound);
}

TEST_F(LedgerTest, JobThatCannotFitIsRefusedUnlessKeptAndReconsideredWhenANodeJoins) {
  ASSERT_TRUE(record_node(event::NodeUp{some_node("n1", 1), Epoch{1}}, 1).has_value());
  const auto refused = ledger_.submit({some_job(10, 2), "", false}, 2);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kInfeasible);
  const auto kept = ledger_.submit({some_job(10, 2), "", true}, 2);
  ASSERT_TRUE(kept.has_value());
  EXPECT_FALSE(kept->reason.code.empty());
  EXPECT_THAT(ledger_.view(3).jobs, IsEmpty());
  ASSERT_TRUE(record_node(event::NodeUp{some_node("n2", 1), Epoch{1}}, 4).has_value());
  EXPECT_THAT(ledger_.view(5).jobs, SizeIs(1));
}

TEST_F(LedgerTest, JobFailsAfterTooManyFailedLeasesInARow) {
  const auto id = submit(some_job(100));
  for (std::uint64_t n = 1; n <= 3; ++n) {
    EXPECT_FALSE(job(id).final_state.has_value());
    const auto lease = grant(some_lease(n, id.value, 0, "n1", 10));
    const auto report = some_report(lease, 0, LeaseEndReason::kFailed);
    ledger_.accept(report, now_s_);
    auto out = in_fork(report);
    out.in = false;
    ASSERT_TRUE(settle(id, lease.base, {out}).has_value());
  }
  EXPECT_EQ(job(id).final_state, JobState::kFailed);
}

TEST_F(LedgerTest, JobWhoseEveryForkFailsEndsWithoutAMerge) {
  const auto id = submit(some_job(100));
  auto recorded = record({some_lease(1, id.value, 0, "n1", 10), some_lease(2, id.value, 1, "n2", 10),
                          some_lease(3, id.value, 2, "n3", 10)});
  ASSERT_TRUE(recorded.has_value());
  ASSERT_THAT(recorded->leases, SizeIs(3));
  for (const auto& lease : recorded->leases) {
    EXPECT_FALSE(job(id).final_state.has_value()) << lease.id.value;
    auto report = some_report(lease, 0, LeaseEndReason::kFailed);
    report.detail = "exit code 3";
    ledger_.accept(report, 2);
  }
  EXPECT_EQ(job(id).final_state, JobState::kFailed);
}

// When one member of a gang dies the others follow: five leases, one failure.
TEST_F(LedgerTest, AGangThatFailsIsOneFailureHoweverLargeItIs) {
  auto spec = some_job(100);
  spec.gpus = 5;
  const auto id = submit(spec);
  std::vector<Lease> members;
  for (std::uint32_t rank = 0; rank < 5; ++rank) {
    auto lease = some_lease(rank + 1, id.value, 0, "n" + std::to_string(rank + 1), 10);
    lease.gang.rank = rank;
    lease.gang.world_size = 5;
    members.push_back(lease);
  }
  auto recorded = record(members);
  ASSERT_TRUE(recorded.has_value());
  ASSERT_THAT(recorded->leases, SizeIs(5));
  for (const auto& lease : recorded->leases) {
    auto report = some_report(lease, 0, LeaseEndReason::kFailed);
    report.detail = "gang member 2 is gone";
    ledger_.accept(report, 2);
  }
  EXPECT_EQ(job(id).failures, 1U);
  EXPECT_FALSE(job(id).final_state.has_value());
}

TEST_F(LedgerTest, ForksThatKeepFailingGetNoMoreLeasesWhileAnotherRuns) {
  const auto id = submit(some_job(100));
  const auto healthy = grant(some_lease(1, id.value, 0, "n1", 50));
  for (std::uint64_t n = 2; n <= 4; ++n) {
    EXPECT_GT(ledger_.view(2).jobs.front()->steps_unissued(), 0U) << n;
    const auto lease = grant(some_lease(n, id.value, static_cast<std::uint32_t>(n), "n2", 10));
    auto report = some_report(lease, 0, LeaseEndReason::kFailed);
    report.detail = "exit code 7";
    ledger_.accept(report, 2);
  }
  EXPECT_FALSE(job(id).final_state.has_value()) << "one fork is well";
  EXPECT_EQ(ledger_.view(2).jobs.front()->steps_unissued(), 0U);
  EXPECT_THAT(status_of(ledger_.state(), job(id), 2).reason.text, HasSubstr("exit code 7"));
  const auto report = some_report(healthy, 50);
  ledger_.accept(report, 3);
  ASSERT_TRUE(settle(id, healthy.base, {in_fork(report)}).has_value());
  EXPECT_FALSE(job(id).final_state.has_value());
  EXPECT_GT(ledger_.view(4).jobs.front()->steps_unissued(), 0U) << "it is tried again";
}

TEST_F(LedgerTest, ReplayedLogGivesAnEqualLedger) {
  std::vector<Event> written = ledger_.take().events;
  const auto a = submit(some_job(100), "a");
  const auto b = submit(some_job(100), "b");
  ASSERT_TRUE(record_node(event::NodeUp{some_node("n1", 2), Epoch{1}}, 1).has_value());
  const auto first = grant(some_lease(1, a.value, 0, "n1", 100));
  auto second = some_lease(2, b.value, 0, "n1", 40, 30);
  second.gpus = {1};
  grant(second);
  const auto save = some_report(first, 30, LeaseEndReason::kRunning);
  ledger_.accept(save, 2);
  ASSERT_TRUE(settle(a, first.base, {in_fork(save, true)}, "w1").has_value());
  ASSERT_TRUE(ledger_.command({std::to_string(b.value), JobAction::kHold}, 3).has_value());
  for (auto& event : ledger_.take().events) written.push_back(std::move(event));

  Ledger again{LedgerOptions{"test", 3}};
  for (const auto& event : written) {
    const auto read = event_from_json(event_to_json(event));
    ASSERT_TRUE(read.has_value());
    const auto replayed = again.replay(*read);
    ASSERT_TRUE(replayed.has_value()) << replayed.error().message;
  }
  ASSERT_TRUE(again.start(9, "").has_value());
  const auto before = ledger_.list({"", true}, 9);
  const auto after = again.list({"", true}, 9);
  EXPECT_EQ(before->jobs, after->jobs);
  EXPECT_EQ(ledger_.view(9), again.view(9));
  EXPECT_EQ(ledger_.open_term({"test", 60}, 9), again.open_term({"test", 60}, 9));
  const auto tracked = again.take().tracked;
  ASSERT_THAT(tracked, SizeIs(2)) << "the fork tracker is told of what is open";
  EXPECT_EQ(tracked.front().base.version, 1U);
}

TEST_F(LedgerTest, LogOfAnotherClusterIsRefused) {
  Ledger other{LedgerOptions{"other", 3}};
  for (const auto& event : ledger_.take().events) ASSERT_TRUE(other.replay(event).has_value());
  EXPECT_EQ(other.start(1, "").error().code, ErrorCode::kRefused);
}

TEST_F(LedgerTest, LogThatCountsAStepTwiceIsCorrupt) {
  const auto id = submit(some_job(100));
  const auto lease = grant(some_lease(1, id.value, 0, "n1", 100));
  Ledger copy{LedgerOptions{"test", 3}};
  std::uint64_t seq = 0;
  for (const auto& event : ledger_.take().events) {
    ASSERT_TRUE(copy.replay(event).has_value());
    seq = event.seq;
  }
  event::Consolidated fact{id, {1, {}}, {in_fork(some_report(lease, 60))}, 60, {}, 0, {}, {}};
  ASSERT_TRUE(copy.replay({seq + 1, 2, fact}).has_value());
  EXPECT_EQ(copy.replay({seq + 2, 2, fact}).error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace hadar
