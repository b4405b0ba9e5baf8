// Every rule: feasible and repeatable on any sound problem, refuses unsound ones; and answers worked out by hand.
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "actors/policy/gavel/gavel_rules.hpp"
#include "actors/policy/solvers/packed.hpp"
#include "tests/unit/policy/solvers/random_market.hpp"

namespace hadar {
namespace {

using solvers::Dice;

ShareJob job_of(std::uint64_t id, std::vector<double> speeds, double steps = 1000, std::uint32_t gpus = 1) {
  ShareJob job;
  job.job = JobId{id};
  job.gpus = gpus;
  job.steps_left = steps;
  job.steps_per_s = std::move(speeds);
  return job;
}

ShareProblem problem_of(std::vector<double> gpus, std::vector<ShareJob> jobs) {
  ShareProblem problem;
  for (std::size_t j = 0; j < gpus.size(); ++j) {
    problem.types.push_back(j + 1 == gpus.size() ? "V100" : "T" + std::to_string(j));
    problem.price_per_gpu_hour.push_back(1 + static_cast<double>(j));
  }
  problem.gpus = std::move(gpus);
  problem.jobs = std::move(jobs);
  return problem;
}

// With everything a rule may meet: types without GPUs, jobs without speeds, gangs that never fit, far apart weights,
// passed deadlines, pairs that do not fit.
ShareProblem random_problem(Dice& dice) {
  std::vector<double> gpus;
  for (std::size_t j = 0, types = 1 + dice.below(4); j < types; ++j)
    gpus.push_back(dice.chance(0.15) ? 0 : static_cast<double>(1 + dice.below(8)));
  auto problem = problem_of(std::move(gpus), {});
  const auto types = problem.types.size();
  problem.seed = dice.below(1000);
  for (std::size_t e = 0, count = dice.below(3); e < count; ++e)
    problem.entities.push_back(
        {"e" + std::to_string(e), dice.between(0.5, 4), dice.chance(0.5) ? EntityRule::kFifo : EntityRule::kFairness});
  for (std::size_t i = 0, jobs = dice.below(9); i < jobs; ++i) {
    std::vector<double> speeds;
    const bool dead = dice.chance(0.05);
    for (std::size_t j = 0; j < types; ++j) speeds.push_back(dead || dice.chance(0.15) ? 0 : dice.between(0.1, 50));
    auto job = job_of(i + 1, std::move(speeds), dice.between(1, 1e6), 1U << dice.below(5));
    job.weight = dice.chance(0.1) ? 1e6 : dice.between(0.5, 5);
    job.age_s = dice.chance(0.3) ? 0 : dice.between(0, 1e6);
    if (dice.chance(0.4)) job.time_to_deadline_s = dice.between(-100, 1e7);
    if (!problem.entities.empty()) job.entity = dice.below(problem.entities.size());
    if (dice.chance(0.2)) job.placed_on = dice.below(types);
    job.isolated_history = dice.chance(0.5) ? 0 : dice.between(0, 1e5);
    problem.jobs.push_back(std::move(job));
  }
  for (std::size_t a = 0; a < problem.jobs.size(); ++a)
    for (std::size_t b = a + 1; b < problem.jobs.size(); ++b) {
      if (problem.jobs[a].gpus != problem.jobs[b].gpus || dice.chance(0.1)) continue;
      SharePair pair{a, b, {}};
      for (std::size_t j = 0; j < types; ++j) {
        const double part = dice.chance(0.1) ? 0 : dice.between(0.3, 1);
        pair.steps_per_s.push_back({problem.jobs[a].steps_per_s[j] * part, problem.jobs[b].steps_per_s[j] * part});
      }
      problem.pairs.push_back(std::move(pair));
    }
  return problem;
}

double violation(const ShareProblem& problem, const TimeShares& shares) {
  double worst = 0;
  std::vector<double> time(problem.jobs.size(), 0.0);
  std::vector<double> used(problem.types.size(), 0.0);
  const auto add = [&](std::size_t job, std::size_t type, double share, bool counts_gpus) {
    worst = std::max(worst, std::isfinite(share) ? -share : HUGE_VAL);
    time[job] += share;
    if (counts_gpus) used[type] += problem.jobs[job].gpus * share;
  };
  for (std::size_t i = 0; i < problem.jobs.size(); ++i)
    for (std::size_t j = 0; j < problem.types.size(); ++j) add(i, j, shares.alone[i][j], true);
  for (const auto& pair : shares.together)
    for (std::size_t j = 0; j < problem.types.size(); ++j) {
      add(pair.a, j, pair.share[j], true);
      add(pair.b, j, pair.share[j], false);
    }
  for (const double sum : time) worst = std::max(worst, sum - 1);
  for (std::size_t j = 0; j < used.size(); ++j) {
    const double excess = used[j] - problem.gpus[j];
    worst = std::max(worst, problem.gpus[j] > 0 ? excess / problem.gpus[j] : excess);
  }
  return worst;
}

TimeShares solved(std::string_view name, const ShareProblem& problem) {
  const auto* rule = find_gavel_rule(name);
  EXPECT_NE(rule, nullptr) << name;
  auto shares = rule->solve(problem);
  EXPECT_TRUE(shares) << name << ": " << shares.error().message;
  return shares ? *shares : TimeShares{};
}

double speed_of(const ShareProblem& problem, const TimeShares& shares, std::size_t job) {
  double sum = 0;
  for (std::size_t j = 0; j < problem.types.size(); ++j) sum += problem.jobs[job].steps_per_s[j] * shares.alone[job][j];
  return sum;
}

TEST(EveryRule, IsFeasibleRepeatableAndSettledOnRandomProblems) {
  std::size_t unsettled = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Dice dice(seed);
    const auto problem = random_problem(dice);
    for (const auto& rule : gavel_rules()) {
      if (rule.name == "gavel-strategy-proof" && seed % 10 != 0) continue;  // solves each problem once per job
      SCOPED_TRACE(std::string(rule.name) + " seed " + std::to_string(seed));
      const auto shares = rule.solve(problem);
      ASSERT_TRUE(shares) << shares.error().message;
      ASSERT_EQ(shares->alone.size(), problem.jobs.size());
      ASSERT_TRUE(std::isfinite(shares->objective));
      if (rule.name != "gavel-proportional") {
        ASSERT_LE(violation(problem, *shares), 1e-9);
      }
      for (std::size_t p = 1; p < shares->together.size(); ++p)
        ASSERT_LT(std::pair(shares->together[p - 1].a, shares->together[p - 1].b),
                  std::pair(shares->together[p].a, shares->together[p].b));
      ASSERT_TRUE(rule.shares_gpus || shares->together.empty());
      for (const auto& row : shares->alone)
        for (const double share : row) ASSERT_TRUE(!rule.whole_shares || share == 0 || share == 1);
      const auto again = rule.solve(problem);
      ASSERT_EQ(again->alone, shares->alone);
      ASSERT_EQ(again->objective, shares->objective);
      for (const auto& note : shares->notes) unsettled += note.find("settle") != std::string::npos ? 1 : 0;
    }
  }
  EXPECT_EQ(unsettled, 0U);
}

TEST(EveryRule, AnswersAProblemWithoutJobsAndOneWithoutGpus) {
  for (const auto& rule : gavel_rules()) {
    SCOPED_TRACE(rule.name);
    const auto empty = rule.solve(problem_of({2, 2}, {}));
    ASSERT_TRUE(empty);
    EXPECT_TRUE(empty->alone.empty());
    const auto bare = rule.solve(problem_of({0, 0}, {job_of(1, {1, 2})}));
    ASSERT_TRUE(bare);
    EXPECT_EQ(bare->alone, (std::vector<std::vector<double>>{{0, 0}}));
  }
}

TEST(EveryRule, RefusesAMalformedProblem) {
  const auto sound = problem_of({2, 2}, {job_of(1, {1, 2}), job_of(2, {2, 1})});
  const auto broken = [&sound](auto change) {
    auto problem = sound;
    change(problem);
    return problem;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ShareProblem problems[] = {
      broken([](ShareProblem& p) { p.types.clear(); }),
      broken([](ShareProblem& p) { p.gpus.pop_back(); }),
      broken([](ShareProblem& p) { p.gpus[0] = -1; }),
      broken([nan](ShareProblem& p) { p.gpus[0] = nan; }),
      broken([nan](ShareProblem& p) { p.jobs[1].steps_per_s[0] = nan; }),
      broken([](ShareProblem& p) { p.jobs[1].steps_per_s[0] = -1; }),
      broken([](ShareProblem& p) { p.jobs[1].steps_per_s.pop_back(); }),
      broken([](ShareProblem& p) { p.jobs[0].weight = 0; }),
      broken([](ShareProblem& p) { p.jobs[0].steps_left = HUGE_VAL; }),
      broken([](ShareProblem& p) { p.jobs[0].gpus = 0; }),
      broken([](ShareProblem& p) { p.jobs[1].job = JobId{1}; }),
      broken([](ShareProblem& p) { p.jobs[0].placed_on = 2; }),
      broken([](ShareProblem& p) { p.price_per_gpu_hour[0] = 0; }),
      broken([](ShareProblem& p) {
        p.entities = {{"a", -1, EntityRule::kFifo}};
      }),
      broken([](ShareProblem& p) {
        p.pairs = {{1, 0, {{1, 1}, {1, 1}}}};
      }),
      broken([](ShareProblem& p) {
        p.pairs = {{0, 1, {{1, 1}}}};
      }),
  };
  for (const auto& rule : gavel_rules())
    for (const auto& problem : problems) {
      const auto answer = rule.solve(problem);
      ASSERT_FALSE(answer) << rule.name;
      EXPECT_EQ(answer.error().code, ErrorCode::kInvalidArgument);
    }
}

// Jobs of a few kinds, equal inside; one pair may be slower than its kinds' others.
ShareProblem of_kinds(Dice& dice, std::size_t jobs, bool odd) {
  auto problem = problem_of({dice.between(3, 20), dice.between(3, 20), dice.between(3, 20)}, {});
  const auto kinds = 1 + dice.below(6);
  std::vector<ShareJob> models;
  std::vector<std::array<double, 3>> kept(kinds * kinds);
  for (std::size_t k = 0; k < kinds; ++k) {
    models.push_back(
        job_of(0, {dice.between(0.2, 5), dice.between(0.2, 5), dice.between(0.2, 5)}, 1000, dice.chance(0.2) ? 2 : 1));
    models.back().weight = dice.chance(0.3) ? 5 : 1;
  }
  for (auto& row : kept) row = {dice.between(0.3, 1), dice.between(0.3, 1), dice.between(0.3, 1)};
  std::vector<std::size_t> kind;
  for (std::size_t i = 0; i < jobs; ++i) {
    kind.push_back(dice.below(kinds));
    problem.jobs.push_back(models[kind[i]]);
    problem.jobs.back().job = JobId{i + 1};
  }
  for (std::size_t a = 0; a < jobs; ++a)
    for (std::size_t b = a + 1; b < jobs; ++b) {
      if (problem.jobs[a].gpus != problem.jobs[b].gpus) continue;
      SharePair pair{a, b, {}};
      for (std::size_t j = 0; j < 3; ++j)
        pair.steps_per_s.push_back({problem.jobs[a].steps_per_s[j] * kept[kind[a] * kinds + kind[b]][j],
                                    problem.jobs[b].steps_per_s[j] * kept[kind[b] * kinds + kind[a]][j]});
      problem.pairs.push_back(std::move(pair));
    }
  if (odd && !problem.pairs.empty())
    for (auto& speeds : problem.pairs.front().steps_per_s) speeds[0] *= 0.9;
  return problem;
}

// The same question pair by pair.
double packed_las_by_pairs(const ShareProblem& problem) {
  solvers::PackedMarket market;
  market.alone.types = 3;
  market.alone.capacity = problem.gpus;
  std::vector<double> factor;
  for (const auto& job : problem.jobs) {
    double equal = 0;
    double all = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      equal += job.steps_per_s[j] * problem.gpus[j];
      all += problem.gpus[j];
    }
    factor.push_back(job.gpus / (job.weight * equal / all));
    market.alone.gpus.push_back(job.gpus);
    for (const double speed : job.steps_per_s) market.alone.utility.push_back(speed * factor.back());
  }
  for (const auto& pair : problem.pairs) {
    market.pairs.push_back({static_cast<std::uint32_t>(pair.a), static_cast<std::uint32_t>(pair.b)});
    for (const auto& speeds : pair.steps_per_s)
      market.pair_utility.push_back({speeds[0] * factor[pair.a], speeds[1] * factor[pair.b]});
  }
  const auto plan = solvers::packed_max_min(market, std::vector<double>(factor.size(), 1.0));
  EXPECT_TRUE(plan && plan->settled);
  return plan ? plan->level : 0;
}

TEST(PackedLas, OfManyJobsOfFewKindsIsAsGoodAsPairByPair) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const bool odd = dice.chance(0.3);
    const auto problem = of_kinds(dice, 40 + dice.below(12), odd);
    const auto shares = solved("gavel-las-packed", problem);
    ASSERT_LE(violation(problem, shares), 1e-9);
    ASSERT_NEAR(shares.objective / packed_las_by_pairs(problem), 1, 1e-6);
    for (std::size_t p = 1; p < shares.together.size(); ++p)
      ASSERT_LT(std::pair(shares.together[p - 1].a, shares.together[p - 1].b),
                std::pair(shares.together[p].a, shares.together[p].b));
  }
}

