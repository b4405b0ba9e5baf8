#include "actors/policy/plan_builder.hpp"

#include <gtest/gtest.h>

#include "tests/unit/policy/inputs.hpp"

namespace hadar::testing {
namespace {

RoundInput two_nodes() {
  return input_of({node_of("a", {{"K80", 1}, {"V100", 2}}), node_of("b", {{"V100", 2}})});
}

constexpr std::uint32_t kA = 0;
constexpr std::uint32_t kB = 1;
constexpr std::uint32_t kK80 = 0;
constexpr std::uint32_t kV100 = 1;

PlanBuilder builder_of(const RoundInput& input) {
  auto made = PlanBuilder::make(input);
  EXPECT_TRUE(made.has_value()) << made.error().message;
  return *std::move(made);
}

TEST(PlanBuilder, NamesGpusByTypeAndGivesASelfRenewingForkAllSteps) {
  auto input = two_nodes();
  add(input, job_of(1, 2, 100, {{"V100", 5}}));
  auto plan = builder_of(input);
  ASSERT_TRUE(plan.allocate(0, 0, {{kA, kV100, 2}}, 5));
  const auto done = plan.finish("mine");
  ASSERT_EQ(done.allocations.size(), 1U);
  EXPECT_EQ(done.allocations[0].slices, (std::vector<GpuSlice>{{"a", {1, 2}}}));
  EXPECT_EQ(done.allocations[0].quota_steps, 100U);
  EXPECT_FALSE(done.allocations[0].ends_at_border);
  EXPECT_EQ(done.memory, "mine");
  EXPECT_EQ(done.round, RoundId{7});
  EXPECT_EQ(done.outcomes[0].kind, OutcomeKind::kGranted);
}

TEST(PlanBuilder, RefusesWhatBreaksARuleAndSaysWhich) {
  auto input = two_nodes();
  auto picky = job_of(1, 2, 100, {});
  picky.gpu_types = {"V100"};
  picky.forkable = false;
  add(input, picky);
  auto plan = builder_of(input);
  const auto refused = [&](const Gang& gang, double speed) {
    const auto status = plan.allocate(0, 0, gang, speed);
    return status ? std::string() : status.error().message;
  };
  EXPECT_NE(refused({{kA, kV100, 1}}, 1).find("a gang of 1"), std::string::npos);
  EXPECT_NE(refused({{kA, kV100, 1}, {kA, kK80, 1}}, 1).find("K80 is not allowed"), std::string::npos);
  EXPECT_NE(refused({{kA, kV100, 2}}, 0).find("speed"), std::string::npos);
  ASSERT_TRUE(plan.allocate(0, 0, {{kA, kV100, 2}}, 1));
  EXPECT_NE(refused({{kB, kV100, 2}}, 1).find("not forkable"), std::string::npos);
}

TEST(PlanBuilder, NeverGivesAGpuTwice) {
  auto input = two_nodes();
  add(input, job_of(1, 2, 100, {}));
  add(input, job_of(2, 1, 100, {}));
  auto plan = builder_of(input);
  ASSERT_TRUE(plan.allocate(0, 0, {{kB, kV100, 2}}, 1));
  EXPECT_FALSE(plan.allocate(1, 0, {{kB, kV100, 1}}, 1));
  EXPECT_EQ(plan.free(kB, kV100), 0U);
  EXPECT_EQ(plan.free_of_type(kV100), 2U);
}

TEST(PlanBuilder, OneForkOfAJobPerNodeAndSelfRenewingOnesStandAlone) {
  auto input = two_nodes();
  add(input, job_of(1, 1, 100, {}));
  auto plan = builder_of(input);
  ASSERT_TRUE(plan.allocate_fork(0, 0, {{kA, kV100, 1}}, 1, 5));
  EXPECT_FALSE(plan.allocate_fork(0, 1, {{kA, kV100, 1}}, 1, 5)) << "second fork on one node";
  EXPECT_FALSE(plan.allocate_fork(0, 0, {{kB, kV100, 1}}, 1, 5)) << "a fork's number twice";
  EXPECT_FALSE(plan.allocate(0, 1, {{kB, kV100, 1}}, 1)) << "a self-renewing fork beside another";
  EXPECT_TRUE(plan.allocate_fork(0, 1, {{kB, kV100, 1}}, 1, 5));
}

TEST(PlanBuilder, ForksShareTheLastStepsBySpeedExactly) {
  auto input = input_of({node_of("a", {{"A", 1}}), node_of("b", {{"B", 1}}), node_of("c", {{"C", 1}})});
  auto job = job_of(1, 1, 1000, {});
  job.steps_credited = 900;
  add(input, job);
  auto plan = builder_of(input);
  ASSERT_TRUE(plan.allocate_fork(0, 0, {{0, 0, 1}}, 10, 9));
  ASSERT_TRUE(plan.allocate_fork(0, 1, {{1, 1, 1}}, 6, 9));
  ASSERT_TRUE(plan.allocate_fork(0, 2, {{2, 2, 1}}, 3, 9));
  const auto done = plan.finish("");
  ASSERT_EQ(done.allocations.size(), 3U);
  EXPECT_EQ(done.allocations[0].quota_steps, 53U);  // 100 x 10/19 = 52.6
  EXPECT_EQ(done.allocations[1].quota_steps, 31U);  // 31.6
  EXPECT_EQ(done.allocations[2].quota_steps, 16U);  // 15.8
}

TEST(PlanBuilder, ARenewalRepeatsTheHeldAllocationAndCostsNoSteps) {
  auto input = two_nodes();
  auto job = job_of(1, 1, 100, {});
  hold(input, job, 0, {{"a", {2}}}, 40);
  add(input, job);
  auto plan = builder_of(input);
  ASSERT_TRUE(plan.allocate(0, 0, {{kA, kV100, 1}}, 9));
  const auto done = plan.finish("");
  EXPECT_EQ(done.allocations, input.jobs[0]->held);
}

TEST(PlanBuilder, AtABorderHeldGpusAreFreeToTakeAndTheirStepsToIssueAgain) {
  auto input = two_nodes();
  auto first = job_of(1, 1, 100, {});
  hold(input, first, 0, {{"a", {0}}}, 100);
  add(input, first);
  add(input, job_of(2, 1, 100, {}));
  auto plan = builder_of(input);
  EXPECT_EQ(plan.steps_available(0), 100U);
  EXPECT_EQ(plan.free(kA, kK80), 1U);
  EXPECT_EQ(plan.idle(kA, kK80), 0U);
  ASSERT_TRUE(plan.allocate(1, 0, {{kA, kK80, 1}}, 1));
  EXPECT_FALSE(plan.keep(0, 0)) << "its GPU is given away";
  ASSERT_TRUE(plan.allocate(0, 0, {{kB, kV100, 1}}, 1));
  const auto done = plan.finish("");
  EXPECT_EQ(allocations_of(done, 2)[0].slices, (std::vector<GpuSlice>{{"a", {0}}}));
  EXPECT_EQ(allocations_of(done, 1)[0].quota_steps, 100U);
}

TEST(PlanBuilder, PrefersTheJobsOwnGpusThenIdleOnes) {
  auto input = input_of({node_of("a", {{"V100", 4}})});
  auto first = job_of(1, 1, 100, {});
  hold(input, first, 0, {{"a", {0}}}, 50);
  add(input, first);
  auto second = job_of(2, 2, 100, {});
  hold(input, second, 0, {{"a", {1, 3}}}, 50);
  add(input, second);
  add(input, job_of(3, 1, 100, {}));
  auto plan = builder_of(input);
  ASSERT_TRUE(plan.allocate(2, 0, {{0, 0, 1}}, 1));
  ASSERT_TRUE(plan.allocate_fork(1, 5, {{0, 0, 2}}, 1, 9));
  ASSERT_TRUE(plan.keep(0, 0));
  const auto done = plan.finish("");
  EXPECT_EQ(allocations_of(done, 3)[0].slices[0].gpus, std::vector<std::uint32_t>{2});
  EXPECT_EQ(allocations_of(done, 2)[0].slices[0].gpus, (std::vector<std::uint32_t>{1, 3}));
}

TEST(PlanBuilder, AnEarlyReplanRepeatsEverythingHeldAndGivesIdleGpusOnly) {
  auto input = two_nodes();
  input.early = true;
  input.window_s = 4;
  auto job = job_of(1, 1, 100, {});
  hold(input, job, 3, {{"b", {1}}}, 60, true);
  add(input, job);
  auto plan = builder_of(input);
  EXPECT_EQ(plan.free(kB, kV100), 1U);
  EXPECT_EQ(plan.steps_available(0), 40U) << "held steps count as issued";
  EXPECT_FALSE(plan.release(0, 3));
  EXPECT_FALSE(plan.keep(0, 0));
  ASSERT_TRUE(plan.allocate_fork(0, plan.unused_fork(0), {{kA, kK80, 1}}, 100, 4));
  const auto done = plan.finish("");
  ASSERT_EQ(done.allocations.size(), 2U);
  EXPECT_EQ(done.allocations[1], input.jobs[0]->held[0]);
  EXPECT_EQ(done.allocations[0].quota_steps, 40U);
}

TEST(PlanBuilder, AMergingJobIsLeftAloneAndSaysSo) {
  auto input = two_nodes();
  auto job = job_of(1, 1, 100, {});
  job.merging = true;
  hold(input, job, 0, {{"a", {0}}}, 10, true);
  add(input, job);
  auto ended = job_of(2, 1, 100, {});
  ended.steps_issued = 100;  // its leases ended, their reports are on their way
  add(input, ended);
  auto plan = builder_of(input);
  EXPECT_FALSE(plan.plannable(0));
  EXPECT_FALSE(plan.plannable(1));
  EXPECT_FALSE(plan.allocate_fork(0, 1, {{kB, kV100, 1}}, 1, 5));
  const auto done = plan.finish("");
  EXPECT_EQ(done.allocations, input.jobs[0]->held);
  EXPECT_EQ(reason_of(done, 2).code, "waiting_merging");
}

TEST(PlanBuilder, AForkThatOutlivedItsBorderEndsBeforeItsJobIsPlannedAgain) {
  auto input = two_nodes();
  auto job = job_of(1, 1, 100, {});
  hold(input, job, 0, {{"a", {0}}}, 10, true);
  add(input, job);
  auto plan = builder_of(input);
  EXPECT_FALSE(plan.plannable(0));
  EXPECT_FALSE(plan.keep(0, 0));
  const auto done = plan.finish("");
  EXPECT_TRUE(done.allocations.empty());
  EXPECT_EQ(reason_of(done, 1).code, "waiting_merging");
}

TEST(PlanBuilder, KeepsALeaseOnANodeThatGetsNothingNew) {
  auto input = two_nodes();
  auto job = job_of(1, 1, 100, {});
  hold(input, job, 0, {{"draining", {0}}}, 10);
  add(input, job);
  auto plan = builder_of(input);
  ASSERT_TRUE(plan.keep(0, 0));
  EXPECT_EQ(plan.finish("").allocations, input.jobs[0]->held);
}

TEST(PlanBuilder, RollsBackGrantsKeepsAndReleases) {
  auto input = two_nodes();
  auto held = job_of(1, 1, 100, {});
  hold(input, held, 0, {{"a", {0}}}, 10);
  add(input, held);
  add(input, job_of(2, 2, 100, {}));
  auto plan = builder_of(input);
  ASSERT_TRUE(plan.allocate(1, 0, {{kB, kV100, 2}}, 1));
  const auto point = plan.checkpoint();
  ASSERT_TRUE(plan.keep(0, 0));
  ASSERT_TRUE(plan.release(1, 0));
  ASSERT_TRUE(plan.allocate(1, 0, {{kA, kV100, 2}}, 1));
  plan.rollback(point);
  EXPECT_FALSE(plan.has_grant(0));
  ASSERT_TRUE(plan.has_grant(1));
  EXPECT_EQ(plan.grants(1)[0].gang, (Gang{{kB, kV100, 2}}));
  EXPECT_EQ(plan.free(kA, kV100), 2U);
  EXPECT_EQ(plan.free(kA, kK80), 1U);
  EXPECT_EQ(plan.free(kB, kV100), 0U);
}

TEST(PlanBuilder, SaysWithNumbersWhyAJobWaits) {
  auto input = input_of({node_of("a", {{"K80", 1}, {"V100", 2}})});
  add(input, job_of(1, 1, 100, {}));
  auto wants_k80 = job_of(2, 1, 100, {});
  wants_k80.gpu_types = {"K80"};
  add(input, wants_k80);
  auto wants_three = job_of(3, 3, 100, {});
  add(input, wants_three);
  auto wants_p100 = job_of(4, 1, 100, {});
  wants_p100.gpu_types = {"P100"};
  add(input, wants_p100);
  auto plan = builder_of(input);
  ASSERT_TRUE(plan.allocate(0, 0, {{kA, kK80, 1}}, 1));
  const auto done = plan.finish("");
  EXPECT_EQ(reason_of(done, 2).code, "waiting_gpus_busy");
  EXPECT_EQ(reason_of(done, 2).numbers, (std::map<std::string, double>{{"wanted", 1}, {"idle", 0}}));
  EXPECT_EQ(reason_of(done, 3).code, "waiting_gang");
  EXPECT_EQ(reason_of(done, 3).numbers, (std::map<std::string, double>{{"wanted", 3}, {"free", 2}}));
  EXPECT_EQ(reason_of(done, 4).code, "waiting_node_unavailable");
  EXPECT_EQ(reason_of(done, 4).numbers, (std::map<std::string, double>{{"wanted", 1}, {"usable", 0}}));
}

TEST(PlanBuilder, RefusesAnInputThatContradictsItself) {
  auto twice = two_nodes();
  auto job = job_of(1, 1, 100, {});
  hold(twice, job, 0, {{"a", {0}}}, 10);
  hold(twice, job, 1, {{"a", {0}}}, 10);
  add(twice, job);
  EXPECT_EQ(PlanBuilder::make(twice).error().code, ErrorCode::kInvalidArgument);

  auto unordered = input_of({node_of("b", {{"V100", 1}}), node_of("a", {{"V100", 1}})});
  EXPECT_NE(PlanBuilder::make(unordered).error().message.find("\"a\""), std::string::npos);

  auto missing = two_nodes();
  missing.nodes[1].idle_gpus.push_back(9);
  EXPECT_NE(PlanBuilder::make(missing).error().message.find("idle GPU 9"), std::string::npos);

  auto no_time = two_nodes();
  no_time.window_s = 0;
  EXPECT_FALSE(PlanBuilder::make(no_time));
}

TEST(PlanBuilder, AGpuBothIdleAndHeldCountsAsHeld) {
  auto input = two_nodes();
  input.early = true;
  auto job = job_of(1, 1, 100, {});
  hold(input, job, 0, {{"a", {0}}}, 10, true);
  input.nodes[0].idle_gpus = {0, 1, 2};
  add(input, job);
  EXPECT_EQ(builder_of(input).free(kA, kK80), 0U);
}

}  // namespace
}  // namespace hadar::testing
