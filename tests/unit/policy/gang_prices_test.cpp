#include "actors/policy/gang_prices.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "actors/policy/hadar/hadar.hpp"
#include "tests/unit/policy/inputs.hpp"

namespace hadar::testing {
namespace {

RoundInput two_nodes() {
  auto input = input_of({node_of("a", {{"V100", 4}}), node_of("b", {{"K80", 2}, {"V100", 2}})});
  input.prices.exponential = true;
  input.prices.price = {{"K80", 0.1}, {"V100", 0.5}};
  input.prices.u_min = {{"K80", 0.01}, {"V100", 0.01}};
  input.prices.u_max = {{"K80", 0.1}, {"V100", 1}};
  add(input, job_of(1, 2, 1000, {{"K80", 1}, {"V100", 10}}));
  add(input, job_of(2, 2, 2000, {{"K80", 1}, {"V100", 10}}));
  return input;
}

constexpr std::uint32_t kV100 = 1;

// The integral of .01 x 100^(g / c) from `from` to `to`.
double integral(double from, double to, double c) {
  return c / std::log(100.0) * 0.01 * (std::pow(100, to / c) - std::pow(100, from / c));
}

TEST(GangPrices, AGangPaysTheIntegralOverWhatItTakesOfANode) {
  const auto input = two_nodes();
  auto plan = *PlanBuilder::make(input);
  const GangPrices prices(plan);
  ASSERT_TRUE(prices.rise());
  EXPECT_NEAR(prices.of({{0, kV100, 2}}), integral(0, 2, 4), 1e-12);
  EXPECT_NEAR(prices.of({{0, kV100, 1}, {1, kV100, 1}}), integral(0, 1, 4) + integral(0, 1, 2), 1e-12);
  ASSERT_TRUE(plan.allocate(0, 0, {{0, kV100, 2}}, 10).has_value());
  EXPECT_NEAR(prices.of({{0, kV100, 2}}), integral(2, 4, 4), 1e-12) << "dearer once the node is half full";
}

TEST(GangPrices, ANodeOthersHoldIsAsDearAsAFullOne) {
  auto input = input_of({node_of("a", {{"V100", 2}})});
  input.prices = two_nodes().prices;
  input.nodes[0].idle_gpus = {1};
  const auto plan = *PlanBuilder::make(input);
  EXPECT_NEAR(GangPrices(plan).of({{0, 0, 1}}), integral(1, 2, 2), 1e-12);
}

TEST(GangPrices, TheCheapestGangIsTakenGpuByGpu) {
  const auto input = two_nodes();
  const auto plan = *PlanBuilder::make(input);
  const GangPrices prices(plan);
  const auto gang = prices.cheapest({kV100}, 3);
  ASSERT_EQ(gang.size(), 2U) << "three of the four on one node would cost more";
  EXPECT_EQ(gang[0], (Part{0, kV100, 2}));
  EXPECT_EQ(gang[1], (Part{1, kV100, 1}));
  EXPECT_TRUE(prices.cheapest({kV100}, 7).empty());
  EXPECT_EQ(prices.cheapest_on(1, {0, kV100}, 9).size(), 4U) << "no more than there are";
}

TEST(GangPrices, ClearingPricesAreTheSameOnEveryNodeHoweverFull) {
  auto input = two_nodes();
  input.prices.exponential = false;
  auto plan = *PlanBuilder::make(input);
  const GangPrices prices(plan);
  ASSERT_TRUE(plan.allocate(0, 0, {{0, kV100, 2}}, 10).has_value());
  EXPECT_FALSE(prices.rise());
  EXPECT_EQ(prices.of({{0, kV100, 2}}), 1.0);
  EXPECT_EQ(prices.asked(kV100).node, ClusterIndex::kNone);
}

TEST(GangPrices, AJobOutbidIsToldTheNodeThatAsksLeast) {
  auto input = input_of({node_of("n1", {{"V100", 1}}), node_of("n2", {{"V100", 1}})});
  input.prices = two_nodes().prices;
  input.prices.u_max["V100"] = 1e6;
  for (std::uint64_t id = 1; id <= 3; ++id) add(input, job_of(id, 1, 1000 * id, {{"V100", 10}}));
  const auto plan = (*make_hadar({}))->plan(input);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->allocations.size(), 2U);
  std::uint64_t waiting = 0;
  for (const auto& outcome : plan->outcomes)
    if (outcome.kind == OutcomeKind::kWaiting) waiting = outcome.job.value;
  const auto& reason = reason_of(*plan, waiting);
  EXPECT_EQ(reason.code, "waiting_payoff");
  EXPECT_NE(reason.text.find(" on V100@n1: "), std::string::npos) << reason.text;
  EXPECT_NEAR(reason.numbers.at("price"), 1e6, 1) << "both are full";
}

TEST(GangPrices, EveryJobIsPlacedOnceNobodyCompetesWhateverThePrices) {
  const auto plan = (*make_hadar({}))->plan(two_nodes());
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->allocations.size(), 2U);
}

}  // namespace
}  // namespace hadar::testing