TEST(Gandiva, RefusesAPairItDrawsWhoseSpeedsAreUnsound) {
  auto problem = problem_of({1}, {job_of(1, {2}), job_of(2, {1})});
  problem.pairs = {{0, 1, {{std::numeric_limits<double>::quiet_NaN(), 1}}}};
  const auto answer = find_gavel_rule("gandiva")->solve(problem);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kInvalidArgument);
}

TEST(FindRule, KnowsEveryNameOnce) {
  for (const auto& rule : gavel_rules()) EXPECT_EQ(find_gavel_rule(rule.name), &rule);
  EXPECT_EQ(find_gavel_rule("gavel"), nullptr);
}

TEST(Las, GivesEachJobTheTypeItGainsMostFrom) {
  // One GPU of each type; job 1 runs 1 and 3, job 2 runs 1 and 1. Equal speeds are 2 and 1. With job 1 on x of the fast
  // type and job 2 on the rest and all of the slow one: 3x/2 = 1 - x + x (job 2 always runs) gives the level 1 at x =
  // 2/3, but job 2 cannot exceed 1, so x = 1 leaves 1.5 to job 1 once 1 is reached by both.
  const auto problem = problem_of({1, 1}, {job_of(1, {1, 3}), job_of(2, {1, 1})});
  const auto shares = solved("gavel-las", problem);
  EXPECT_NEAR(shares.objective, 1, 1e-9);
  EXPECT_NEAR(speed_of(problem, shares, 0), 3, 1e-8);
  EXPECT_NEAR(speed_of(problem, shares, 1), 1, 1e-8);
}

