#include "actors/policy/tiresias/tiresias.hpp"

#include <gtest/gtest.h>

#include "actors/policy/tiresias/gittins.hpp"
#include "actors/policy/tiresias/services.hpp"
#include "tests/unit/policy/inputs.hpp"

namespace hadar::testing {
namespace {

using Names = std::vector<std::uint64_t>;

RoundPlan las(const RoundInput& input, const PolicySettings& settings = {}) {
  return *(*make_tiresias_las(settings))->plan(input);
}

// The jobs with GPUs, by id.
Names running(const RoundPlan& plan) {
  Names names;
  for (const auto& allocation : plan.allocations) names.push_back(allocation.fork.job.value);
  return names;
}

JobView served(std::uint64_t id, std::uint32_t gpus, double service_gpu_s, double started_t_s = 0) {
  auto job = job_of(id, gpus, 1000000, {});
  job.attained_service_gpu_s = service_gpu_s;
  if (service_gpu_s > 0) job.started_t_s = started_t_s;
  return job;
}

// The next border of the same jobs, which hold what they were granted.
RoundInput next_border(const RoundInput& before, const RoundPlan& plan, double passed_s) {
  auto input = before;
  input.now_s += passed_s;
  input.memory = plan.memory;
  for (auto& node : input.nodes) node = node_of(node.node, node.gpus);
  for (auto& view : input.jobs) {
    auto job = *view;
    job.held.clear();
    job.steps_issued = 0;
    for (const auto& allocation : allocations_of(plan, job.job.value))
      hold(input, job, allocation.fork.fork, allocation.slices, allocation.quota_steps);
    if (!job.held.empty() && !job.started_t_s) job.started_t_s = before.now_s;
    view = std::make_shared<const JobView>(job);
  }
  return input;
}

TEST(TiresiasLas, TheLeastServedQueueGoesFirst) {
  auto input = input_of({node_of("a", {{"A", 2}})});
  add(input, served(1, 1, 5000));
  add(input, served(2, 1, 500));
  add(input, served(3, 1, 0));
  const auto plan = las(input, {{"thresholds_gpu_s", std::string("100, 1000")}});
  EXPECT_EQ(running(plan), (Names{2, 3}));
  EXPECT_EQ(reason_of(plan, 1).code, "waiting_priority");
  EXPECT_EQ(reason_of(plan, 1).numbers.at("queue"), 3);
  EXPECT_EQ(reason_of(plan, 1).numbers.at("service_gpu_s"), 5000);
  EXPECT_EQ(reason_of(plan, 1).numbers.at("before"), 2);
  EXPECT_EQ(reason_of(plan, 1).numbers.at("free"), 0);
}

TEST(TiresiasLas, InsideAQueueTheFirstStartedGoesFirstThenTheFirstSubmitted) {
  auto input = input_of({node_of("a", {{"A", 1}})});
  add(input, served(1, 1, 50, 30));
  add(input, served(2, 1, 90, 10));
  auto early = job_of(3, 1, 100, {});
  early.submitted_t_s = 1;
  add(input, early);
  EXPECT_EQ(running(las(input)), Names{2}) << "less service inside a queue does not count";
  input.jobs.erase(input.jobs.begin(), input.jobs.begin() + 2);
  auto late = job_of(4, 1, 100, {});
  late.submitted_t_s = 0.5;
  add(input, late);
  EXPECT_EQ(running(las(input)), Names{4});
}

// Two dimensions: in the same 10 s a gang of four receives 40 GPU-s and a single GPU 10.
TEST(TiresiasLas, ServiceIsTimeTimesGpusAndDemotes) {
  auto input = input_of({node_of("a", {{"A", 5}})});
  add(input, job_of(1, 4, 1000000, {}));
  add(input, job_of(2, 1, 1000000, {}));
  const PolicySettings settings = {{"thresholds_gpu_s", 40.0}};
  const auto first = las(input, settings);
  EXPECT_EQ(running(first), (Names{1, 2}));
  auto second = next_border(input, first, 10);
  add(second, job_of(3, 2, 1000000, {}));
  const auto plan = las(second, settings);
  EXPECT_EQ(running(plan), (Names{2, 3}));
  EXPECT_EQ(reason_of(plan, 1).code, "waiting_preempted");
  EXPECT_EQ(reason_of(plan, 1).numbers.at("service_gpu_s"), 40);
  auto sooner = next_border(input, first, 9.9);
  add(sooner, job_of(3, 2, 1000000, {}));
  EXPECT_EQ(running(las(sooner, settings)), (Names{1, 2})) << "the threshold is not reached yet";
}

TEST(TiresiasLas, PreemptionsAreCountedOncePerLoss) {
  auto input = input_of({node_of("a", {{"A", 1}})});
  add(input, served(1, 1, 4000));
  auto plan = las(input);
  auto second = next_border(input, plan, 10);
  add(second, job_of(2, 1, 1000000, {}));
  plan = las(second);
  EXPECT_EQ(reason_of(plan, 1).code, "waiting_preempted");
  EXPECT_EQ(reason_of(plan, 1).numbers.at("preemptions"), 1);
  const auto third = next_border(second, plan, 10);
  plan = las(third);
  EXPECT_EQ(reason_of(plan, 1).code, "waiting_priority");
  EXPECT_EQ(reason_of(plan, 1).numbers.at("preemptions"), 1);
  auto alone = next_border(third, plan, 10);
  alone.jobs.pop_back();
  alone.nodes = {node_of("a", {{"A", 1}})};
  plan = las(alone);
  EXPECT_EQ(running(plan), Names{1});
  auto again = next_border(alone, plan, 10);
  add(again, job_of(3, 1, 1000000, {}));
  EXPECT_EQ(reason_of(las(again), 1).numbers.at("preemptions"), 2);
}

TEST(TiresiasLas, AGangThatDoesNotFitIsPassedOver) {
  auto input = input_of({node_of("a", {{"A", 3}})});
  add(input, job_of(1, 2, 100, {}));
  add(input, job_of(2, 2, 100, {}));
  add(input, job_of(3, 1, 100, {}));
  EXPECT_EQ(running(las(input)), (Names{1, 3}));
}

// 6 GPUs are held as 4 + 1 + 1; a new job takes 3. The gang of four cannot go on, the two singles can, where they are.
TEST(TiresiasLas, StickyJobsThatGoOnStayWhereTheyAre) {
  auto input = input_of({node_of("a", {{"A", 6}})});
  auto wide = served(1, 4, 4000, 1);
  hold(input, wide, 0, {{"a", {0, 1, 2, 3}}}, 100);
  add(input, wide);
  for (const std::uint32_t gpu : {4U, 5U}) {
    auto single = served(gpu, 1, 4000, 2);
    hold(input, single, 0, {{"a", {gpu}}}, 100);
    add(input, single);
  }
  add(input, job_of(9, 3, 100, {}));
  const auto plan = las(input);
  EXPECT_EQ(running(plan), (Names{4, 5, 9}));
  EXPECT_EQ(allocations_of(plan, 4), input.jobs[1]->held);
  EXPECT_EQ(allocations_of(plan, 5), input.jobs[2]->held);
}

TEST(TiresiasLas, StickyStaysOnASlowTypeAndRePlacedMovesUp) {
  auto input = input_of({node_of("a", {{"K80", 1}}), node_of("b", {{"V100", 1}})});
  auto job = job_of(1, 1, 1000, {{"K80", 1}, {"V100", 10}});
  hold(input, job, 0, {{"a", {0}}}, 900);
  add(input, job);
  EXPECT_EQ(allocations_of(las(input), 1), input.jobs[0]->held);
  const auto moved = allocations_of(las(input, {{"placement", std::string("re-placed")}}), 1);
  ASSERT_EQ(moved.size(), 1U);
  EXPECT_EQ(moved[0].slices[0].node, "b");
}

TEST(TiresiasLas, APlaceIsChosenByFitNotBySpeed) {
  auto input = input_of({node_of("a", {{"V100", 4}}), node_of("b", {{"K80", 2}})});
  add(input, job_of(1, 2, 1000, {{"K80", 1}, {"V100", 10}}));
  EXPECT_EQ(allocations_of(las(input), 1)[0].slices[0].node, "b");
}

TEST(TiresiasLas, AGangMixesTypesOnlyWhenNoTypeHasRoom) {
  for (const std::string placement : {"sticky", "re-placed"}) {
    auto input = input_of({node_of("a", {{"K80", 2}, {"V100", 1}}), node_of("b", {{"K80", 1}})});
    add(input, job_of(1, 3, 1000, {{"K80", 1}, {"V100", 10}}));
    auto slices = allocations_of(las(input, {{"placement", placement}}), 1)[0].slices;
    EXPECT_EQ(slices, (std::vector<GpuSlice>{{"a", {0, 1}}, {"b", {0}}})) << "three K80s, over two nodes";
    input.nodes.pop_back();
    slices = allocations_of(las(input, {{"placement", placement}}), 1)[0].slices;
    EXPECT_EQ(slices, (std::vector<GpuSlice>{{"a", {0, 1, 2}}}));
  }
}

// A job may be held to a type that another, freer one occupies.
TEST(TiresiasLas, AChosenJobThatNeedsAnothersTypeGetsIt) {
  auto input = input_of({node_of("a", {{"K80", 1}, {"V100", 1}})});
  auto anywhere = served(1, 1, 4000, 1);
  hold(input, anywhere, 0, {{"a", {1}}}, 100);
  add(input, anywhere);
  auto picky = job_of(2, 1, 100, {});
  picky.gpu_types = {"V100"};
  add(input, picky);
  const auto plan = las(input);
  EXPECT_EQ(running(plan), (Names{1, 2}));
  EXPECT_EQ(allocations_of(plan, 2)[0].slices, (std::vector<GpuSlice>{{"a", {1}}}));
}

TEST(TiresiasLas, PromotionBringsAJobThatWaitedLongEnoughToTheTop) {
  auto input = input_of({node_of("a", {{"A", 1}})});
  add(input, served(1, 1, 0));
  const PolicySettings settings = {{"thresholds_gpu_s", 20.0}, {"promote_after", 2.0}};
  auto plan = las(input, settings);
  input = next_border(input, plan, 20);  // it ran 20 s and is demoted
  add(input, job_of(2, 1, 1000000, {}));
  plan = las(input, settings);
  ASSERT_EQ(running(plan), Names{2});
  const auto with_newcomer = [&](double passed_s, std::uint64_t id) {
    input = next_border(input, plan, passed_s);
    input.jobs.back() = std::make_shared<const JobView>(job_of(id, 1, 1000000, {}));
    input.nodes = {node_of("a", {{"A", 1}})};
    plan = las(input, settings);
    return running(plan)[0];
  };
  EXPECT_EQ(with_newcomer(39, 3), 3U) << "39 s are not twice 20 s";
  EXPECT_EQ(reason_of(plan, 1).numbers.at("promotions"), 0);
  EXPECT_EQ(with_newcomer(1, 4), 1U);
  const auto later = next_border(input, plan, 20);
  plan = las(later, settings);
  EXPECT_EQ(running(plan), Names{4}) << "its service counts anew from the promotion";
  EXPECT_EQ(reason_of(plan, 1).numbers.at("service_gpu_s"), 20);
  EXPECT_EQ(reason_of(plan, 1).numbers.at("promotions"), 1);
}

TEST(TiresiasLas, BetweenBordersOnlyIdleGpusAreGiven) {
  auto input = input_of({node_of("a", {{"A", 2}})});
  input.early = true;
  input.window_s = 5;
  auto demoted = served(1, 1, 4000);
  hold(input, demoted, 0, {{"a", {0}}}, 100);
  add(input, demoted);
  add(input, job_of(2, 1, 100, {}));
  add(input, job_of(3, 1, 100, {}));
  const auto plan = las(input);
  EXPECT_EQ(running(plan), (Names{1, 2}));
  EXPECT_EQ(allocations_of(plan, 1), input.jobs[0]->held);
}

TEST(TiresiasLas, SettingsAreRead) {
  for (const PolicySettings& wrong : std::vector<PolicySettings>{{{"thresholds_gpu_s", std::string("7200, 3600")}},
                                                                 {{"thresholds_gpu_s", std::string("3600,")}},
                                                                 {{"thresholds_gpu_s", true}},
                                                                 {{"thresholds_gpu_s", -1.0}},
                                                                 {{"placement", std::string("fast")}},
                                                                 {{"delta_gpu_s", 3250.0}}}) {
    const auto made = make_tiresias_las(wrong);
    ASSERT_FALSE(made) << wrong.begin()->first;
    EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(made.error().message.find(wrong.begin()->first), std::string::npos) << made.error().message;
  }
}

// Services 10, 10, 100, 1000. At 0 the best d is 10: two of four end, each of the four takes 10. At 10, two are left:
// d = 90 ends one and both take 90. At 95 d = 5 does.
TEST(Gittins, IsTheBestChancePerServiceGiven) {
  const GittinsIndex index({1000, 10, 100, 10});
  EXPECT_DOUBLE_EQ(index.at(0), 2.0 / 40);
  EXPECT_DOUBLE_EQ(index.at(10), 1.0 / 180);
  EXPECT_DOUBLE_EQ(index.at(95), 1.0 / 10);
  EXPECT_DOUBLE_EQ(index.at(100), 1.0 / 900);
  EXPECT_DOUBLE_EQ(index.at(1000), 0) << "nothing is known of jobs this long";
}

TEST(Gittins, AFixedDeltaTakesThePlaceOfTheBest) {
  const GittinsIndex index({1000, 10, 100, 10}, 50);
  EXPECT_DOUBLE_EQ(index.at(0), 2.0 / (10 + 10 + 50 + 50));
  EXPECT_DOUBLE_EQ(index.at(95), 1.0 / (5 + 50));
}

TEST(TiresiasGittins, TheJobLikelyToEndSoonGoesFirst) {
  auto input = input_of({node_of("a", {{"A", 1}})});
  add(input, served(1, 1, 50, 1));  // index 1/100
  add(input, served(2, 1, 0));      // 1/20
  add(input, served(3, 1, 95, 2));  // 1/10
  const PolicySettings settings = {{"services_gpu_s", std::string("10, 10, 100, 1000")}, {"min_samples", 4.0}};
  EXPECT_EQ(running(*(*make_tiresias_gittins(settings))->plan(input)), Names{3});
  EXPECT_EQ(running(las(input)), Names{1}) << "by first start";
  input.jobs.pop_back();
  EXPECT_EQ(running(*(*make_tiresias_gittins(settings))->plan(input)), Names{2});
}

TEST(TiresiasGittins, WithTooFewEndedJobsTheOrderIsThatOfLas) {
  auto input = input_of({node_of("a", {{"A", 1}})});
  add(input, served(1, 1, 50, 1));
  add(input, served(2, 1, 95, 2));
  const PolicySettings settings = {{"services_gpu_s", std::string("10, 10, 100, 1000")}, {"min_samples", 5.0}};
  EXPECT_EQ(running(*(*make_tiresias_gittins(settings))->plan(input)), Names{1});
}

// Job 1 runs to its end at 10 steps/s on two GPUs and leaves 2 x 100 GPU-s; job 2 is cancelled soon after its start.
TEST(Services, EndedJobsLeaveTheirServiceAndCancelledOnesDoNot) {
  auto input = input_of({node_of("a", {{"A", 3}})});
  add(input, job_of(1, 2, 1000, {{"A", 10}}));
  add(input, job_of(2, 1, 1000, {{"A", 10}}));
  const auto plan = las(input);
  auto services = Services::read(plan.memory);
  auto later = next_border(input, plan, 40);
  later.jobs.pop_back();
  services.advance(later);
  EXPECT_TRUE(services.ended().empty()) << "job 2 had 40 of 100 GPU-s";
  later.now_s = 100;
  later.jobs.clear();
  services.advance(later);
  ASSERT_EQ(services.ended().size(), 1U);
  EXPECT_DOUBLE_EQ(services.ended()[0], 200);
  EXPECT_EQ(Services::read(services.write()).ended(), services.ended());
}

TEST(Services, AnotherPolicysMemoryIsNothing) {
  for (const std::string memory : {"", "waits 1\n2 600\n", "tiresias 1\n", "tiresias 1\n5\n\n1 2 3\n",
                                   "tiresias 1\n5\nx\n", "tiresias 1\n5\n\n1 10 20 0 0 1 0 0 1\n"})
    EXPECT_EQ(Services::read(memory).write(), Services().write()) << memory;
}

TEST(Services, TheMemoryStaysSmall) {
  Services services;
  auto input = input_of({});
  for (std::uint64_t id = 1; id <= 20000; ++id) add(input, served(id, 1, 1e11));
  services.advance(input);
  EXPECT_LE(services.write().size(), 1U << 20);
  EXPECT_EQ(Services::read(services.write()).of(JobId{7}).attained_gpu_s, 1e11);
}

}  // namespace
}  // namespace hadar::testing
