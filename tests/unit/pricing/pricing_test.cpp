#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <rapidcheck.h>

#include "actors/pricing/makespan_shares.hpp"
#include "actors/pricing/price_curve.hpp"
#include "actors/pricing/prices.hpp"
#include "actors/pricing/utility.hpp"
#include "tests/unit/policy/inputs.hpp"

namespace hadar::testing {
namespace {

TEST(PriceCurve, RunsFromItsLowerToItsUpperBoundExponentially) {
  const PriceCurve curve = bounded_curve(0.01, 1, 4);
  const double expected[] = {0.01, 0.0316228, 0.1, 0.316228, 1};
  for (int taken = 0; taken <= 4; ++taken) EXPECT_NEAR(price_at(curve, taken), expected[taken], 1e-6);
}

TEST(PriceCurve, BoundsAreForcedApartAndCapped) {
  EXPECT_NEAR(competitive_alpha(bounded_curve(1, 1, 4)), 1, 1e-12) << "ratio at least e";
  EXPECT_NEAR(bounded_curve(1e-30, 1, 4).u_min, 1e-6, 1e-18) << "ratio at most a million";
  EXPECT_GT(bounded_curve(0, 0, 1).u_min, 0);
}

TEST(PriceCurve, TheCostIsTheIntegralOfThePrice) {
  const PriceCurve curve = bounded_curve(0.01, 1, 4);
  double sum = 0;
  for (int i = 0; i < 20000; ++i) sum += price_at(curve, 1 + (i + 0.5) * 2 / 20000) * 2 / 20000;
  EXPECT_NEAR(cost_of(curve, 1, 2), sum, 1e-7);
  EXPECT_EQ(cost_of(curve, 3, 0), 0);
  EXPECT_GT(cost_of(curve, 2, 2), 2 * price_at(curve, 2)) << "the last units are dearer than the first";
}

// Jobs come one after another and are admitted while they gain; nothing is revoked. The lowest price is a quarter of
// the least utility, which keeps the dual's start below a quarter of the optimum.
TEST(PriceCurve, PostedPricesKeepTheirCompetitiveRatio) {
  EXPECT_TRUE(rc::check([] {
    const PriceCurve curve = bounded_curve(0.0025, 1, 8);
    const auto values = *rc::gen::container<std::vector<int>>(24, rc::gen::inRange(1, 101));
    double taken = 0;
    double gained = 0;
    std::vector<double> sorted;
    for (const int value : values) {
      const double utility = value / 100.0;
      sorted.push_back(utility);
      if (taken + 1 <= curve.capacity && utility > price_at(curve, taken)) {
        taken += 1;
        gained += utility;
      }
    }
    std::sort(sorted.rbegin(), sorted.rend());
    const double best = std::accumulate(sorted.begin(), sorted.begin() + 8, 0.0);
    RC_ASSERT(gained * 2 * competitive_alpha(curve) >= best - 1e-9);
  }));
}

TEST(PriceCurve, SmoothsOnTheLogarithm) {
  EXPECT_NEAR(smoothed(1, 100, 0.5), 10, 1e-9);
}

UtilityJob job_with(double steps_left, double share = 0) {
  return {1, steps_left, 10, 50, share, 4};
}

TEST(Utility, RisesWithSpeedAndIsNeverNegative) {
  for (const auto& name : utility_names()) {
    const UtilitySettings settings{utility_of(name), 100};
    double last = 0;
    EXPECT_EQ(utility(settings, job_with(1000, 0.2), 0, 10), 0) << name;
    for (double speed = 1; speed <= 10; ++speed) {
      const double value = utility(settings, job_with(1000, 0.2), speed, 10);
      EXPECT_GT(value, last) << name;
      last = value;
    }
  }
}

TEST(Utility, WeighsWhatWaitingCosts) {
  const UtilitySettings jct{UtilityKind::kJct, 0};
  EXPECT_GT(utility(jct, job_with(10), 10, 10), utility(jct, job_with(10000), 10, 10)) << "the shorter job first";
  EXPECT_LE(utility(jct, job_with(1e-9), 10, 10), 1) << "a tiny job does not blow up";
  const UtilitySettings both{UtilityKind::kJctMakespan, 100};
  EXPECT_GT(utility(both, job_with(10000, 0.9), 10, 10), utility(both, job_with(1000, 0), 10, 10))
      << "the job the makespan hangs on";
}

TEST(MakespanBound, TheLongestJobBindsWhenThereIsLittleWork) {
  const auto bound = makespan_bound({{1000, 1, {10, 5}}, {10, 1, {10, 5}}}, {4, 4});
  EXPECT_DOUBLE_EQ(bound.tail_s, 100);
  EXPECT_LT(bound.work_s, bound.tail_s);
  EXPECT_GT(bound.shares[0], 0.9);
}

TEST(MakespanBound, WorkBindsWhenThereAreManyJobs) {
  const auto bound = makespan_bound(std::vector<MakespanJob>(40, {100, 1, {10}}), {4});
  EXPECT_NEAR(bound.work_s, 100, 1e-9);  // 40 jobs of 10 s on 4 GPUs
  for (const double share : bound.shares) EXPECT_NEAR(share, 1.0 / 40, 1e-3);
}

TEST(MakespanBound, FollowsComparativeAdvantage) {
  // One GPU of each type; each job is ten times faster on its own: 1 s of work if matched.
  const auto bound = makespan_bound({{10, 1, {10, 1}}, {10, 1, {1, 10}}}, {1, 1});
  EXPECT_NEAR(bound.work_s, 1, 0.05);
}

TEST(MakespanBound, SharesSumToOneOverJobsThatCanRun) {
  EXPECT_TRUE(rc::check([] {
    const auto speeds = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 20)));
    std::vector<MakespanJob> jobs;
    for (const int speed : speeds) jobs.push_back({100.0 + speed, 1, {speed * 1.0, speed * 0.5}});
    const auto bound = makespan_bound(jobs, {2, 3});
    double sum = 0;
    bool any = false;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      sum += bound.shares[j];
      any = any || speeds[j] > 0;
      if (speeds[j] == 0) RC_ASSERT(bound.shares[j] == 0);
    }
    RC_ASSERT(std::abs(sum - (any ? 1 : 0)) < 1e-9);
  }));
}

