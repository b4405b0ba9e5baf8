// The price methods against plain linear programs, bounds and optimality conditions, on thousands of small markets.
#include <cmath>
#include <gtest/gtest.h>

#include "actors/policy/solvers/direct_programs.hpp"
#include "actors/policy/solvers/linear_program.hpp"
#include "actors/policy/solvers/max_min.hpp"
#include "actors/policy/solvers/max_value.hpp"
#include "actors/policy/solvers/proportional_fair.hpp"
#include "actors/policy/solvers/water_fill.hpp"
#include "tests/unit/policy/solvers/random_market.hpp"

namespace hadar::solvers {
namespace {

constexpr double kExact = 1e-9;
constexpr double kLater = 1e-3;  // Clp's slack of 1e-8 in full rows is worth up to 1e5 times that in a later level
constexpr double kClp = 2e-6;    // Clp keeps rows to 1e-8 absolute; its answers are that much less exact

std::vector<double> value_row(Dice& dice, const Market& market) {
  std::vector<double> value;
  for (const double utility : market.utility) value.push_back(utility * dice.between(0.2, 3));
  return value;
}

TEST(MaxMin, MeetsItsBoundAndClpOnRandomMarkets) {
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const auto market = random_market(dice);
    const auto plan = max_min(market);
    ASSERT_TRUE(plan.settled);
    ASSERT_LE(violation_of(market, plan.shares), kExact);
    ASSERT_LE(plan.upper - plan.level, kExact * plan.upper);
    for (const double utility : utility_of(market, plan.shares)) ASSERT_GE(utility, plan.level * (1 - kExact));
    const auto direct = max_min_directly(market);
    ASSERT_TRUE(direct) << direct.error().message;
    ASSERT_LE(direct->level, plan.upper * (1 + kExact));
    ASSERT_GE(direct->level, plan.level * (1 - kClp));
  }
}

TEST(MaxMin, KeepsItsProofWithThousandsOfJobs) {
  Dice dice(1);
  Market market;
  market.types = 6;
  market.capacity.assign(6, 400);
  for (std::size_t i = 0; i < 3000; ++i) {
    market.gpus.push_back(static_cast<double>(1 + dice.below(4)));
    for (std::size_t j = 0; j < 6; ++j) market.utility.push_back(dice.between(0.1, 10));
  }
  const auto plan = max_min(market);
  EXPECT_TRUE(plan.settled);
  EXPECT_LE(violation_of(market, plan.shares), kExact);
  EXPECT_LE(plan.upper - plan.level, kExact * plan.upper);
}

TEST(MaxMin, SaysWhenOneJobsBestTypeSetsTheLevel) {
  const Market market{2, {4, 4}, {1, 1}, {1, 0.5, 100, 200}};
  const auto plan = max_min(market);
  EXPECT_TRUE(plan.capped);
  EXPECT_NEAR(plan.level, 1, kExact);
}

TEST(FinishRatio, IsTheLeastFeasibleRatio) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    auto market = random_market(dice);
    FinishTerms terms;
    for (std::size_t i = 0; i < market.jobs(); ++i) {
      const double scale = std::pow(10, dice.between(-6, -2));
      for (std::size_t j = 0; j < market.types; ++j) market.row(i)[j] *= scale;
      terms.age.push_back(dice.chance(0.3) ? 0 : dice.between(0, 1e5));
      terms.fair.push_back(dice.between(0.5, 5) / market.best(i) + dice.between(0, 1e4));
    }
    const auto plan = min_finish_ratio(market, terms);
    ASSERT_TRUE(plan.settled);
    ASSERT_LE(violation_of(market, plan.shares), kExact);
    ASSERT_LE(plan.level - plan.upper, kExact * plan.level);
    // A little above it the demands fit, a little below they do not; part = how much of them fits.
    const auto part = [&](double rho) {
      auto scaled = market;
      for (std::size_t i = 0; i < market.jobs(); ++i)
        for (std::size_t j = 0; j < market.types; ++j)
          scaled.row(i)[j] *= std::max(rho * terms.fair[i] - terms.age[i], 1e-12);
      return max_min(scaled).level;
    };
    ASSERT_GE(part(plan.level * (1 + 1e-8)), 1);
    ASSERT_LE(part(plan.level * (1 - 1e-8)), 1);
  }
}

// The most that job `i` could have while all at or below its level keep theirs.
double most_for(const Market& market, const std::vector<double>& levels, const std::vector<double>& utility,
                std::size_t i) {
  std::vector<double> value(market.utility.size(), 0.0);
  std::vector<double> floors(market.jobs(), 0.0);
  for (std::size_t k = 0; k < market.jobs(); ++k)
    if (k != i && levels[k] <= levels[i] * (1 + 1e-7)) floors[k] = utility[k] * (1 - 1e-8);
  for (std::size_t j = 0; j < market.types; ++j) value[i * market.types + j] = market.row(i)[j] / market.best(i);
  const auto direct = max_value_directly(market, value, floors);
  EXPECT_TRUE(direct);
  return direct ? direct->value * market.best(i) : 0;
}

