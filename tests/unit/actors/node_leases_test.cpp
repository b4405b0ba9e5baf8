#include "actors/node/node_leases.hpp"

#include <gmock/gmock.h>

#include "tests/unit/actors/values.hpp"

namespace hadar {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class NodeLeasesTest : public testing::Test {
 protected:
  void SetUp() override { leases_.welcome(NodeWelcome{Term{2}, Epoch{5}, 60, 60, {}, {}}); }

  Held& running(std::uint64_t id) {
    EXPECT_THAT(leases_.prepare({some_lease(id, 1, 0, "n1", 100)}, 0).accepted, SizeIs(1));
    auto& held = *leases_.find(LeaseId{id});
    held.phase = HeldPhase::kRunning;
    return held;
  }

  static Finished finished(LeaseEndReason end, std::uint64_t steps) {
    Finished done;
    done.end = end;
    done.steps = steps;
    done.samples = steps * 2;
    done.train_s = static_cast<double>(steps);
    return done;
  }

  NodeLeases leases_{some_node("n1", 2)};
};

TEST_F(NodeLeasesTest, CommandsOfAnOldTermOrAnotherEpochAreStale) {
  EXPECT_TRUE(leases_.admit(Term{2}, Epoch{5}).has_value());
  EXPECT_EQ(leases_.admit(Term{1}, Epoch{5}).error().code, ErrorCode::kStale);
  EXPECT_EQ(leases_.admit(Term{2}, Epoch{4}).error().code, ErrorCode::kStale);
  EXPECT_EQ(leases_.admit(Term{2}, Epoch{6}).error().code, ErrorCode::kStale);
  EXPECT_TRUE(leases_.admit(Term{3}, Epoch{5}).has_value());
  EXPECT_EQ(leases_.admit(Term{2}, Epoch{5}).error().code, ErrorCode::kStale) << "a newer scheduler has spoken";
}

TEST_F(NodeLeasesTest, GpuIsPromisedOnce) {
  const auto answer = leases_.prepare({some_lease(1, 1, 0, "n1", 10), some_lease(2, 2, 0, "n1", 10)}, 0);
  EXPECT_THAT(answer.accepted, SizeIs(1));
  ASSERT_THAT(answer.refused, SizeIs(1));
  EXPECT_THAT(answer.refused.front().reason, HasSubstr("under lease 1"));
}

TEST_F(NodeLeasesTest, GpuIsFreeAgainWhileTheLastReportWaits) {
  running(1).phase = HeldPhase::kReporting;
  EXPECT_THAT(leases_.prepare({some_lease(2, 2, 0, "n1", 10)}, 0).accepted, SizeIs(1));
}

TEST_F(NodeLeasesTest, GpuThatIsNotThereIsRefused) {
  auto lease = some_lease(1, 1, 0, "n1", 10);
  lease.gpus = {2};
  EXPECT_THAT(leases_.prepare({lease}, 0).refused, SizeIs(1));
}

TEST_F(NodeLeasesTest, TimeToTrainCountsFromThePromise) {
  leases_.prepare({some_lease(1, 1, 0, "n1", 10, 30)}, 100);
  EXPECT_DOUBLE_EQ(leases_.find(LeaseId{1})->left_s(110), 20);
}

TEST_F(NodeLeasesTest, LostLinkDropsPromisesOnly) {
  running(1);
  auto other = some_lease(2, 2, 0, "n1", 10);
  other.gpus = {1};
  leases_.prepare({other}, 0);
  leases_.drop_promises();
  EXPECT_NE(leases_.find(LeaseId{1}), nullptr);
  EXPECT_EQ(leases_.find(LeaseId{2}), nullptr);
}

TEST_F(NodeLeasesTest, HelloTellsWhatRunsAndWhatIsOver) {
  running(1);
  auto& second = leases_.all()[LeaseId{2}];
  second.lease = some_lease(2, 2, 0, "n1", 10);
  second.phase = HeldPhase::kReporting;
  const auto hello = leases_.hello(77);
  EXPECT_EQ(hello.epoch, Epoch{5});
  ASSERT_THAT(hello.held, SizeIs(2));
  EXPECT_FALSE(hello.held[0].over);
  EXPECT_TRUE(hello.held[1].over);
}

TEST_F(NodeLeasesTest, WelcomeStampsAdoptedLeasesAndNamesTheOthers) {
  running(1);
  const auto discard = leases_.welcome(NodeWelcome{Term{3}, Epoch{6}, 60, 60, {LeaseId{1}}, {LeaseId{9}}});
  EXPECT_THAT(discard, ElementsAre(LeaseId{9}));
  EXPECT_EQ(leases_.find(LeaseId{1})->lease.term, Term{3});
  EXPECT_EQ(leases_.find(LeaseId{1})->lease.epoch, Epoch{6});
  EXPECT_TRUE(leases_.admit(Term{3}, Epoch{6}).has_value());
}

TEST_F(NodeLeasesTest, ReportsCountFromTheBaseOn) {
  auto& held = running(1);
  held.unreported.push_back(finished(LeaseEndReason::kRunning, 40));
  const auto save = leases_.report_of(held);
  EXPECT_EQ(save.steps, 40U);
  EXPECT_FALSE(leases_.answered(held, save, {held.lease.id, ReportVerdict::kAccepted, "", {1, {"w1", 1}}}));
  EXPECT_EQ(held.lease.base.version, 1U);
  held.unreported.push_back(finished(LeaseEndReason::kQuota, 100));
  const auto last = leases_.report_of(held);
  EXPECT_EQ(last.steps, 60U);
  EXPECT_EQ(last.samples, 120U);
  EXPECT_DOUBLE_EQ(last.train_s, 60);
  EXPECT_EQ(last.base.version, 1U);
  EXPECT_TRUE(leases_.answered(held, last, {held.lease.id, ReportVerdict::kAccepted, "", {}}));
}

TEST_F(NodeLeasesTest, CheckpointThatWasOnlyKeptLeavesTheBaseWhereItWas) {
  auto& held = running(1);
  held.unreported.push_back(finished(LeaseEndReason::kRunning, 40));
  const auto save = leases_.report_of(held);
  EXPECT_FALSE(leases_.answered(held, save, {held.lease.id, ReportVerdict::kAccepted, "", {}}));
  held.unreported.push_back(finished(LeaseEndReason::kQuota, 100));
  EXPECT_EQ(leases_.report_of(held).steps, 100U);
}

TEST_F(NodeLeasesTest, CreditWhoseAnswerWasLostIsRecognised) {
  auto& held = running(1);
  held.unreported.push_back(finished(LeaseEndReason::kRunning, 40));
  held.unreported.front().blob = {"w1", 1};
  const auto save = leases_.report_of(held);
  EXPECT_FALSE(leases_.answered(held, save, {held.lease.id, ReportVerdict::kStale, "", {1, {"w1", 1}}}))
      << "told again, it is stale, but the version it became is current";
  EXPECT_EQ(held.lease.base.version, 1U);
  EXPECT_EQ(held.base_steps, 40U);
}

TEST_F(NodeLeasesTest, RunningLeaseThatWasSettledElsewhereIsDoneWith) {
  auto& held = running(1);
  held.unreported.push_back(finished(LeaseEndReason::kRunning, 40));
  const auto save = leases_.report_of(held);
  EXPECT_TRUE(leases_.answered(held, save, {held.lease.id, ReportVerdict::kSettled, "already settled", {}}));
}

TEST_F(NodeLeasesTest, ProgressIsSampledOfRunningLeasesSinceTheirBase) {
  auto& held = running(1);
  held.base_steps = 40;
  held.sampled_steps = 55;
  const auto progress = leases_.progress();
  ASSERT_THAT(progress.samples, SizeIs(1));
  EXPECT_EQ(progress.samples.front().steps, 15U);
  held.phase = HeldPhase::kReporting;
  EXPECT_THAT(leases_.progress().samples, IsEmpty());
}

}  // namespace
}  // namespace hadar
