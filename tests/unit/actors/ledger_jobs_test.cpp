#include "messages/codec/event_json.hpp"
#include "tests/unit/actors/ledger_case.hpp"

namespace hadar {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

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