TEST(WaterFill, NobodyCanRiseWithoutSomeoneLowerFalling) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const auto market = random_market(dice, {.most_jobs = 7, .most_weight = 10});
    const auto path = flat_path(std::vector<double>(market.jobs(), 1.0));
    const auto plan = water_fill(market, *path);
    ASSERT_TRUE(plan.settled);
    ASSERT_LE(violation_of(market, plan.shares), kExact);
    ASSERT_LE(plan.events, static_cast<int>(market.types));
    ASSERT_NEAR(*std::min_element(plan.utility.begin(), plan.utility.end()) / max_min(market).level, 1, kExact);
    for (std::size_t i = 0; i < market.jobs(); ++i)
      ASSERT_LE(most_for(market, plan.utility, plan.utility, i), plan.utility[i] * (1 + kLater)) << "job " << i;
  }
}

TEST(WaterFill, FinishTimesAreFairAtEveryLevel) {
  for (std::uint64_t seed = 0; seed < 800; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const auto market = random_market(dice, {.most_jobs = 6, .most_weight = 10});
    FinishTerms terms;
    for (std::size_t i = 0; i < market.jobs(); ++i) {
      terms.age.push_back(dice.between(0, 3));
      terms.fair.push_back(dice.between(0.5, 5) / market.best(i));
    }
    const auto start = min_finish_ratio(market, terms);
    const auto path = finish_path(terms, 2 * start.level);
    const auto plan = water_fill(market, *path);
    ASSERT_TRUE(plan.settled);
    ASSERT_LE(violation_of(market, plan.shares), kExact);
    std::vector<double> levels;  // -rho, shifted above 0
    double worst = 0;
    for (std::size_t i = 0; i < market.jobs(); ++i) {
      const double rho = (terms.age[i] + 1 / plan.utility[i]) / terms.fair[i];
      worst = std::max(worst, rho);
      levels.push_back(1 / rho);
    }
    ASSERT_NEAR(worst / start.level, 1, 1e-8);
    for (std::size_t i = 0; i < market.jobs(); ++i)
      ASSERT_LE(most_for(market, levels, plan.utility, i), plan.utility[i] * (1 + kLater)) << "job " << i;
  }
}

EntityTerms terms_of(std::vector<double> weights, std::vector<char> fifo, std::vector<std::vector<std::size_t>> members,
                     std::size_t jobs) {
  return {std::move(weights), std::move(fifo), std::move(members), std::vector<double>(jobs, 1.0),
          std::vector<double>(jobs, 1.0)};
}

TEST(WaterFill, FairEntitiesSplitByWeightAndPassOnWhatACappedJobLeaves) {
  // One type, 3 GPUs, four equal jobs. Entity 0 (weight 2) has jobs 0 and 1, entity 1 (weight 1) has 2 and 3: the first
  // pair reaches its cap of 1 each, the other pair shares the last GPU.
  const Market market{1, {3}, {1, 1, 1, 1}, {1, 1, 1, 1}};
  const auto path = entity_path(terms_of({2, 1}, {0, 0}, {{0, 1}, {2, 3}}, 4));
  const auto plan = water_fill(market, *path);
  ASSERT_TRUE(plan.settled);
  const double expected[] = {1, 1, 0.5, 0.5};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(plan.utility[i], expected[i], kExact);
}

TEST(WaterFill, FifoEntitiesFeedTheirOldestJobFirst) {
  // 3 GPUs, entities of equal weight: 1.5 each. The FIFO one gives its oldest job 1, the next 0.5, the last nothing.
  const Market market{1, {3}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}};
  const auto path = entity_path(terms_of({1, 1}, {1, 0}, {{0, 1, 2}, {3, 4}}, 5));
  const auto plan = water_fill(market, *path);
  ASSERT_TRUE(plan.settled);
  const double expected[] = {1, 0.5, 0, 0.75, 0.75};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(plan.utility[i], expected[i], kExact);
}

TEST(WaterFill, EntitiesOfOneJobAreTheFlatCase) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const auto market = random_market(dice, {.most_jobs = 8, .most_weight = 10});
    std::vector<std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < market.jobs(); ++i) members.push_back({i});
    std::vector<char> fifo;
    for (std::size_t i = 0; i < market.jobs(); ++i) fifo.push_back(dice.chance(0.5) ? 1 : 0);
    const auto entities = entity_path(terms_of(std::vector<double>(market.jobs(), 1), fifo, members, market.jobs()));
    const auto flat = flat_path(std::vector<double>(market.jobs(), 1.0));
    const auto one = water_fill(market, *entities);
    const auto other = water_fill(market, *flat);
    ASSERT_TRUE(one.settled);
    for (std::size_t i = 0; i < market.jobs(); ++i)
      ASSERT_NEAR(one.utility[i], other.utility[i], 1e-6 * (1 + other.utility[i]));
  }
}

