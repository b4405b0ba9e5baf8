#include "tests/unit/actors/ledger_case.hpp"

namespace hadar {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

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

}  // namespace
}  // namespace hadar