RoundInput market(std::uint64_t jobs) {
  auto input = input_of({node_of("a", {{"K80", 2}}), node_of("b", {{"V100", 2}})});
  for (std::uint64_t id = 1; id <= jobs; ++id) add(input, job_of(id, 1, 500 * id, {{"K80", 2.0}, {"V100", 10.0}}));
  return input;
}

TEST(Prices, NearlyNothingWhenNobodyCompetes) {
  const auto board = make_prices(market(1), {}, {});
  EXPECT_LT(board.price.at("V100"), 0.05 * board.u_max.at("V100"));
  EXPECT_EQ(board.round, RoundId{7});
}

TEST(Prices, ScarcityRaisesThemAndTheFasterTypeCostsMore) {
  const auto few = make_prices(market(2), {}, {});
  const auto many = make_prices(market(12), {}, {});
  EXPECT_GT(many.price.at("V100") / many.u_max.at("V100"), few.price.at("V100") / few.u_max.at("V100"));
  EXPECT_GT(many.price.at("V100"), many.price.at("K80"));
}

TEST(Prices, ComeDownAgainWhenTheQueueIsGone) {
  auto board = make_prices(market(12), {}, {});
  const double high = board.price.at("V100");
  for (int round = 0; round < 5; ++round) board = make_prices(market(1), {}, board);
  EXPECT_LT(board.price.at("V100"), high);
}

TEST(Prices, TheExponentialMethodStaysWithinItsBounds) {
  PriceSettings settings;
  settings.method = PriceMethod::kExponential;
  const auto board = make_prices(market(12), settings, {});
  for (const auto* type : {"K80", "V100"}) {
    EXPECT_GE(board.price.at(type), board.u_min.at(type));
    EXPECT_LE(board.price.at(type), board.u_max.at(type) * (1 + 1e-12));
  }
}

TEST(Prices, BoundsMoveSmoothly) {
  const auto first = make_prices(market(2), {}, {});
  const auto fresh = make_prices(market(12), {}, {});
  const auto next = make_prices(market(12), {}, first);
  EXPECT_NEAR(next.u_max.at("V100"), std::sqrt(first.u_max.at("V100") * fresh.u_max.at("V100")), 1e-9);
}

TEST(Prices, NoJobsAndNoNodesAreFine) {
  EXPECT_TRUE(make_prices(input_of({}), {}, {}).price.empty());
  EXPECT_EQ(make_prices(market(0), {}, {}).price.size(), 2U);
}

TEST(Prices, SameInputSameBoard) {
  EXPECT_EQ(make_prices(market(9), {}, {}), make_prices(market(9), {}, {}));
}

}  // namespace
}  // namespace hadar::testing