TEST(Las, WeighsByPriorityAndGangSize) {
  // One type, 4 GPUs, equal speeds. u = gpus / weight * x. Jobs: weight 2 on 2 GPUs, weight 1 on 4 GPUs: 2 x1 / 2 = 4
  // x2 and 2 x1 + 4 x2 = 4 would need x1 = 4/3; x1 = 1 caps it, then x2 = 1/2.
  auto problem = problem_of({4}, {job_of(1, {1}, 1000, 2), job_of(2, {1}, 1000, 4)});
  problem.jobs[0].weight = 2;
  const auto shares = solved("gavel-las", problem);
  EXPECT_NEAR(shares.objective, 1, 1e-9);
  EXPECT_NEAR(shares.alone[0][0], 1, 1e-9);
  EXPECT_NEAR(shares.alone[1][0], 0.5, 1e-9);
}

TEST(Makespan, EndsAllJobsTogetherWhereItCan) {
  // One type, 1 GPU, 100 and 300 steps at 1 step/s: 400 s, with shares 1/4 and 3/4.
  const auto problem = problem_of({1}, {job_of(1, {1}, 100), job_of(2, {1}, 300)});
  const auto shares = solved("gavel-makespan", problem);
  EXPECT_NEAR(shares.objective, 400, 1e-6);
  EXPECT_NEAR(shares.alone[0][0], 0.25, 1e-9);
}

