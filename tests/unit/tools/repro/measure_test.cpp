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

TEST(Compared, LeavesOutSeedsWhereOneRanJobsThatTheOtherCannot) {
  auto unlike = outcome();
  unlike.runs[1][0].never = 1;
  EXPECT_THAT(compared(unlike, {"ours", "theirs", Figure::kMakespan}), IsEmpty());
  EXPECT_THAT(ceilings(unlike, {"ours", "theirs", Figure::kMakespan}), IsEmpty());
  unlike.runs[0][0].never = 1;
  EXPECT_THAT(compared(unlike, {"ours", "theirs", Figure::kMakespan}), ElementsAre(DoubleEq(1.5)));
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

Experiment small_experiment(std::uint64_t jobs = 20) {
  Experiment made;
  made.name = "small";
  made.make = [jobs](std::uint64_t seed) -> Result<Case> {
    Case one;
    one.base.nodes = nodes_of({{"V100", 4, 1}, {"K80", 4, 1}});
    one.base.throughputs = free_placement_speeds();
    auto drawn = draw_workload({"small", {.9, .1, 0, 0}, gangs_of_philly(), 0}, jobs, seed);
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
  RecipeOptions options{
      .measure = {{1}, 1, {}}, .data = {}, .only = "nothing like it", .schemes = {}, .settings = {}, .prices = {}};
  const auto report = sixty_gpus(options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(report.error().message, testing::HasSubstr("balanced G0"));
}

RecipeOptions one_seed() {
  RecipeOptions options;
  options.measure.seeds = {1};
  return options;
}

TEST(Recipes, RunTheSchemesAskedForAndCompareWhatIsLeft) {
  auto options = one_seed();
  options.schemes = {"yarn-cs"};
  const auto report = run_experiments({}, {small_experiment()}, {}, options);
  ASSERT_TRUE(report) << report.error().message;
  const auto& experiment = report->json["experiments"][0];
  EXPECT_EQ(experiment["schemes"].size(), 1u);
  EXPECT_EQ(experiment["schemes"][0]["scheme"], "yarn-cs");
  EXPECT_THAT(experiment["comparisons"], IsEmpty());
}

TEST(Recipes, TakeSettingsForAPolicyAndForPrices) {
  constexpr std::uint64_t kCrowd = 120;  // prices keep some out
  const auto as_it_is = run_experiments({}, {small_experiment(kCrowd)}, {}, one_seed());
  auto options = one_seed();
  options.settings["hadar"] = {{"utility", std::string("throughput")}};
  const auto other_utility = run_experiments({}, {small_experiment(kCrowd)}, {}, options);
  options = one_seed();
  options.prices.emplace().form = "exponential";
  const auto other_prices = run_experiments({}, {small_experiment(kCrowd)}, {}, options);
  ASSERT_TRUE(as_it_is && other_utility && other_prices);
  for (const auto* changed : {&other_utility, &other_prices}) {
    const auto& before = as_it_is->json["experiments"][0]["schemes"];
    const auto& after = (*changed)->json["experiments"][0]["schemes"];
    EXPECT_NE(before[0], after[0]);
    EXPECT_EQ(before[1], after[1]) << "yarn-cs has neither";
  }
}

TEST(Recipes, RefuseNamesThatNoneOfTheirPartsHas) {
  auto options = one_seed();
  options.schemes = {"gavel"};
  const auto no_scheme = run_experiments({}, {small_experiment()}, {}, options);
  ASSERT_FALSE(no_scheme);
  EXPECT_EQ(no_scheme.error().message, "no scheme is called \"gavel\", must be one of hadar, yarn-cs");
  options = one_seed();
  options.settings["allox"] = {};
  const auto no_policy = run_experiments({}, {small_experiment()}, {}, options);
  ASSERT_FALSE(no_policy);
  EXPECT_EQ(no_policy.error().message, "no scheme runs policy \"allox\", must be one of hadar, yarn-cs");
}

}  // namespace
}  // namespace hadar::repro
