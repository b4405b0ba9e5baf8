#include "actors/policy/gang_search.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/unit/policy/inputs.hpp"

namespace hadar::testing {
namespace {

struct Scene {
  explicit Scene(RoundInput in, ValueSettings settings = {})
      : input(std::move(in)), plan(*PlanBuilder::make(input)), value(plan, settings) {}
  RoundInput input;
  PlanBuilder plan;
  Valuation value;
};

// The best payoff over every gang there is, by trying them all.
double best_by_trying(const Scene& scene, std::size_t j) {
  std::vector<Part> cells;
  const auto& cluster = scene.plan.cluster();
  for (std::uint32_t node = 0; node < cluster.nodes(); ++node)
    for (std::uint32_t type = 0; type < cluster.types(); ++type)
      if (scene.plan.free(node, type) > 0 && scene.plan.allows(j, type))
        cells.push_back({node, type, scene.plan.free(node, type)});
  double best = -1e300;
  Gang gang;
  const std::function<void(std::size_t, std::uint32_t)> grow = [&](std::size_t cell, std::uint32_t missing) {
    if (missing == 0) best = std::max(best, scene.value.offer(j, normalized(gang)).payoff());
    if (missing == 0 || cell == cells.size()) return;
    for (std::uint32_t count = 0; count <= std::min(missing, cells[cell].count); ++count) {
      if (count > 0) gang.push_back({cells[cell].node, cells[cell].type, count});
      grow(cell + 1, missing - count);
      if (count > 0) gang.pop_back();
    }
  };
  grow(0, scene.plan.job(j).gpus);
  return best;
}

TEST(GangSearch, MixesTypesWhenNoTypeAloneIsEnough) {
  auto input = input_of({node_of("a", {{"V100", 3}}), node_of("b", {{"P100", 3}})});
  add(input, job_of(1, 4, 100, {{"V100", 10}, {"P100", 6}}));
  Scene scene(input);
  const auto offer = best_offer(scene.plan, scene.value, 0);
  ASSERT_TRUE(offer);
  EXPECT_EQ(size_of(offer->gang), 4U);
  EXPECT_EQ(node_count(offer->gang), 2U);
  EXPECT_DOUBLE_EQ(offer->steps_per_s, 6 * 0.9) << "the slowest member, a tenth less for spreading";
}

TEST(GangSearch, PrefersOneNodeToTwo) {
  auto input = input_of({node_of("a", {{"V100", 1}}), node_of("b", {{"V100", 1}}), node_of("c", {{"V100", 2}})});
  add(input, job_of(1, 2, 100, {{"V100", 10}}));
  Scene scene(input);
  EXPECT_EQ(best_offer(scene.plan, scene.value, 0)->gang, (Gang{{2, 0, 2}}));
}

TEST(GangSearch, LeavesTheEmptierNodeWhole) {
  auto input = input_of({node_of("a", {{"V100", 4}}), node_of("b", {{"V100", 4}})});
  input.nodes[1].idle_gpus = {3};
  add(input, job_of(1, 1, 100, {{"V100", 10}}));
  Scene scene(input);
  EXPECT_EQ(best_offer(scene.plan, scene.value, 0)->gang.front().node, 1U);
}

TEST(GangSearch, ProportionalBatchRunsAtTheMeanOfItsMembers) {
  auto input = input_of({node_of("a", {{"P100", 1}, {"V100", 1}})});
  auto job = job_of(1, 2, 100, {{"V100", 10}, {"P100", 6}});
  job.proportional_batch = true;
  add(input, job);
  Scene scene(input);
  EXPECT_DOUBLE_EQ(best_offer(scene.plan, scene.value, 0)->steps_per_s, 8);
}

TEST(GangSearch, ExchangeOverTheNetworkCostsTime) {
  auto input = input_of({node_of("a", {{"V100", 1}}), node_of("b", {{"V100", 1}})});
  for (auto& node : input.nodes) node.net_gb_s = 1;
  auto job = job_of(1, 2, 100, {{"V100", 10}});
  job.model_bytes = 100'000'000;  // 2 (2-1)/2 x 0.1 GB / 1 GB/s = 0.1 s beside 0.1 s of computing
  add(input, job);
  Scene scene(input);
  EXPECT_NEAR(best_offer(scene.plan, scene.value, 0)->steps_per_s, 5, 1e-9);
}

TEST(GangSearch, AnUnknownTypeIsTriedNotRejected) {
  auto input = input_of({node_of("a", {{"NEW", 1}})});
  add(input, job_of(1, 1, 100, {{"V100", 10}}));
  Scene scene(input);
  const auto offer = best_offer(scene.plan, scene.value, 0);
  ASSERT_TRUE(offer);
  EXPECT_GT(offer->steps_per_s, 0);
}

// Which type the best offer of a job has that runs at 10 steps/s on A, as measured there, and at `speed` on B.
NodeName best_place(double speed, EstimateSource source, ValueSettings settings = {}) {
  auto input = input_of({node_of("a", {{"A", 1}}), node_of("b", {{"B", 1}})});
  auto job = job_of(1, 1, 1000, {});
  job.estimates = {{"A", Placement::kPacked, 10, EstimateSource::kMeasured}, {"B", Placement::kPacked, speed, source}};
  hold(input, job, 0, {{"a", {0}}}, 1000);
  add(input, job);
  Scene scene(input, settings);
  return scene.plan.cluster().node_name(best_offer(scene.plan, scene.value, 0)->gang.front().node);
}

TEST(GangSearch, ATypeWhoseSpeedIsOnlyGuessedIsProbedWhileItMayBeTheBetterOne) {
  EXPECT_EQ(best_place(9, EstimateSource::kPrior), "b") << "the guess may be off by as much";
  EXPECT_EQ(best_place(9, EstimateSource::kMeasured), "a") << "once measured it goes back";
  EXPECT_EQ(best_place(5, EstimateSource::kPrior), "a") << "hopeless";
  EXPECT_EQ(best_place(9, EstimateSource::kPrior, {.probe_bonus = 0}), "a");
}

TEST(GangSearch, StayingIsWorthMoreThanAnEqualMove) {
  auto input = input_of({node_of("a", {{"V100", 1}}), node_of("b", {{"V100", 1}})});
  auto job = job_of(1, 1, 100, {{"V100", 10}});
  hold(input, job, 0, {{"b", {0}}}, 100);
  add(input, job);
  Scene scene(input);
  const auto offer = best_offer(scene.plan, scene.value, 0);
  EXPECT_TRUE(offer->stays);
  EXPECT_EQ(offer->gang.front().node, 1U);
}

TEST(GangSearch, FindsTheBestGangOverAllTypeMixes) {
  EXPECT_TRUE(rc::check([] {
    std::vector<NodeCapacity> nodes;
    const auto count = *rc::gen::inRange(1, 4);
    for (int n = 0; n < count; ++n) {
      std::vector<GpuGroup> groups;
      for (const auto* type : {"A", "B", "C"})
        if (const auto gpus = *rc::gen::inRange<std::uint32_t>(0, 3); gpus > 0) groups.push_back({type, gpus});
      nodes.push_back(node_of("n" + std::to_string(n), groups));
    }
    auto input = input_of(nodes);
    const double a = *rc::gen::inRange(1, 20);
    const double b = *rc::gen::inRange(1, 20);
    const double c = *rc::gen::inRange(1, 20);
    input.prices.exponential = *rc::gen::arbitrary<bool>();
    for (const auto* type : {"A", "B", "C"}) {
      input.prices.price[type] = input.prices.u_max[type] = *rc::gen::inRange(1, 30) / 100.0;
      input.prices.u_min[type] = input.prices.u_max[type] / *rc::gen::inRange(3, 300);
    }
    add(input, job_of(1, *rc::gen::inRange<std::uint32_t>(1, 5), 1000, {{"A", a}, {"B", b}, {"C", c}}));
    Scene scene(input);
    const auto offer = best_offer(scene.plan, scene.value, 0);
    const double best = best_by_trying(scene, 0);
    RC_ASSERT(offer.has_value() == (best > -1e299));
    if (!offer) return;
    RC_ASSERT(offer->payoff() >= best - 1e-9);
  }));
}

}  // namespace
}  // namespace hadar::testing
