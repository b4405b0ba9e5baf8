// Clp behind its interface, pairs against the whole program, and queues against an assignment program.
#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include "actors/policy/solvers/assignment.hpp"
#include "actors/policy/solvers/linear_program.hpp"
#include "actors/policy/solvers/packed.hpp"
#include "tests/unit/policy/solvers/random_market.hpp"

namespace hadar::solvers {
namespace {

TEST(LinearProgram, GivesPrimalAndDual) {
  // max 3x + 2y, x + y <= 4, x + 3y <= 7, x <= 3: x = 3, y = 1.
  LinearProgram program(LinearProgram::Sense::kMaximise);
  const auto first = program.add_row(-HUGE_VAL, 4);
  const auto second = program.add_row(-HUGE_VAL, 7);
  program.add_column(3, 0, 3, {{first, 1}, {second, 1}});
  program.add_column(2, 0, HUGE_VAL, {{first, 1}, {second, 3}});
  auto answer = program.solve();
  ASSERT_TRUE(answer);
  EXPECT_NEAR(answer->objective, 11, 1e-9);
  EXPECT_NEAR(answer->row_duals[first], 2, 1e-9);
  // A new column, from the last basis: 5 per unit of the first row beats both.
  program.add_column(5, 0, HUGE_VAL, {{first, 1}});
  answer = program.solve();
  ASSERT_TRUE(answer);
  EXPECT_NEAR(answer->objective, 20, 1e-9);
}

TEST(LinearProgram, RefusesWhatIsNoNumberAndSaysWhatFailed) {
  LinearProgram broken(LinearProgram::Sense::kMinimise);
  broken.add_column(std::nan(""), 0, 1, {});
  EXPECT_EQ(broken.solve().error().code, ErrorCode::kInvalidArgument);

  LinearProgram unknown_row(LinearProgram::Sense::kMinimise);
  unknown_row.add_column(1, 0, 1, {{7, 1}});
  EXPECT_EQ(unknown_row.solve().error().code, ErrorCode::kInvalidArgument);

  LinearProgram empty(LinearProgram::Sense::kMinimise);
  empty.add_column(1, 0, 1, {{empty.add_row(2, 3), 1}});
  EXPECT_EQ(empty.solve().error().code, ErrorCode::kInfeasible);

  LinearProgram endless(LinearProgram::Sense::kMaximise);
  endless.add_column(1, 0, HUGE_VAL, {{endless.add_row(0, HUGE_VAL), 1}});
  EXPECT_EQ(endless.solve().error().code, ErrorCode::kInternal);
}

TEST(LinearProgram, CountsIterationsAndStopsAtTheLimit) {
  Dice dice(3);
  LinearProgram program(LinearProgram::Sense::kMaximise);
  for (int r = 0; r < 40; ++r) program.add_row(-HUGE_VAL, dice.between(1, 2));
  for (int k = 0; k < 80; ++k) {
    std::vector<LpEntry> entries;
    for (std::size_t r = 0; r < 40; ++r) entries.push_back({r, dice.between(0.1, 1)});
    program.add_column(dice.between(1, 2), 0, HUGE_VAL, entries);
  }
  const auto stopped = program.solve(1);
  ASSERT_FALSE(stopped);
  EXPECT_NE(stopped.error().message.find("iteration limit"), std::string::npos);
  const auto solved = program.solve();
  ASSERT_TRUE(solved);
  EXPECT_GT(solved->iterations, 1);
}

PackedMarket random_packed(Dice& dice, std::size_t most_jobs) {
  PackedMarket market;
  market.alone = random_market(dice, {.most_jobs = most_jobs, .most_weight = 100});
  for (std::uint32_t a = 0; a < market.alone.jobs(); ++a)
    for (std::uint32_t b = a + 1; b < market.alone.jobs(); ++b) {
      if (market.alone.gpus[a] != market.alone.gpus[b] || dice.chance(0.1)) continue;
      market.pairs.push_back({a, b});
      for (std::size_t j = 0; j < market.alone.types; ++j) {
        const bool fits = !dice.chance(0.1);
        market.pair_utility.push_back({fits ? market.alone.row(a)[j] * dice.between(0.2, 1) : 0,
                                       fits ? market.alone.row(b)[j] * dice.between(0.2, 1) : 0});
      }
    }
  return market;
}

// The level by one program with every pair's column.
double packed_directly(const PackedMarket& market, const std::vector<double>& demands) {
  const auto& alone = market.alone;
  const auto best = market.best();
  LinearProgram program(LinearProgram::Sense::kMaximise);
  double cap = HUGE_VAL;
  for (std::size_t i = 0; i < alone.jobs(); ++i) cap = std::min(cap, best[i] / demands[i]);
  for (std::size_t i = 0; i < alone.jobs(); ++i) program.add_row(0, HUGE_VAL);
  for (std::size_t i = 0; i < alone.jobs(); ++i) program.add_row(-HUGE_VAL, 1);
  for (const double gpus : alone.capacity) program.add_row(-HUGE_VAL, gpus);
  std::vector<LpEntry> level;
  const auto n = alone.jobs();
  for (std::size_t i = 0; i < n; ++i) {
    level.push_back({i, -demands[i] * cap / best[i]});
    for (std::size_t j = 0; j < alone.types; ++j)
      program.add_column(0, 0, 1, {{i, alone.row(i)[j] / best[i]}, {n + i, 1}, {2 * n + j, alone.gpus[i]}});
  }
  const auto level_column = program.add_column(1, 0, 1, level);
  for (std::size_t p = 0; p < market.pairs.size(); ++p)
    for (std::size_t j = 0; j < alone.types; ++j) {
      const auto [a, b] = market.pairs[p];
      const auto& speed = market.pair_utility[p * alone.types + j];
      program.add_column(
          0, 0, 1,
          {{a, speed[0] / best[a]}, {b, speed[1] / best[b]}, {n + a, 1}, {n + b, 1}, {2 * n + j, alone.gpus[a]}});
    }
  const auto answer = program.solve();
  EXPECT_TRUE(answer);
  return answer ? answer->columns[level_column] * cap : 0;
}

TEST(Packed, EqualsTheProgramWithAllPairs) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const auto market = random_packed(dice, 8);
    std::vector<double> demands;
    for (std::size_t i = 0; i < market.alone.jobs(); ++i) demands.push_back(dice.between(0.5, 2));
    const auto plan = packed_max_min(market, demands);
    ASSERT_TRUE(plan) << plan.error().message;
    ASSERT_TRUE(plan->settled);
    ASSERT_LE(violation_of(market, *plan), 1e-9);
    ASSERT_LE(plan->upper - plan->level, 1e-7 * plan->upper);
    ASSERT_NEAR(packed_directly(market, demands) / plan->level, 1, 2e-6);
  }
}

