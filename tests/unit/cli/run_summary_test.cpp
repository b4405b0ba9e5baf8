#include "tools/report/run_summary.hpp"

#include <fstream>
#include <gmock/gmock.h>
#include <unistd.h>

#include "messages/codec/event_json.hpp"
#include "tests/unit/cli/run_events.hpp"

namespace hadar::report {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::Optional;
using End = LeaseEndReason;

// Two nodes; job 1 forks over both from 10 to 20 s and completes, job 2 runs from 20 to 30 s.
RunEvents forked_run() {
  RunEvents run;
  run.add(event::SchedulerStarted{{1}, "hadare", 6}).node("n1").node("n2");
  run.at(10).submit(1, "a", 100).submit(2, "b", 50);
  run.grant({RunEvents::lease(1, 1, 0, "n1", 60), RunEvents::lease(2, 1, 1, "n2", 40)});
  run.at(19).report(1, 1, 0, 60, 8, End::kQuota).report(2, 1, 0, 40, 7, End::kQuota, 0.5);
  run.at(20).merge(1, 1, {RunEvents::in(1, 0, 60), RunEvents::in(2, 1, 40)}, 100,
                   {{"accuracy", 0.9}, {"baseline_accuracy", 0.1}, {"loss", 0.3}});
  run.add(event::Completed{{1}, {{"accuracy", 0.95}}}).grant({RunEvents::lease(3, 2, 0, "n1", 50)});
  run.at(30).report(3, 2, 0, 50, 9, End::kQuota).merge(2, 1, {RunEvents::in(3, 0, 50)}, 50);
  run.add(event::Completed{{2}, {}});
  return run;
}

TEST(RunSummary, ComputesTimesFromFirstSubmissionToLastCompletion) {
  const auto summary = summarise(forked_run().events);
  EXPECT_EQ(summary.policy, "hadare");
  EXPECT_DOUBLE_EQ(summary.makespan_s, 20);
  EXPECT_THAT(summary.jobs.at(0).jct_s, Optional(DoubleEq(10)));
  EXPECT_THAT(summary.jobs.at(1).jct_s, Optional(DoubleEq(20)));
  EXPECT_DOUBLE_EQ(summary.avg_jct_s, 15);
}

TEST(RunSummary, CountsTrainingOverNodesAndMakespan) {
  const auto summary = summarise(forked_run().events);
  EXPECT_DOUBLE_EQ(summary.train_s, 24);
  EXPECT_DOUBLE_EQ(summary.cru, 24.0 / (2 * 20));
}

TEST(RunSummary, CreditsOnlyWhatWasConsolidated) {
  RunEvents run;
  run.node("n1").submit(1, "a", 100).grant({RunEvents::lease(1, 1, 0, "n1", 50), RunEvents::lease(2, 1, 1, "n2", 50)});
  run.report(1, 1, 0, 50, 1, End::kQuota).report(2, 1, 0, 50, 1, End::kQuota);
  run.merge(1, 1, {RunEvents::in(1, 0, 50), RunEvents::out(2, 1, 50)}, 50);
  const auto job = summarise(run.events).jobs.at(0);
  EXPECT_EQ(job.steps_credited, 50u);
  EXPECT_EQ(job.consolidations, 0u) << "one copy alone is no consolidation";
  EXPECT_EQ(job.forks_max, 2u);
  EXPECT_FALSE(job.jct_s.has_value());
}

TEST(RunSummary, CountsConsolidationsAndForksAtOnce) {
  const auto summary = summarise(forked_run().events);
  EXPECT_EQ(summary.jobs.at(0).consolidations, 1u);
  EXPECT_EQ(summary.jobs.at(0).forks_max, 2u);
  EXPECT_EQ(summary.jobs.at(1).consolidations, 0u);
  EXPECT_EQ(summary.jobs.at(1).forks_max, 1u);
}

TEST(RunSummary, ForgetsAForkThatWasSettledWithoutAReport) {
  RunEvents run;
  run.submit(1, "a", 100).grant({RunEvents::lease(1, 1, 0, "n1", 50), RunEvents::lease(2, 1, 1, "n2", 50)});
  run.report(1, 1, 0, 50, 1, End::kQuota).merge(1, 1, {RunEvents::in(1, 0, 50), RunEvents::out(2, 1, 0)}, 50);
  run.grant({RunEvents::lease(3, 1, 0, "n1", 25), RunEvents::lease(4, 1, 2, "n3", 25)});
  EXPECT_EQ(summarise(run.events).jobs.at(0).forks_max, 2u);
}

TEST(RunSummary, TakesTheMetricThatHasABaseline) {
  const auto job = summarise(forked_run().events).jobs.at(0);
  EXPECT_EQ(job.metric_name, "accuracy");
  EXPECT_THAT(job.metric, Optional(DoubleEq(0.95))) << "the last value counts";
  EXPECT_THAT(job.baseline_metric, Optional(DoubleEq(0.1)));
  EXPECT_EQ(summarise(forked_run().events).jobs.at(1).metric_name, "");
}

TEST(RunSummary, CountsReportsBehindTheirPace) {
  const auto summary = summarise(forked_run().events);
  EXPECT_EQ(summary.pace_missed, 1u);
  EXPECT_DOUBLE_EQ(summary.pace_missed_s, 0.5);
}

TEST(RunSummary, CountsTrainingOncePerBase) {
  RunEvents run;
  run.node("n1").submit(1, "a", 100).grant({RunEvents::lease(1, 1, 0, "n1", 100)});
  run.report(1, 1, 0, 10, 2, End::kRunning).report(1, 1, 0, 20, 5, End::kRunning);
  run.report(1, 1, 1, 30, 4, End::kQuota);
  EXPECT_THAT(train_seconds_added(run.events), testing::ElementsAre(0, 0, 0, 2, 3, 4));
  EXPECT_DOUBLE_EQ(summarise(run.events).train_s, 9);
}

TEST(RunSummary, SaysWhichJobsFailed) {
  RunEvents run;
  run.submit(1, "a", 10).submit(2, "b", 10).add(event::Failed{{1}, "exit code 1"}).add(event::Cancelled{{2}});
  const auto summary = summarise(run.events);
  EXPECT_EQ(summary.jobs.at(0).state, JobState::kFailed);
  EXPECT_EQ(summary.jobs.at(1).state, JobState::kCancelled);
  EXPECT_EQ(summary.makespan_s, 0) << "nothing completed";
  EXPECT_EQ(summary.cru, 0);
}

TEST(RunSummary, OfNothingIsEmpty) {
  const auto summary = summarise({});
  EXPECT_TRUE(summary.jobs.empty());
  EXPECT_EQ(summary.cru, 0);
  EXPECT_EQ(summary.avg_jct_s, 0);
}

class EventFile : public ::testing::Test {
 protected:
  std::string write(const std::string& text) {
    const auto path = testing::TempDir() + "events-" + std::to_string(getpid()) + ".jsonl";
    std::ofstream(path) << text;
    return path;
  }
};

TEST_F(EventFile, ReadsWhatTheLogWrites) {
  std::string text;
  const auto run = forked_run();
  for (const auto& event : run.events) text += event_to_json(event) + "\n";
  std::string skipped;
  const auto read = read_events(write(text), skipped);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->size(), run.events.size());
  EXPECT_THAT(summarise(*read).cru, DoubleNear(summarise(run.events).cru, 1e-12));
}