TEST(BlindRules, ReadTheV100ColumnOrTheFastest) {
  auto problem = problem_of({1, 1}, {job_of(1, {1, 4}, 400), job_of(2, {1, 2}, 400)});
  // As if every GPU ran like the V100: 2 GPUs, durations 100 and 200 s, each job can have a whole GPU.
  EXPECT_NEAR(solved("gavel-makespan-agnostic", problem).objective, 200, 1e-6);
  problem.types = {"A", "B"};  // B is the faster one
  EXPECT_NEAR(solved("gavel-makespan-agnostic", problem).objective, 200, 1e-6);
}

TEST(FinishTime, IsOneWhereSharingIsAllThereIs) {
  // Two equal jobs, one GPU: each half a GPU is exactly the isolated share.
  const auto problem = problem_of({1}, {job_of(1, {1}, 500), job_of(2, {1}, 500)});
  EXPECT_NEAR(solved("gavel-ftf", problem).objective, 1, 1e-9);
}

TEST(CostSlo, KeepsDeadlinesOrDropsThemAllWithANote) {
  // Prices 1 and 2: the cheap type gives 10 steps per dollar, the dear one 6. Job 1 must reach 11 steps/s by mixing.
  auto problem = problem_of({1, 1}, {job_of(1, {10, 12}, 1100)});
  EXPECT_NEAR(solved("gavel-cost", problem).objective, 10, 1e-9);
  problem.jobs[0].time_to_deadline_s = 100;
  const auto kept = solved("gavel-cost-slo", problem);
  EXPECT_NEAR(kept.objective, 8, 1e-9);
  EXPECT_NEAR(kept.alone[0][0], 0.5, 1e-9);
  EXPECT_TRUE(kept.notes.empty());
  for (const double late : {10.0, 0.0, -5.0}) {
    problem.jobs[0].time_to_deadline_s = late;
    const auto dropped = solved("gavel-cost-slo", problem);
    EXPECT_NEAR(dropped.objective, 10, 1e-9);
    EXPECT_EQ(dropped.notes.size(), 1U);
  }
}