TEST(Packed, NeedsFewColumnsOfManyPairs) {
  Dice dice(5);
  PackedMarket market;
  market.alone.types = 3;
  market.alone.capacity = {15, 15, 15};
  for (std::size_t i = 0; i < 60; ++i) {
    market.alone.gpus.push_back(1);
    for (std::size_t j = 0; j < 3; ++j) market.alone.utility.push_back(dice.between(1, 5));
  }
  for (std::uint32_t a = 0; a < 60; ++a)
    for (std::uint32_t b = a + 1; b < 60; ++b) {
      market.pairs.push_back({a, b});
      for (std::size_t j = 0; j < 3; ++j)
        market.pair_utility.push_back(
            {market.alone.row(a)[j] * dice.between(0.4, 0.9), market.alone.row(b)[j] * dice.between(0.4, 0.9)});
    }
  const std::vector<double> demands(60, 1.0);
  const auto plan = packed_max_min(market, demands);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->settled);
  EXPECT_NEAR(packed_directly(market, demands) / plan->level, 1, 1e-6);
  EXPECT_LT(plan->columns, market.pairs.size() * 3 / 4);
}

TEST(PackedRatio, IsTheLeastFeasibleRatio) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const auto market = random_packed(dice, 7);
    const auto best = market.best();
    std::vector<double> age;
    std::vector<double> fair;
    double first = 0;
    for (std::size_t i = 0; i < market.alone.jobs(); ++i) {
      age.push_back(dice.chance(0.3) ? 0 : dice.between(0, 5) / best[i]);
      fair.push_back(dice.between(0.5, 4) / best[i]);
      first = std::max(first, (age[i] + 1 / best[i]) / fair[i]);
    }
    const auto demand = [&](double rho, std::vector<double>& out) {
      for (std::size_t i = 0; i < age.size(); ++i) out[i] = std::min(best[i], 1 / (rho * fair[i] - age[i]));
    };
    const auto plan = packed_min_ratio(market, first, demand);
    ASSERT_TRUE(plan) << plan.error().message;
    ASSERT_TRUE(plan->settled);
    ASSERT_LE(violation_of(market, *plan), 1e-9);
    std::vector<double> wanted(age.size());
    demand(plan->level, wanted);
    const double part = packed_directly(market, wanted);
    ASSERT_GE(part, 1 - 2e-6);
    if (plan->level > first * (1 + 1e-9)) {
      ASSERT_LE(part, 1 + 2e-6);
    }
  }
}

