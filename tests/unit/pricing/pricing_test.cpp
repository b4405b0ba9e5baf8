#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <rapidcheck.h>

#include "actors/policy/solvers/direct_programs.hpp"
#include "actors/pricing/makespan_shares.hpp"
#include "actors/pricing/price_curve.hpp"
#include "actors/pricing/prices.hpp"
#include "actors/pricing/utility.hpp"
#include "actors/pricing/utility_jobs.hpp"
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
  return {.steps_left = steps_left,
          .steps_total = 2 * steps_left,
          .best_speed = 10,
          .isolated_speed = 2,
          .age_s = 5000,
          .makespan_share = share,
          .jobs = 4};
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
  EXPECT_LE(utility(jct, job_with(1e-9), 10, 10), 20) << "a tiny job weighs no more than one as long as a start";
  const UtilitySettings both{UtilityKind::kJctMakespan, 100};
  EXPECT_GT(utility(both, job_with(10000, 0.9), 10, 10), utility(both, job_with(1000, 0), 10, 10))
      << "the job the makespan hangs on";
}

// By hand: 100 of 200 steps are left at 10 steps/s, the job is 50 s old, a round is 4 s. After a round on its fastest
// type it completes at 60 s, after a round of nothing at 64 s, after one at half speed at 62 s.
TEST(Utility, WeighsTheLossOfARoundForEachWayToCountCompletion) {
  auto job = job_with(100);
  job.age_s = 50;
  const auto worth = [&](UtilityKind kind, double speed) { return utility({.kind = kind}, job, speed, 4); };
  EXPECT_NEAR(worth(UtilityKind::kInverseSlowdown, 10), 20.0 / 60, 1e-12) << "the level: 20 s alone, 60 s here";
  EXPECT_NEAR(worth(UtilityKind::kInverseSlowdownMarginal, 10), 20.0 / 60 - 20.0 / 64, 1e-12);
  EXPECT_NEAR(worth(UtilityKind::kInverseSlowdownMarginal, 5), 20.0 / 62 - 20.0 / 64, 1e-12);
  EXPECT_NEAR(worth(UtilityKind::kEffectiveThroughput, 10), 200.0 / 60 - 200.0 / 64, 1e-12);
  const auto half_square = [](double t) { return t / 100 * t / 100 / 2; };  // 200 steps alone at 2 steps/s: 100 s
  EXPECT_NEAR(worth(UtilityKind::kFinishTimeFairness, 10), half_square(64) - half_square(60), 1e-12);
  job.deadline_s = 62;
  EXPECT_GT(worth(UtilityKind::kSoftDeadline, 10), 0.1) << "the round decides about the deadline";
  job.deadline_s = 500;
  EXPECT_LT(worth(UtilityKind::kSoftDeadline, 10), 0.01) << "there is time enough";
  job.deadline_s = 5;
  EXPECT_LT(worth(UtilityKind::kSoftDeadline, 10), 0.01) << "it is too late";
}

TEST(Utility, WeightsMultiplyIn) {
  for (const auto& name : utility_names()) {
    auto job = job_with(1000, 0.2);
    const double one = utility({.kind = utility_of(name)}, job, 5, 10);
    job.weight = 3;
    EXPECT_NEAR(utility({.kind = utility_of(name)}, job, 5, 10), 3 * one, 1e-12) << name;
  }
}

TEST(Utility, AUserAboveTheQuotaWeighsLess) {
  EXPECT_EQ(quota_factor(0.5, 4, 8), 1) << "up to the quota";
  EXPECT_EQ(quota_factor(0.25, 4, 8), 0.5) << "twice the quota";
  EXPECT_EQ(quota_factor(0, 0, 8), 1) << "who holds nothing may always start";
  auto input = input_of({node_of("a", {{"K80", 4}})});
  auto greedy = job_of(1, 3, 100, {{"K80", 1.0}});
  greedy.user = "a";
  hold(input, greedy, 0, {{"a", {0, 1, 2}}}, 100);
  add(input, greedy);
  auto modest = job_of(2, 1, 100, {{"K80", 1.0}});
  modest.user = "b";
  add(input, modest);
  const std::vector<GpuType> types = {"K80"};
  std::vector<JobSpeeds> speeds;
  for (const auto& job : input.jobs) speeds.emplace_back(*job, types);
  const auto jobs = utility_jobs(input, {.quotas = {{"a", 0.25}, {"b", 0.25}}}, types, speeds);
  EXPECT_NEAR(jobs[0].weight, 0.25 / 0.75, 1e-12);
  EXPECT_EQ(jobs[1].weight, 1);
}

solvers::Market work(std::vector<double> capacity, std::vector<double> gpus, std::vector<double> utility) {
  return {capacity.size(), std::move(capacity), std::move(gpus), std::move(utility)};
}

TEST(MakespanShares, TheLongestJobBindsWhenThereIsLittleWork) {
  const auto market = work({4, 4}, {1, 1}, {0.01, 0.005, 1, 0.5});
  EXPECT_NEAR(least_makespan(market), 100, 1e-6);
  const auto found = makespan_shares(market, 0.01, 0);
  EXPECT_NEAR(found.makespan_s, 100, 1);
  EXPECT_GT(found.shares[0], 0.99);
}

TEST(MakespanShares, JobsAboutAsLongShareTheWeightAndMuchShorterOnesHaveNone) {
  const auto found = makespan_shares(work({8}, {1, 1, 1}, {0.01, 0.010001, 0.02}), 0.01, 0);
  EXPECT_GT(found.shares[1], 0.2) << "no jump to one of two nearly equal jobs";
  EXPECT_GT(found.shares[0], found.shares[1]);
  EXPECT_LT(found.shares[2], 0.02);
}

