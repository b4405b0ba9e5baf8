#include "tools/repro/measure.hpp"

#include <gmock/gmock.h>

#include "tools/repro/class_mix.hpp"
#include "tools/repro/clusters.hpp"
#include "tools/repro/recipe.hpp"

namespace hadar::repro {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;

Measured measured(double makespan_s, double gru, bool ended = true) {
  Measured run;
  run.figures.jobs = run.figures.completed = 10;
  run.figures.makespan_s = makespan_s;
  run.figures.gru = gru;
  run.figures.avg_jct_s = makespan_s / 2;
  run.ceiling_s = 50;
  run.ended = ended;
  return run;
}

Outcome outcome() {
  Outcome made;
  made.experiment.schemes = {{"ours", "hadar"}, {"theirs", "gavel-las"}};
  made.runs = {{measured(100, 0.9), measured(80, 0.8)}, {measured(150, 0.6), measured(200, 0.4, false)}};
  return made;
}

TEST(Compared, IsTheRatioThatIsAboveOneWhenOursIsBetter) {
  EXPECT_THAT(compared(outcome(), {"ours", "theirs", Figure::kMakespan}), ElementsAre(DoubleEq(1.5)));
  EXPECT_THAT(compared(outcome(), {"ours", "theirs", Figure::kGpusBusy}), ElementsAre(DoubleEq(1.5)));
  EXPECT_THAT(compared(outcome(), {"ours", "theirs", Figure::kMakespanSaved}), ElementsAre(DoubleEq(1 - 100.0 / 150)));
}

TEST(Compared, LeavesOutSeedsThatWereGivenUp) {
  EXPECT_EQ(compared(outcome(), {"ours", "theirs", Figure::kMeanJct}).size(), 1u);
  EXPECT_EQ(compared(outcome(), {"ours", "", Figure::kMeanJct}).size(), 2u);
}

TEST(Compared, IsTheFigureItselfWithoutAnother) {
  EXPECT_THAT(compared(outcome(), {"ours", "", Figure::kMakespan}), ElementsAre(100, 80));
}

TEST(Ceilings, AreWhatTheBestPossibleSchedulerWouldShow) {
  EXPECT_THAT(ceilings(outcome(), {"ours", "theirs", Figure::kMakespan}), ElementsAre(DoubleEq(150.0 / 50)));
  EXPECT_THAT(ceilings(outcome(), {"ours", "theirs", Figure::kMakespanSaved}), ElementsAre(DoubleEq(1 - 50.0 / 150)));
  EXPECT_THAT(ceilings(outcome(), {"ours", "theirs", Figure::kGpusBusy}), ElementsAre(DoubleEq(1 / 0.6)));
  EXPECT_THAT(ceilings(outcome(), {"ours", "", Figure::kMakespan}), ElementsAre(50, 50));
  EXPECT_THAT(ceilings(outcome(), {"ours", "theirs", Figure::kMeanJct}), IsEmpty());
}

Experiment small_experiment() {
  Experiment made;
  made.name = "small";
  made.make = [](std::uint64_t seed) -> Result<Case> {
    Case one;
    one.base.nodes = nodes_of({{"V100", 4, 1}, {"K80", 4, 1}});
    one.base.throughputs = free_placement_speeds();
    auto drawn = draw_workload({"small", {.9, .1, 0, 0}, gangs_of_philly(), 0}, 20, seed);
    one.workload = std::move(drawn.jobs);
    one.useful_gpu_s = drawn.useful_gpu_s;
    return one;
  };
  made.schemes = {{"hadar", "hadar"}, {"yarn-cs", "yarn-cs"}};
  made.comparisons = {{"hadar", "yarn-cs", Figure::kMakespan, "1.67"}};
  return made;
}

TEST(Measure, GivesTheSameForAnyNumberOfThreads) {
  const auto one = measure({small_experiment()}, {{1, 2}, 1, {}});
  const auto three = measure({small_experiment()}, {{1, 2}, 3, {}});
  ASSERT_TRUE(one && three);
  EXPECT_EQ(report_of(*one, {1, 2}).json, report_of(*three, {1, 2}).json);
  EXPECT_EQ((*one)[0].runs[0][0].figures.completed, 20u);
}

TEST(Measure, TellsWhichCaseCannotBeMade) {
  auto broken = small_experiment();
  broken.make = [](std::uint64_t) -> Result<Case> { return fail(ErrorCode::kInvalidArgument, "no such case"); };
  const auto outcomes = measure({small_experiment(), broken}, {{1}, 2, {}});
  ASSERT_FALSE(outcomes);
  EXPECT_EQ(outcomes.error().message, "no such case");
}

TEST(Report, ShowsMeasuredCeilingAndPublishedSideBySide) {
  const auto outcomes = measure({small_experiment()}, {{1, 2, 3}, 2, {}});
  ASSERT_TRUE(outcomes);
  const auto report = report_of(*outcomes, {1, 2, 3});
  const auto& comparison = report.json["experiments"][0]["comparisons"][0];
  EXPECT_EQ(comparison["figure"], "TTD, times shorter");
  EXPECT_EQ(comparison["published"], "1.67");
  EXPECT_TRUE(comparison["measured"]["half_interval_95"].is_number());
  EXPECT_EQ(report.sections.front().grids.back().rows.front().back(), "1.67");
}

TEST(Recipes, SayWhichPartsThereAreWhenNoneIsNamedSo) {
  const auto report = sixty_gpus({{{1}, 1, {}}, {}, "nothing like it"});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(report.error().message, testing::HasSubstr("balanced G0"));
}

}  // namespace
}  // namespace hadar::repro
