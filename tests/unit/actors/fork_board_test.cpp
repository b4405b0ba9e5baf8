#include "actors/tracker/fork_board.hpp"

#include <gmock/gmock.h>

#include "actors/tracker/merge_order.hpp"
#include "tests/unit/actors/values.hpp"

namespace hadar {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr double kGrace_s = 2;

TrackLeases tracking(std::vector<Lease> leases) {
  return TrackLeases{std::make_shared<const JobSpec>(some_job(1000)), {}, std::move(leases), {}};
}

TEST(ForkBoard, IsDueWhenTheLastForkHasEnded) {
  ForkBoard board(kGrace_s);
  const auto a = some_lease(1, 1, 0, "n1", 100, 50);
  const auto b = some_lease(2, 1, 1, "n2", 100, 50);
  board.track(tracking({a, b}), 0);
  board.report(some_report(a, 100), 10);
  EXPECT_FALSE(board.due(10).has_value());
  board.report(some_report(b, 100), 20);
  const auto order = board.due(20);
  ASSERT_TRUE(order.has_value());
  EXPECT_THAT(order->reports, SizeIs(2));
  EXPECT_FALSE(board.due(20).has_value()) << "it is being merged";
}

TEST(ForkBoard, OnlyTheReportThatEndsTheWaitSettlesItsJobAtOnce) {
  ForkBoard board(kGrace_s);
  const auto a = some_lease(1, 1, 0, "n1", 100);
  const auto b = some_lease(2, 1, 1, "n2", 100);
  board.track(tracking({a, b}), 0);
  EXPECT_FALSE(board.last_report(some_report(a, 100), 10).has_value()) << "the other fork is out";
  board.report(some_report(a, 100), 10);
  EXPECT_FALSE(board.last_report(some_report(a, 100), 11).has_value()) << "it is in already";
  EXPECT_FALSE(board.last_report(some_report(b, 40, LeaseEndReason::kRunning), 15).has_value()) << "it goes on";
  const auto order = board.last_report(some_report(b, 100), 20);
  ASSERT_TRUE(order.has_value());
  EXPECT_THAT(order->reports, SizeIs(2));
  EXPECT_EQ(order->since_s, 20);
  EXPECT_FALSE(board.last_report(some_report(b, 100), 20).has_value()) << "told twice, it is settled once";
  board.postpone(order->job);
  EXPECT_FALSE(board.due(21).has_value()) << "the report was not accepted";
  board.report(some_report(b, 100), 22);
  ASSERT_TRUE(board.due(22).has_value());
}

TEST(ForkBoard, WaitsForALateForkUntilTheGraceIsOver) {
  ForkBoard board(kGrace_s);
  const auto a = some_lease(1, 1, 0, "n1", 100, 50);
  const auto b = some_lease(2, 1, 1, "n2", 100, 50);
  board.track(tracking({a, b}), 0);
  board.report(some_report(a, 100), 10);
  EXPECT_EQ(board.next_deadline_s(), 52);
  EXPECT_FALSE(board.due(51.9).has_value());
  const auto order = board.due(52);
  ASSERT_TRUE(order.has_value());
  EXPECT_THAT(order->reports, ElementsAre(Field(&LeaseReport::lease, a.id)));
  ASSERT_THAT(order->others, SizeIs(1));
  EXPECT_EQ(order->others.front().lease, b.id);
  EXPECT_THAT(order->others.front().reason, HasSubstr("late"));
}

TEST(ForkBoard, LastCheckpointOfADeadForkIsMergedWithTheOthers) {
  ForkBoard board(kGrace_s);
  const auto a = some_lease(1, 1, 0, "n1", 100, 50);
  const auto b = some_lease(2, 1, 1, "n2", 100, 50);
  board.track(tracking({a, b}), 0);
  board.report(some_report(a, 100), 10);
  board.report(some_report(b, 30, LeaseEndReason::kRunning), 10);
  auto word = tracking({});
  word.reports = {some_report(b, 30, LeaseEndReason::kLost)};
  board.track(word, 20);
  const auto order = board.due(20);
  ASSERT_TRUE(order.has_value()) << "nothing more will come";
  const auto decision = decide_merge(*order);
  ASSERT_TRUE(decision.has_value());
  std::uint64_t credited = 0;
  for (const auto& fork : decision->settle.forks) credited += fork.in ? fork.steps : 0;
  EXPECT_EQ(credited, 130U);
}

TEST(ForkBoard, CheckpointIsAllThatIsLeftOfALateFork) {
  ForkBoard board(kGrace_s);
  const auto a = some_lease(1, 1, 0, "n1", 100, 50);
  board.track(tracking({a}), 0);
  board.report(some_report(a, 40, LeaseEndReason::kRunning), 10);
  const auto order = board.due(52);
  ASSERT_TRUE(order.has_value());
  const auto decision = decide_merge(*order);
  ASSERT_TRUE(decision.has_value());
  ASSERT_THAT(decision->settle.forks, SizeIs(1));
  EXPECT_TRUE(decision->settle.forks.front().in);
  EXPECT_EQ(decision->settle.forks.front().steps, 40U);
  EXPECT_FALSE(decision->settle.forks.front().open) << "it must not go on: its job is planned anew";
}

TEST(ForkBoard, AFailedForkSaysItsReasonOnce) {
  ForkBoard board(kGrace_s);
  const auto a = some_lease(1, 1, 0, "n1", 100, 50);
  const auto b = some_lease(2, 1, 1, "n2", 100, 50);
  board.track(tracking({a, b}), 0);
  auto none = some_report(a, 0, LeaseEndReason::kFailed);
  none.detail = "exit code 3";
  auto stale = some_report(b, 10, LeaseEndReason::kFailed);
  stale.detail = "exit code 4";
  stale.base.version += 1;
  board.report(none, 10);
  board.report(stale, 10);
  const auto order = board.due(10);
  ASSERT_TRUE(order.has_value());
  const auto decision = decide_merge(*order);
  ASSERT_TRUE(decision.has_value());
  ASSERT_THAT(decision->settle.forks, SizeIs(2));
  EXPECT_EQ(decision->settle.forks[0].reason, "did no steps: exit code 3");
  EXPECT_THAT(decision->settle.forks[1].reason, testing::AllOf(HasSubstr("started from"), HasSubstr(": exit code 4")));
}

TEST(ForkBoard, ForgetsWhatWasClosedElsewhere) {
  ForkBoard board(kGrace_s);
  const auto a = some_lease(1, 1, 0, "n1", 100, 50);
  const auto b = some_lease(2, 1, 1, "n2", 100, 50);
  board.track(tracking({a, b}), 0);
  board.report(some_report(a, 100), 10);
  board.untrack({JobId{1}, {b.id}, "node lost"});
  const auto order = board.due(11);
  ASSERT_TRUE(order.has_value()) << "nobody else is waited for";
  EXPECT_THAT(order->others, IsEmpty());
}

TEST(ForkBoard, OnlyALoneLeaseIsSettledAtACheckpoint) {
  ForkBoard board(kGrace_s);
  const auto a = some_lease(1, 1, 0, "n1", 100);
  board.track(tracking({a}), 0);
  EXPECT_TRUE(board.lone(a.id));
  board.track(tracking({some_lease(2, 1, 1, "n2", 100, 50)}), 0);
  EXPECT_FALSE(board.lone(a.id));
  EXPECT_FALSE(board.lone(LeaseId{9}));
}

TEST(ForkBoard, AGangThatIsTheOnlyForkIsSettledAtACheckpointOfItsFirstMember) {
  ForkBoard board(kGrace_s);
  const auto first = some_lease(1, 1, 0, "n1", 1000);
  auto second = some_lease(2, 1, 0, "n2", 1000);
  second.gang.rank = 1;
  board.track(tracking({first, second}), 0);
  EXPECT_TRUE(board.lone(first.id));
  EXPECT_FALSE(board.lone(second.id)) << "its steps are the same ones";
  board.report(some_report(first, 300, LeaseEndReason::kRunning), 10);
  board.checkpointed(first.id, {1, {"w", 1}});
  board.report(some_report(second, 300, LeaseEndReason::kFailed), 20);
  EXPECT_FALSE(board.lone(first.id)) << "it waits for a member that is gone";
  auto last = some_report(first, 700);
  last.base = {1, {"w", 1}};
  board.report(last, 21);
  const auto order = board.due(21);
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(order->steps_left, 700U) << "as the first member counts";
}

TEST(ForkBoard, CheckpointedLeaseCountsOnFromThere) {
  ForkBoard board(kGrace_s);
  auto a = some_lease(1, 1, 0, "n1", 1000);
  board.track(tracking({a}), 0);
  board.report(some_report(a, 300, LeaseEndReason::kRunning), 10);
  board.checkpointed(a.id, {1, {"w", 1}});
  a.base = {1, {"w", 1}};
  board.report(some_report(a, 700), 20);
  const auto order = board.due(20);
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(order->base.version, 1U);
  EXPECT_EQ(order->steps_left, 700U);
  EXPECT_TRUE(decide_merge(*order).has_value());
}

TEST(ForkBoard, MembersOfAGangButTheFirstCountNoSteps) {
  ForkBoard board(kGrace_s);
  auto first = some_lease(1, 1, 0, "n1", 100);
  auto second = some_lease(2, 1, 0, "n2", 100);
  second.gang.rank = 1;
  board.track(tracking({first, second}), 0);
  board.report(some_report(first, 100), 10);
  board.report(some_report(second, 100), 10);
  const auto order = board.due(10);
  ASSERT_TRUE(order.has_value());
  EXPECT_THAT(order->reports, ElementsAre(Field(&LeaseReport::lease, first.id)));
  ASSERT_THAT(order->others, SizeIs(1));
  EXPECT_FALSE(order->others.front().in);
}

TEST(ForkBoard, PostponedMergeIsOfferedAgain) {
  ForkBoard board(kGrace_s);
  const auto a = some_lease(1, 1, 0, "n1", 100);
  board.track(tracking({a}), 0);
  board.report(some_report(a, 100), 10);
  ASSERT_TRUE(board.due(10).has_value());
  board.postpone(JobId{1});
  EXPECT_TRUE(board.due(11).has_value());
}

TEST(ForkBoard, DeadlineOfALeaseGrantedBeforeTheWordOfTheLastMergeStands) {
  ForkBoard board(kGrace_s);
  const auto a = some_lease(1, 1, 0, "n1", 100, 10);
  board.track(tracking({a}), 0);
  board.report(some_report(a, 100), 9);
  const auto order = board.due(9);
  ASSERT_TRUE(order.has_value());
  board.track(tracking({some_lease(2, 1, 0, "n1", 100, 10)}), 10);
  board.settled(*order, {1, {}});
  EXPECT_EQ(board.next_deadline_s(), 22);
  EXPECT_TRUE(board.due(22).has_value()) << "or a fork that never reports holds its job for ever";
}

TEST(MergeOrder, SharesFollowSamplesAndUnfitForksAreNamed) {
  MergeOrder order;
  order.job = JobId{1};
  order.spec = std::make_shared<const JobSpec>(some_job(9000));
  order.steps_left = 9000;
  for (std::uint64_t n = 1; n <= 3; ++n) {
    auto report = some_report(some_lease(n, 1, static_cast<std::uint32_t>(n - 1), "n", 6000), n == 1   ? 600
                                                                                              : n == 2 ? 1200
                                                                                                       : 3600);
    report.weights = {"w" + std::to_string(n), 1};
    order.reports.push_back(report);
  }
  const auto all = decide_merge(order);
  ASSERT_TRUE(all.has_value());
  ASSERT_THAT(all->inputs, SizeIs(3));
  EXPECT_DOUBLE_EQ(all->inputs[0].coefficient, 1.0 / 9);
  EXPECT_DOUBLE_EQ(all->inputs[1].coefficient, 2.0 / 9);
  EXPECT_DOUBLE_EQ(all->inputs[2].coefficient, 6.0 / 9);
  const auto two = decide_merge(order, {{LeaseId{3}, "holds a NaN"}});
  ASSERT_TRUE(two.has_value());
  ASSERT_THAT(two->inputs, SizeIs(2));
  EXPECT_FALSE(two->settle.forks[2].in);
  EXPECT_EQ(two->settle.forks[2].reason, "holds a NaN");
}

TEST(MergeOrder, OneForkIsTheNewVersionAsItStands) {
  MergeOrder order;
  order.job = JobId{1};
  order.steps_left = 100;
  order.reports = {some_report(some_lease(1, 1, 0, "n", 100), 100)};
  order.reports.front().weights = {"w1", 1};
  const auto decision = decide_merge(order);
  ASSERT_TRUE(decision.has_value());
  EXPECT_EQ(decision->settle.weights.hash, "w1");
}

TEST(MergeOrder, MoreStepsThanAreLeftAreAFault) {
  MergeOrder order;
  order.job = JobId{1};
  order.steps_left = 99;
  order.reports = {some_report(some_lease(1, 1, 0, "n", 100), 100)};
  EXPECT_EQ(decide_merge(order).error().code, ErrorCode::kInternal);
}

}  // namespace
}  // namespace hadar