TEST(MakespanShares, WorkBindsWhenThereAreManyJobs) {
  const auto market = work({4}, std::vector<double>(40, 1), std::vector<double>(40, 0.1));
  EXPECT_NEAR(least_makespan(market), 100, 1e-6);  // 40 jobs of 10 s on 4 GPUs
  for (const double share : makespan_shares(market, 0.01, 0).shares) EXPECT_NEAR(share, 1.0 / 40, 1e-9);
}

TEST(MakespanShares, FollowComparativeAdvantage) {
  // One GPU of each type; each job is ten times faster on its own: 1 s of work if matched.
  const auto market = work({1, 1}, {1, 1}, {1, 0.1, 0.1, 1});
  EXPECT_NEAR(least_makespan(market), 1, 1e-9);
  EXPECT_NEAR(makespan_shares(market, 0.001, 0).makespan_s, 1, 0.001);
}

TEST(MakespanShares, LeaveOutJobsAndTypesThatCannotRun) {
  const auto found = makespan_shares(work({2, 0}, {1, 1, 1}, {1, 1, 0, 1, 2, 0}), 0.01, 0);
  EXPECT_EQ(found.shares[1], 0) << "its only type has no GPU";
  EXPECT_NEAR(found.shares[0] + found.shares[2], 1, 1e-9);
  EXPECT_TRUE(makespan_shares(work({1}, {}, {}), 0.01, 0).shares.empty());
  EXPECT_EQ(least_makespan(work({1}, {1}, {0})), 0);
}

// Random jobs on 1 to 4 types, lengths over three decades, some types closed to some jobs.
solvers::Market random_work(std::uint64_t seed, std::size_t most_jobs) {
  std::mt19937_64 engine(seed);
  const auto draw = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(engine() >> 11) / static_cast<double>(1ULL << 53);
  };
  solvers::Market market;
  market.types = 1 + engine() % 4;
  for (std::size_t j = 0; j < market.types; ++j) market.capacity.push_back(1 + std::floor(draw(0, 8)));
  const auto jobs = 1 + engine() % most_jobs;
  for (std::size_t i = 0; i < jobs; ++i) {
    market.gpus.push_back(1 + std::floor(draw(0, 4)));
    const double length = std::pow(10, draw(2, 5));
    for (std::size_t j = 0; j < market.types; ++j)
      market.utility.push_back(j > 0 && draw(0, 1) < 0.1 ? 0 : draw(0.1, 1) / length);
  }
  return market;
}

// The measure is Clp: the makespan program itself, and the same with the jobs' rows weighed by the shares. By weak
// duality no plan does more than t of the weighed work, and the shares of an optimum do exactly t.
TEST(MakespanShares, AreDualsOfTheProgramByAnotherSolver) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto market = random_work(seed, 30);
    const auto exact = solvers::max_min_directly(market);
    ASSERT_TRUE(exact.has_value());
    EXPECT_NEAR(least_makespan(market) * exact->level, 1, 1e-6) << seed;
    const auto found = makespan_shares(market, 0.001, 0);
    EXPECT_NEAR(std::accumulate(found.shares.begin(), found.shares.end(), 0.0), 1, 1e-9) << seed;
    EXPECT_GE(found.makespan_s * exact->level, 1 - 1e-6) << seed;
    EXPECT_LE(found.makespan_s * exact->level, 1.0011) << seed;
    auto weighed = market.utility;
    for (std::size_t i = 0; i < market.jobs(); ++i)
      for (std::size_t j = 0; j < market.types; ++j) weighed[i * market.types + j] *= found.shares[i] / exact->level;
    const auto most = solvers::max_value_directly(market, weighed, {});
    ASSERT_TRUE(most.has_value());
    EXPECT_GE(most->value, 1 - 1e-6) << seed;
    EXPECT_LE(most->value, 1.0021) << seed;
  }
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

// What jobs gain at the prices and what the GPUs cost together are no less than any plan's utility; at clearing prices
// they are the best plan's, here by Clp.
TEST(Prices, ClearTheRound) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 engine(seed);
    auto input = input_of({node_of("a", {{"K80", 3}}), node_of("b", {{"P100", 2}}), node_of("c", {{"V100", 4}})});
    for (std::uint64_t id = 1; id <= 1 + engine() % 20; ++id) {
      const double speed = 1 + static_cast<double>(engine() % 5);
      auto job =
          job_of(id, 1 + engine() % 3, 100 + engine() % 50000,
                 {{"K80", speed}, {"P100", speed * 2}, {"V100", speed * (2 + static_cast<double>(engine() % 4))}});
      add(input, job);
    }
    const std::vector<GpuType> types = {"K80", "P100", "V100"};
    std::vector<JobSpeeds> speeds;
    for (const auto& job : input.jobs) speeds.emplace_back(*job, types);
    const auto jobs = utility_jobs(input, {}, types, speeds);
    auto market = work_left(input, types, speeds);
    const auto board = make_prices(input, {}, {});
    double gained = 3 * board.price.at("K80") + 2 * board.price.at("P100") + 4 * board.price.at("V100");
    std::vector<double> value;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      double best = 0;
      for (std::uint32_t type = 0; type < 3; ++type) {
        value.push_back(utility({}, jobs[j], speeds[j].member(type), input.round_s));
        best = std::max(best, value.back() - market.gpus[j] * board.price.at(types[type]));
      }
      gained += best;
    }
    const auto most = solvers::max_value_directly(market, value, {});
    ASSERT_TRUE(most.has_value());
    EXPECT_NEAR(gained / most->value, 1, 1e-6) << seed;
  }
}

TEST(Prices, SameInputSameBoard) {
  EXPECT_EQ(make_prices(market(9), {}, {}), make_prices(market(9), {}, {}));
}

}  // namespace
}  // namespace hadar::testing
