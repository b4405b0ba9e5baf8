#include "actors/policy/hadar/hadar.hpp"

#include <gtest/gtest.h>

#include "tests/unit/policy/inputs.hpp"

namespace hadar::testing {
namespace {

RoundPlan plan_of(const RoundInput& input, const PolicySettings& settings = {}) {
  auto policy = make_hadar(settings);
  EXPECT_TRUE(policy.has_value()) << policy.error().message;
  return *(*policy)->plan(input);
}

TEST(Hadar, MatchesJobsToTheTypesThatServeThemBest) {
  auto input = input_of({node_of("a", {{"K80", 1}}), node_of("b", {{"V100", 1}})});
  add(input, job_of(1, 1, 1000, {{"K80", 9}, {"V100", 10}}));
  add(input, job_of(2, 1, 1000, {{"K80", 1}, {"V100", 10}}));
  const auto plan = plan_of(input);
  EXPECT_EQ(allocations_of(plan, 1)[0].slices[0].node, "a");
  EXPECT_EQ(allocations_of(plan, 2)[0].slices[0].node, "b");
}

TEST(Hadar, ShortestRemainingGoesFirstWhenTheMakespanDoesNotCount) {
  auto input = input_of({node_of("a", {{"V100", 1}})});
  add(input, job_of(1, 1, 100000, {{"V100", 10}}));
  add(input, job_of(2, 1, 100, {{"V100", 10}}));
  EXPECT_TRUE(allocations_of(plan_of(input, {{"utility", std::string("jct")}}), 1).empty());
}

TEST(Hadar, MovesAJobUpWhenAFasterGpuComesFree) {
  auto input = input_of({node_of("a", {{"K80", 1}}), node_of("b", {{"V100", 1}})});
  auto job = job_of(1, 1, 10000, {{"K80", 1}, {"V100", 10}});
  hold(input, job, 0, {{"a", {0}}}, 10000);
  add(input, job);
  EXPECT_EQ(allocations_of(plan_of(input), 1)[0].slices[0].node, "b");
}

TEST(Hadar, AHighPriceNeverLeavesAGpuIdleBesideAJob) {
  auto input = input_of({node_of("a", {{"V100", 1}})});
  input.prices.price["V100"] = 1e6;
  add(input, job_of(1, 1, 1000, {{"V100", 10}}));
  EXPECT_EQ(allocations_of(plan_of(input), 1).size(), 1U);
}

TEST(Hadar, AJobOthersOutbidIsToldUtilityPriceAndPayoff) {
  auto input = input_of({node_of("a", {{"V100", 1}})});
  input.prices.price["V100"] = 1e6;
  add(input, job_of(1, 1, 1000, {{"V100", 10}}));
  add(input, job_of(2, 1, 1000, {{"V100", 1}}));
  const auto plan = plan_of(input);
  const auto& reason = reason_of(plan, allocations_of(plan, 1).empty() ? 1 : 2);
  EXPECT_EQ(reason.code, "waiting_payoff");
  EXPECT_EQ(reason.numbers.at("price"), 1e6);
  EXPECT_NEAR(reason.numbers.at("payoff"), reason.numbers.at("utility") - 1e6, 1e-6);
}

TEST(Hadar, AJobThatWaitedTooLongGoesFirst) {
  auto input = input_of({node_of("a", {{"V100", 1}})});
  add(input, job_of(1, 1, 1000000, {{"V100", 1}}));
  add(input, job_of(2, 1, 100, {{"V100", 10}}));
  const PolicySettings settings = {{"utility", std::string("jct")}, {"max_wait_rounds", 3.0}};
  for (int round = 0; round < 3; ++round) {
    const auto plan = plan_of(input, settings);
    EXPECT_TRUE(allocations_of(plan, 1).empty()) << "round " << round;
    input.memory = plan.memory;
  }
  EXPECT_EQ(allocations_of(plan_of(input, settings), 1).size(), 1U);
}

TEST(Hadar, GangsMixTypesAcrossNodesWhole) {
  auto input = input_of({node_of("a", {{"V100", 3}}), node_of("b", {{"P100", 3}})});
  add(input, job_of(1, 4, 1000, {{"V100", 10}, {"P100", 5}}));
  const auto plan = plan_of(input);
  ASSERT_EQ(allocations_of(plan, 1).size(), 1U);
  EXPECT_EQ(allocations_of(plan, 1)[0].slices.size(), 2U);
}

TEST(Hadar, SettingsAreChecked) {
  EXPECT_FALSE(make_hadar({{"utility", std::string("best")}}));
  EXPECT_FALSE(make_hadar({{"gamma", 1.0}}));
  EXPECT_TRUE(make_hadar({{"utility", std::string("inverse-slowdown")}, {"beta", 0.0}}));
}

}  // namespace
}  // namespace hadar::testing