// The smallest sum of completion times as a transport program over (type, place) classes.
double assign_directly(const std::vector<std::vector<double>>& durations, const std::vector<std::size_t>& machines) {
  LinearProgram program(LinearProgram::Sense::kMinimise);
  const auto jobs = durations.size();
  for (std::size_t i = 0; i < jobs; ++i) program.add_row(1, 1);
  for (std::size_t j = 0; j < machines.size(); ++j)
    for (std::size_t k = 0; k < jobs; ++k) program.add_row(-HUGE_VAL, static_cast<double>(machines[j]));
  for (std::size_t i = 0; i < jobs; ++i)
    for (std::size_t j = 0; j < machines.size(); ++j)
      for (std::size_t k = 0; k < jobs && std::isfinite(durations[i][j]); ++k)
        program.add_column(durations[i][j] * static_cast<double>(k + 1), 0, 1, {{i, 1}, {jobs + j * jobs + k, 1}});
  const auto answer = program.solve();
  EXPECT_TRUE(answer);
  return answer ? answer->objective : 0;
}

TEST(Assignment, EqualsTheTransportProgram) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const auto types = 1 + dice.below(4);
    std::vector<std::size_t> machines;
    for (std::size_t j = 0; j < types; ++j) machines.push_back(dice.below(4));
    machines[dice.below(types)] = 1 + dice.below(3);
    const bool whole = dice.chance(0.3);
    std::vector<std::vector<double>> durations;
    for (std::size_t i = 0, jobs = 1 + dice.below(12); i < jobs; ++i) {
      durations.emplace_back();
      bool fits = false;
      for (std::size_t j = 0; j < types; ++j) {
        durations[i].push_back(dice.chance(0.15) ? HUGE_VAL
                               : whole           ? static_cast<double>(1 + dice.below(4))
                                                 : dice.between(0.1, 100));
        fits = fits || (machines[j] > 0 && std::isfinite(durations[i][j]));
      }
      for (std::size_t j = 0; !fits && j < types; ++j)
        if (machines[j] > 0) durations[i][j] = 1;
    }
    const auto found = assign_queues(durations, machines);
    double cost = 0;
    std::vector<std::vector<std::size_t>> taken(types, std::vector<std::size_t>(durations.size() + 1, 0));
    for (std::size_t i = 0; i < durations.size(); ++i) {
      const auto [type, place] = found.places[i];
      cost += static_cast<double>(place) * durations[i][type];
      ASSERT_LE(++taken[type][place], machines[type]);
    }
    ASSERT_NEAR(cost, found.cost, 1e-9 * cost);
    ASSERT_NEAR(assign_directly(durations, machines) / cost, 1, 1e-7);
    for (std::size_t j = 0; j < types; ++j)
      for (std::size_t k = 2; k < taken[j].size(); ++k) ASSERT_LE(taken[j][k], taken[j][k - 1]) << "a queue with a gap";
  }
}

}  // namespace
}  // namespace hadar::solvers