TEST(CostRules, NeedPrices) {
  auto problem = problem_of({1}, {job_of(1, {1})});
  problem.price_per_gpu_hour.clear();
  for (const auto& rule : gavel_rules())
    if (rule.needs_prices) {
      EXPECT_EQ(rule.solve(problem).error().code, ErrorCode::kInvalidArgument) << rule.name;
    }
}

TEST(CostRatio, BuysTheFloorAsCheaplyAsCanBeAndNoMore) {
  // 10 steps/s per dollar on the cheap type beats 6 on the dear one: the best ratio that keeps the deadline is 10.
  auto problem = problem_of({1, 1}, {job_of(1, {10, 12}, 500)});
  problem.jobs[0].time_to_deadline_s = 100;
  EXPECT_NEAR(solved("gavel-cost-ratio", problem).objective, 10, 1e-8);
  problem.jobs[0].time_to_deadline_s.reset();
  EXPECT_EQ(solved("gavel-cost-ratio", problem).notes.size(), 1U);
}

TEST(Packed, TwoJobsShareAGpuWhenThatIsFaster) {
  // One GPU, two jobs of speed 1; together each runs at 0.8, so both reach 0.8 instead of 0.5.
  auto problem = problem_of({1}, {job_of(1, {1}), job_of(2, {1})});
  problem.pairs = {{0, 1, {{0.8, 0.8}}}};
  const auto shares = solved("gavel-las-packed", problem);
  EXPECT_NEAR(shares.objective, 0.8, 1e-8);
  ASSERT_EQ(shares.together.size(), 1U);
  EXPECT_NEAR(shares.together[0].share[0], 1, 1e-7);
  problem.pairs[0].steps_per_s[0] = {0.4, 0.4};
  EXPECT_NEAR(solved("gavel-las-packed", problem).objective, 0.5, 1e-8);
}

TEST(Fifo, StopsAtTheFirstJobThatFindsNoRoom) {
  const auto problem = problem_of({1, 2}, {job_of(1, {1, 2}), job_of(2, {1, 2}, 1000, 2), job_of(3, {5, 9})});
  const auto shares = solved("gavel-fifo", problem);
  EXPECT_EQ(shares.alone, (std::vector<std::vector<double>>{{0, 1}, {0, 0}, {0, 0}}));
}