TEST_F(EventFile, SaysWhereEventsAreMissing) {
  const auto line = [](std::uint64_t seq) { return event_to_json({seq, 1, event::Held{{1}}}) + "\n"; };
  std::string skipped;
  ASSERT_TRUE(read_events(write(line(3) + line(4)), skipped)) << "a part of a log";
  EXPECT_EQ(skipped, "");
  ASSERT_TRUE(read_events(write(line(3) + line(4) + line(7)), skipped));
  EXPECT_THAT(skipped, testing::HasSubstr(".jsonl:3: seq 7 after 4"));
}

TEST_F(EventFile, RefusesTimesThatFall) {
  std::string skipped;
  const auto first = event_to_json({1, 5, event::Held{{1}}}) + "\n";
  EXPECT_FALSE(read_events(write(first + event_to_json({2, 4, event::Held{{1}}}) + "\n"), skipped));
  EXPECT_FALSE(read_events(write(event_to_json({1, -5, event::Held{{1}}}) + "\n"), skipped));
}

TEST_F(EventFile, NamesFileAndLineOfWhatIsWrong) {
  const auto held = event_to_json({2, 1, event::Held{{1}}});
  const auto path = write(held + "\nnonsense\n");
  std::string skipped;
  const auto broken = read_events(path, skipped);
  ASSERT_FALSE(broken.has_value());
  EXPECT_THAT(broken.error().message, testing::StartsWith(path + ":2: "));
  EXPECT_THAT(read_events(write(held + "\n" + held + "\n"), skipped).error().message,
              testing::HasSubstr("seq 2 after 2"));
  EXPECT_THAT(read_events(write("\n"), skipped).error().message, testing::HasSubstr("no event"));
  EXPECT_EQ(read_events("/does/not/exist", skipped).error().code, ErrorCode::kIo);
}

TEST_F(EventFile, SkipsALastLineThatWasCutAndSaysWhich) {
  const auto held = event_to_json({2, 1, event::Held{{1}}});
  const auto next = event_to_json({3, 2, event::Held{{1}}});
  std::string skipped;
  for (std::size_t bytes = 1; bytes < next.size(); ++bytes) {
    const auto path = write(held + "\n" + next.substr(0, bytes));
    const auto read = read_events(path, skipped);
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->size(), 1);
    EXPECT_THAT(skipped, testing::StartsWith(path + ":2: "));
    EXPECT_FALSE(read_events(write(held + "\n" + next.substr(0, bytes) + "\n"), skipped).has_value()) << bytes;
  }
  EXPECT_EQ(read_events(write(held + "\n" + next), skipped)->size(), 2) << "whole, though without a line break";
  EXPECT_EQ(skipped, "");
  EXPECT_FALSE(read_events(write(next.substr(0, 9)), skipped).has_value()) << "nothing whole is in it";
}

TEST(RunSummary, CountsANodeWithTwoTrainersAtOnceAsOneBusyNode) {
  RunEvents run;
  run.node("n1", 2).submit(1, "a", 100).submit(2, "b", 100);
  auto second = RunEvents::lease(2, 2, 0, "n1", 100);
  second.gpus = {1};
  run.grant({RunEvents::lease(1, 1, 0, "n1", 100), second});
  run.at(8).report(1, 1, 0, 100, 8, LeaseEndReason::kQuota).merge(1, 1, {RunEvents::in(1, 0, 100)}, 100);
  run.add(event::Completed{{1}, {}});
  run.at(10).report(2, 2, 0, 100, 6, LeaseEndReason::kQuota).merge(2, 1, {RunEvents::in(2, 0, 100)}, 100);
  run.add(event::Completed{{2}, {}});
  EXPECT_DOUBLE_EQ(summarise(run.events).train_s, 14);
  EXPECT_DOUBLE_EQ(summarise(run.events).cru, 1) << "0 to 8 and 4 to 10, of 10 s";
}

}  // namespace
}  // namespace hadar::report
