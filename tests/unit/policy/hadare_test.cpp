#include "actors/policy/hadare/hadare.hpp"

#include <gtest/gtest.h>

#include "tests/unit/policy/inputs.hpp"

namespace hadar::testing {
namespace {

RoundPlan plan_of(const RoundInput& input, const PolicySettings& settings = {}) {
  auto policy = make_hadare(settings);
  EXPECT_TRUE(policy.has_value()) << policy.error().message;
  return *(*policy)->plan(input);
}

RoundInput three_nodes() {
  return input_of({node_of("a", {{"A", 1}}), node_of("b", {{"B", 1}}), node_of("c", {{"C", 1}})});
}

const std::map<GpuType, double> kSpeeds = {{"A", 100}, {"B", 60}, {"C", 40}};

TEST(HadarE, OneJobForksOverAllNodesWithQuotasBySpeed) {
  auto input = three_nodes();
  auto job = job_of(1, 1, 100000, kSpeeds);
  job.merge_s = 0.5;
  add(input, job);
  const auto forks = allocations_of(plan_of(input), 1);
  ASSERT_EQ(forks.size(), 3U);
  EXPECT_EQ(forks[0].quota_steps, 950U);  // 100 steps/s for 10 - 0.5 s
  EXPECT_EQ(forks[1].quota_steps, 570U);
  EXPECT_EQ(forks[2].quota_steps, 380U);
  for (const auto& fork : forks) EXPECT_TRUE(fork.ends_at_border);
}

TEST(HadarE, MergeTimeIsCappedAtATenthOfTheRound) {
  auto input = three_nodes();
  auto job = job_of(1, 1, 100000, kSpeeds);
  job.merge_s = 30;
  add(input, job);
  EXPECT_EQ(allocations_of(plan_of(input), 1)[0].quota_steps, 900U);
}

TEST(HadarE, TheLastStepsAreSharedExactly) {
  auto input = three_nodes();
  add(input, job_of(1, 1, 999, kSpeeds));
  std::uint64_t sum = 0;
  for (const auto& fork : allocations_of(plan_of(input), 1)) sum += fork.quota_steps;
  EXPECT_EQ(sum, 999U);
}

TEST(HadarE, AnUnforkableJobKeepsToOneNodeAndTheOthersAreUsed) {
  auto input = three_nodes();
  auto whole = job_of(1, 1, 1000, kSpeeds);
  whole.forkable = false;
  add(input, whole);
  add(input, job_of(2, 1, 100000, kSpeeds));
  const auto plan = plan_of(input);
  ASSERT_EQ(allocations_of(plan, 1).size(), 1U);
  EXPECT_FALSE(allocations_of(plan, 1)[0].ends_at_border);
  EXPECT_EQ(allocations_of(plan, 2).size(), 2U);
}

TEST(HadarE, GangForksTakeOneNodeEach) {
  auto input = input_of({node_of("a", {{"A", 2}}), node_of("b", {{"A", 2}}), node_of("c", {{"A", 1}})});
  add(input, job_of(1, 2, 100000, {{"A", 10}}));
  const auto forks = allocations_of(plan_of(input), 1);
  ASSERT_EQ(forks.size(), 2U);
  for (const auto& fork : forks) EXPECT_EQ(fork.slices.size(), 1U);
}

TEST(HadarE, InefficientMergingMeansOneNodePerJob) {
  auto input = three_nodes();
  for (std::uint64_t id = 1; id <= 3; ++id) add(input, job_of(id, 1, 100000, kSpeeds));
  const auto plan = plan_of(input, {{"merge_efficiency", 0.1}});
  for (std::uint64_t id = 1; id <= 3; ++id) EXPECT_EQ(allocations_of(plan, id).size(), 1U) << "job " << id;
}

TEST(HadarE, WhenItSpreadsALoneForkRenewsItself) {
  auto input = three_nodes();
  for (std::uint64_t id = 1; id <= 3; ++id) add(input, job_of(id, 1, 100000, kSpeeds));
  const auto plan = plan_of(input, {{"rule", std::string("spread")}});
  for (const auto& allocation : plan.allocations) EXPECT_FALSE(allocation.ends_at_border);
}

TEST(HadarE, WhenItSpreadsIdleNodesForkForAJob) {
  auto input = three_nodes();
  add(input, job_of(1, 1, 100000, kSpeeds));
  add(input, job_of(2, 1, 200000, kSpeeds));
  const auto plan = plan_of(input, {{"rule", std::string("spread")}});
  EXPECT_EQ(plan.allocations.size(), 3U);
}

TEST(HadarE, AnEarlyReplanExtendsTheJobWithStepsLeftThenStartsOthers) {
  auto input = three_nodes();
  input.early = true;
  input.window_s = 5;
  auto started = job_of(1, 1, 1000, kSpeeds);
  hold(input, started, 0, {{"a", {0}}}, 975, true);
  add(input, started);
  add(input, job_of(2, 1, 100000, kSpeeds));
  const auto plan = plan_of(input);
  ASSERT_EQ(allocations_of(plan, 1).size(), 2U);
  EXPECT_EQ(allocations_of(plan, 1)[0], input.jobs[0]->held[0]);
  EXPECT_EQ(allocations_of(plan, 1)[1].slices[0].node, "b") << "the faster node alone is done soon enough";
  EXPECT_EQ(allocations_of(plan, 1)[1].quota_steps, 25U);
  ASSERT_EQ(allocations_of(plan, 2).size(), 1U);
  EXPECT_EQ(allocations_of(plan, 2)[0].slices[0].node, "c");
}

TEST(HadarE, AWindowTooShortIsOnlyUsedToFinish) {
  auto input = three_nodes();
  input.early = true;
  input.window_s = 0.5;
  add(input, job_of(1, 1, 100000, kSpeeds));
  const auto waits = plan_of(input);
  EXPECT_TRUE(waits.allocations.empty());
  EXPECT_EQ(reason_of(waits, 1).code, "waiting_border");
  EXPECT_EQ(reason_of(waits, 1).numbers.at("window_s"), 0.5);
  input.jobs.clear();
  add(input, job_of(1, 1, 20, kSpeeds));
  EXPECT_FALSE(plan_of(input).allocations.empty()) << "20 steps take 0.2 s";
}

TEST(HadarE, NeverMoreForksThanAllowed) {
  auto input = three_nodes();
  add(input, job_of(1, 1, 100000, kSpeeds));
  EXPECT_EQ(allocations_of(plan_of(input, {{"max_forks", 2.0}}), 1).size(), 2U);
  const auto alone = allocations_of(plan_of(input, {{"max_forks", 1.0}}), 1);
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_FALSE(alone[0].ends_at_border);
}

}  // namespace
}  // namespace hadar::testing