TEST(MaxValue, MeetsItsBoundAndClpWithAndWithoutFloors) {
  std::size_t floored = 0;
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const auto market = random_market(dice);
    const auto value = value_row(dice, market);
    std::vector<double> floors;
    if (dice.chance(0.6)) {
      const double level = max_min(market).level;
      for (std::size_t i = 0; i < market.jobs(); ++i)
        floors.push_back(dice.chance(0.4) ? 0 : level * dice.between(0, dice.chance(0.8) ? 0.99 : 3));
    }
    const auto plan = max_value(market, value, floors);
    const auto direct = max_value_directly(market, value, floors);
    if (!plan) {
      ++refused;
      ASSERT_FALSE(direct);
      continue;
    }
    ASSERT_TRUE(plan->settled);
    ASSERT_LE(violation_of(market, plan->shares), kExact);
    ASSERT_LE(plan->upper - plan->value, kExact * (std::abs(plan->upper) + 1e-6));
    const auto utility = utility_of(market, plan->shares);
    for (std::size_t i = 0; i < floors.size(); ++i) ASSERT_GE(utility[i], floors[i] * (1 - kExact));
    floored += floors.empty() ? 0 : 1;
    ASSERT_TRUE(direct) << direct.error().message;
    ASSERT_LE(direct->value, plan->upper + kClp * (1 + plan->upper));
    ASSERT_GE(direct->value, plan->value - kClp * (1 + plan->value));
  }
  EXPECT_GT(floored, 1000U);
  EXPECT_GT(refused, 100U);
}

TEST(MaxRatio, NoPlanHasABetterRatio) {
  for (std::uint64_t seed = 0; seed < 800; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const auto market = random_market(dice, {.most_jobs = 8, .most_weight = 10});
    const auto& value = market.utility;
    std::vector<double> cost;
    std::vector<double> price;
    for (std::size_t j = 0; j < market.types; ++j) price.push_back(dice.between(0.1, 2));
    for (std::size_t i = 0; i < market.jobs(); ++i)
      for (std::size_t j = 0; j < market.types; ++j) cost.push_back(price[j] * market.gpus[i]);
    const double level = max_min(market).level;
    std::vector<double> floors(market.jobs(), level * dice.between(0.1, 0.95));
    const auto plan = max_ratio(market, value, cost, floors);
    ASSERT_TRUE(plan);
    ASSERT_LE(violation_of(market, plan->shares), kExact);
    std::vector<double> net;
    double scale = 0;
    for (std::size_t k = 0; k < value.size(); ++k) {
      net.push_back(value[k] - plan->value * cost[k]);
      scale += value[k] * plan->shares[k];
    }
    const auto direct = max_value_directly(market, net, floors);
    ASSERT_TRUE(direct);
    ASSERT_NEAR(direct->value / scale, 0, kClp);
  }
}

TEST(MaxProduct, NoDirectionImprovesIt) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const auto market = random_market(dice, {.most_jobs = 8, .most_weight = 10});
    const auto plan = max_product(market);
    ASSERT_TRUE(plan.settled);
    ASSERT_LE(violation_of(market, plan.shares), kExact);
    // Optimal iff sum_i u_i(y) / u_i <= n for every plan y.
    std::vector<double> value;
    for (std::size_t i = 0; i < market.jobs(); ++i)
      for (std::size_t j = 0; j < market.types; ++j) value.push_back(market.row(i)[j] / plan.utility[i]);
    const auto direct = max_value_directly(market, value, {});
    ASSERT_TRUE(direct);
    ASSERT_LE(direct->value, static_cast<double>(market.jobs()) * (1 + 1e-3));
  }
}

// Equal parts of hundreds of jobs fill a type to the last digits, to either side.
TEST(MaxProduct, SettlesForHundredsOfJobs) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const auto market = random_market(dice, {.most_jobs = 500, .most_weight = 10});
    const auto plan = max_product(market);
    ASSERT_TRUE(plan.settled);
    ASSERT_LE(violation_of(market, plan.shares), kExact);
  }
}

TEST(PriceMethods, AnswerNothingForNoJobs) {
  const Market market{2, {1, 1}, {}, {}};
  EXPECT_TRUE(max_min(market).settled);
  EXPECT_TRUE(min_finish_ratio(market, {}).settled);
  EXPECT_TRUE(max_value(market, {})->settled);
  EXPECT_TRUE(max_product(market).settled);
  const auto path = flat_path({});
  EXPECT_TRUE(water_fill(market, *path).settled);
}

}  // namespace
}  // namespace hadar::solvers