TEST(FifoPacked, LaterJobsJoinRunningOnesWhileItPays) {
  // Jobs 1 and 2 have the GPUs. Job 3 joins job 1 at 0.8 + 0.9 of full speed; job 4 would add too little beside job 2.
  auto problem = problem_of({2}, {job_of(1, {10}), job_of(2, {10}), job_of(3, {10}), job_of(4, {10})});
  problem.pairs = {{0, 2, {{8, 9}}}, {0, 3, {{10, 10}}}, {1, 2, {{8, 8}}}, {1, 3, {{7, 8}}}};
  const auto shares = solved("gavel-fifo-packed", problem);
  ASSERT_EQ(shares.together.size(), 1U);
  EXPECT_EQ(shares.together[0].a, 0U);
  EXPECT_EQ(shares.together[0].b, 2U);
  EXPECT_EQ(shares.alone, (std::vector<std::vector<double>>{{0}, {1}, {0}, {0}}));
}

TEST(FifoPacked, AJobThatWaitsForLeftOverGpusDoesNotJoin) {
  // One GPU is left, too few for job 2; job 3 behind it joins job 1.
  auto problem = problem_of({2}, {job_of(1, {10}), job_of(2, {10}, 1000, 2), job_of(3, {10})});
  problem.pairs = {{0, 2, {{8, 9}}}};
  const auto shares = solved("gavel-fifo-packed", problem);
  ASSERT_EQ(shares.together.size(), 1U);
  EXPECT_EQ(shares.together[0].b, 2U);
}

TEST(ShortestFirst, PassesOverWhatDoesNotFit) {
  const auto problem = problem_of({1, 1}, {job_of(1, {1, 2}, 4000), job_of(2, {1, 2}, 100, 2), job_of(3, {1, 2}, 500)});
  const auto shares = solved("gavel-sjf", problem);
  EXPECT_EQ(shares.alone, (std::vector<std::vector<double>>{{1, 0}, {0, 0}, {0, 1}}));
}

TEST(Allox, StartsTheShortJobAndKeepsRunningOnes) {
  // One GPU: 100 s before 300 s costs 100 + 400.
  auto problem = problem_of({1}, {job_of(1, {1}, 300), job_of(2, {1}, 100)});
  auto shares = solved("allox", problem);
  EXPECT_NEAR(shares.objective, 500, 1e-9);
  EXPECT_EQ(shares.alone, (std::vector<std::vector<double>>{{0}, {1}}));
  problem.jobs[0].placed_on = 0;  // it runs already: nothing is free for the other
  shares = solved("allox", problem);
  EXPECT_EQ(shares.alone, (std::vector<std::vector<double>>{{1}, {0}}));
  problem = problem_of({4}, {job_of(1, {1}, 300, 2)});
  EXPECT_EQ(solved("allox", problem).notes.size(), 1U);
}

TEST(Gandiva, SplitsEvenlyAndPairsOnlyWhenGpusAreShort) {
  auto problem = problem_of({2, 2}, {job_of(1, {1, 2}), job_of(2, {1, 2})});
  problem.pairs = {{0, 1, {{0.9, 0.9}, {1.8, 1.8}}}};
  EXPECT_EQ(solved("gandiva", problem).alone, solved("gavel-isolated", problem).alone);
  problem.gpus = {1, 0};
  const auto shares = solved("gandiva", problem);
  ASSERT_EQ(shares.together.size(), 1U);
  EXPECT_EQ(shares.together[0].share, (std::vector<double>{1, 0}));
}

TEST(StrategyProof, CutsNobodyWhoHarmsNobody) {
  // Alone on its own type each job loses nothing to the other.
  const auto problem = problem_of({1, 1}, {job_of(1, {1, 0}), job_of(2, {0, 1})});
  const auto shares = solved("gavel-strategy-proof", problem);
  EXPECT_NEAR(shares.alone[0][0], 1, 1e-6);
  EXPECT_NEAR(shares.alone[1][1], 1, 1e-6);
  // On one shared GPU each halves the other's speed, so each keeps half of its half.
  const auto shared = problem_of({1}, {job_of(1, {1}), job_of(2, {1})});
  EXPECT_NEAR(solved("gavel-strategy-proof", shared).alone[0][0], 0.25, 1e-5);
}

}  // namespace
}  // namespace hadar
