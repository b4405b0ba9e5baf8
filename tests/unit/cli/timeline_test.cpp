#include "tools/report/timeline.hpp"

#include <gmock/gmock.h>

#include "tests/unit/cli/run_events.hpp"

namespace hadar::report {
namespace {

using End = LeaseEndReason;

TEST(Timeline, DrawsOneBarPerGpuFromGrantToEnd) {
  RunEvents run;
  run.node("n1", 2).at(5).submit(1, "a", 100);
  auto lease = RunEvents::lease(1, 1, 0, "n1", 100);
  lease.gpus = {0, 1};
  run.at(6).grant({lease}).at(9).report(1, 1, 0, 100, 2.5, End::kQuota);
  const auto timeline = make_timeline(run.events);
  EXPECT_THAT(timeline.rows, testing::ElementsAre("n1:0 · V100", "n1:1 · V100"));
  ASSERT_EQ(timeline.bars.size(), 2u);
  for (const auto& bar : timeline.bars) {
    EXPECT_DOUBLE_EQ(bar.start_s, 1) << "seconds since the first submission";
    EXPECT_DOUBLE_EQ(bar.end_s, 4);
    EXPECT_EQ(bar.steps, 100u);
    EXPECT_EQ(bar.end, "quota");
  }
}

TEST(Timeline, EndsBarsOfLeasesThatWereClosedOrStayOpen) {
  RunEvents run;
  run.node("n1").node("n2").submit(1, "a", 100);
  run.grant({RunEvents::lease(1, 1, 0, "n1", 50), RunEvents::lease(2, 1, 1, "n2", 50)});
  run.at(3).add(event::LeaseClosed{{1}, {1}, "n1", "node lost"}).at(5).add(event::Held{{1}});
  const auto timeline = make_timeline(run.events);
  EXPECT_DOUBLE_EQ(timeline.bars.at(0).end_s, 3);
  EXPECT_EQ(timeline.bars.at(0).end, "node lost");
  EXPECT_DOUBLE_EQ(timeline.bars.at(1).end_s, 5);
  EXPECT_EQ(timeline.bars.at(1).end, "open");
}

TEST(Timeline, MarksMergesOnTheRowsThatTookPart) {
  RunEvents run;
  run.node("n1").node("n2").submit(1, "a", 100);
  run.grant({RunEvents::lease(1, 1, 0, "n1", 50), RunEvents::lease(2, 1, 1, "n2", 50)});
  run.at(4).merge(1, 1, {RunEvents::in(1, 0, 50), RunEvents::out(2, 1, 50)}, 50, {{"accuracy", 0.5}});
  const auto timeline = make_timeline(run.events);
  ASSERT_EQ(timeline.merges.size(), 1u);
  EXPECT_EQ(timeline.merges.front().row, 0u);
  EXPECT_EQ(timeline.progress.at({1}).back().value, 0.5);
  EXPECT_EQ(timeline.metrics.at({1}).at("accuracy").front().value, 0.5);
}

TEST(Timeline, EndsABarWhoseLeaseWasSettledWithoutAReport) {
  RunEvents run;
  run.node("n1").node("n2").submit(1, "a", 100);
  run.grant({RunEvents::lease(1, 1, 0, "n1", 50), RunEvents::lease(2, 1, 1, "n2", 50)});
  run.at(4).merge(1, 1, {RunEvents::in(1, 0, 50), RunEvents::out(2, 1, 0)}, 50).at(9).add(event::Held{{1}});
  EXPECT_DOUBLE_EQ(make_timeline(run.events).bars.at(1).end_s, 4);
  EXPECT_EQ(make_timeline(run.events).bars.at(1).end, "late");
}

TEST(Timeline, SpreadsTrainingOverTheNodes) {
  RunEvents run;
  run.node("n1").node("n2").submit(1, "a", 100).grant({RunEvents::lease(1, 1, 0, "n1", 100)});
  run.at(10).report(1, 1, 0, 100, 10, End::kQuota);
  const auto timeline = make_timeline(run.events);
  for (const auto& point : timeline.training) EXPECT_NEAR(point.value, 0.5, 1e-9) << point.t_s;
  for (const auto& point : timeline.leased) EXPECT_NEAR(point.value, 0.5, 1e-9) << point.t_s;
}

// Two jobs side by side on one node of two GPUs, for 10 s.
std::vector<Event> two_at_once() {
  RunEvents run;
  run.node("n1", 2).submit(1, "a", 100).submit(2, "b", 100);
  auto second = RunEvents::lease(2, 2, 0, "n1", 100);
  second.gpus = {1};
  run.grant({RunEvents::lease(1, 1, 0, "n1", 100), second});
  run.at(10).report(1, 1, 0, 100, 10, End::kQuota).report(2, 2, 0, 100, 10, End::kQuota);
  return run.events;
}

TEST(Timeline, CountsANodeWithTwoLeasesOnce) {
  for (const auto& point : make_timeline(two_at_once()).leased) EXPECT_NEAR(point.value, 1, 1e-9);
}

TEST(Timeline, KeepsPricesPerType) {
  RunEvents run;
  run.submit(1, "a", 1).at(2).add(event::RoundOpened{{1}, "hadar", {{"V100", 2.5}, {"K80", 0.5}}});
  const auto timeline = make_timeline(run.events);
  EXPECT_EQ(timeline.prices.at("V100").front().value, 2.5);
  EXPECT_EQ(timeline.prices.at("K80").front().t_s, 2);
}

TEST(Timeline, OfNothingIsEmpty) {
  EXPECT_TRUE(make_timeline({}).bars.empty());
}

TEST(Timeline, NeverShowsMoreNodesTrainingThanThereAre) {
  for (const auto& point : make_timeline(two_at_once()).training) EXPECT_NEAR(point.value, 1, 1e-9) << point.t_s;
}

}  // namespace
}  // namespace hadar::report
