// Shares as an interior-point solver ends with them.
#include "actors/policy/round_mechanism/gavel_2022_shares.hpp"

#include <gtest/gtest.h>

#include "actors/policy/round_mechanism/central_path.hpp"
#include "actors/policy/round_mechanism/embedded_path.hpp"

namespace hadar {
namespace {

ShareProblem problem_of(const std::vector<std::vector<double>>& speeds, std::vector<double> gpus) {
  ShareProblem problem;
  problem.types = {"K80", "P100", "V100"};
  problem.gpus = std::move(gpus);
  for (std::size_t j = 0; j < speeds.size(); ++j) {
    ShareJob job;
    job.job = JobId{j + 1};
    job.steps_left = 1000;
    job.steps_per_s = speeds[j];
    problem.jobs.push_back(std::move(job));
  }
  return problem;
}

const std::vector<double> kResNet18 = {7.052080666695425, 22.30494387033663, 24.093231895382736};

TEST(Gavel2022Shares, AreTheRecordedOnesToTheLastDigitsThatDecideWhoFillsLeftOverGpus) {
  const auto shares = gavel_2022_shares(*find_gavel_rule("gavel-las"), problem_of({kResNet18}, {1, 1, 1}));
  ASSERT_TRUE(shares);
  // Public Gavel code, one ResNet-18 job on one GPU of each type.
  EXPECT_NEAR(shares->alone[0][0], 2.150893016370182e-12, 1e-12);
  EXPECT_NEAR(shares->alone[0][1], 6.305447191319905e-11, 1e-12);
  EXPECT_NEAR(shares->alone[0][2], 0.9999999999459448, 1e-12);
}

void expect_shares(const Result<TimeShares>& shares, const std::vector<std::vector<double>>& recorded, double within) {
  ASSERT_TRUE(shares);
  ASSERT_EQ(shares->alone.size(), recorded.size());
  for (std::size_t j = 0; j < recorded.size(); ++j)
    for (std::size_t type = 0; type < recorded[j].size(); ++type)
      EXPECT_NEAR(shares->alone[j][type], recorded[j][type], within) << "job " << j << ", type " << type;
}

// One Transformer, one CycleGAN, one A3C and one ResNet-18 job on three GPUs of each type; many shares are best.
ShareProblem four_jobs() {
  return problem_of({{6.0542042181281577, 21.157527655800312, 28.239955054085122},
                     {0.50477056897253514, 2.4026681703106223, 4.4260882633674523},
                     {3.4387678290723933, 5.6813461105438527, 7.1757671796679876},
                     kResNet18},
                    {3, 3, 3});
}

TEST(Gavel2022Shares, InTheQueueAGangThatCannotRunOnWhatIsFreeHoldsNobodyBack) {
  auto problem = problem_of({{1, 2, 9}, {1, 9, 2}, {0, 5, 9}, {1, 2, 3}}, {2, 1, 1});
  problem.jobs[2].gpus = 2;
  // As job 26 of pack_multi_12_s0 runs behind job 22 under the public Gavel code's fifo_perf.
  expect_shares(gavel_2022_shares(*find_gavel_rule("gavel-fifo"), problem),
                {{0, 0, 1}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}}, 0);
}

TEST(Gavel2022Shares, AreTheRecordedOnesWhereManyAreBest) {
  // Public Gavel code, max_min_fairness_perf on tiny_cont_9_s1 at 4319.9 s.
  expect_shares(gavel_2022_shares(*find_gavel_rule("gavel-las"), four_jobs()),
                {{0.030371188475176121, 0.31241393153944569, 0.63739649323338721},
                 {0.062496931405197166, 0.32162454265629764, 0.57311857688990109},
                 {7.143319738856949e-13, 1.1451929135314664e-11, 0.99999999998892874},
                 {0.0014506699808172752, 0.26761905004109854, 0.73013124632450066}},
                1e-9);
}

TEST(Gavel2022Shares, WaterFillingEndsWithTheDigitsOfItsLastProgram) {
  // The same jobs under max_min_fairness_water_filling_perf.
  expect_shares(gavel_2022_shares(*find_gavel_rule("gavel-las-leximin"), four_jobs()),
                {{7.2412193322207933e-11, 0.45001776593058945, 0.54998223396074963},
                 {2.2741161652013359e-10, 0.54998223248700628, 0.4500177671124006},
                 {1.3796105370365864e-11, 5.2077437215026343e-10, 0.99999999952711427},
                 {0, 1.6405571815039194e-09, 0.99999999848501286}},
                1e-12);
}

TEST(Gavel2022Shares, FinishTimesAreTheRecordedOnesWhereOneJobSetsTheLevel) {
  auto problem = problem_of({{0.45833101252710418, 1.6776964927127545, 1.5951407072133263},
                             {7.1758205325385838, 35.82535355155143, 29.947157347732464},
                             {0.3472236920519382, 1.5843515911819712, 2.4967655780898292},
                             {17.142289692304086, 58.172672406698261, 64.74245099960703}},
                            {3, 3, 3});
  const std::vector<double> left = {2297, 129371, 5393, 233072};
  const std::vector<double> age_s = {1453, 587, 410, 0};
  for (std::size_t j = 0; j < left.size(); ++j) {
    problem.jobs[j].steps_left = left[j];
    problem.jobs[j].age_s = age_s[j];
  }
  // Public Gavel code, finish_time_fairness_perf on tiny_cont_9_s0 at 2667 s.
  expect_shares(gavel_2022_shares(*find_gavel_rule("gavel-ftf"), problem),
                {{2.7841106106596111e-12, 0.9999999995020733, 5.0320553061695742e-10},
                 {0.23018324420407502, 0.30254217554699686, 0.30324457207783302},
                 {0.17708348481222327, 0.26601128423785197, 0.42377886783154833},
                 {0.25752668764511211, 0.24780822361281077, 0.30160780840499041}},
                2e-7);
}

TEST(Gavel2022Shares, FinishTimeOfAJobAloneIsTheRecordedOne) {
  auto problem = problem_of({{0.98158270612997811, 3.0735350560514787, 5.4461052198126403}}, {3, 3, 3});
  problem.jobs[0].steps_left = 3921;
  const auto shares = gavel_2022_shares(*find_gavel_rule("gavel-ftf"), problem);
  // Public Gavel code, finish_time_fairness_perf on tiny_cont_9_s0 at 0 s.
  expect_shares(shares, {{1.276266642228304e-10, 6.4109860727321276e-10, 0.99999999919157556}}, 1e-11);
  EXPECT_NEAR(shares->objective,
              (0.98158270612997811 + 3.0735350560514787 + 5.4461052198126403) / 3 / 5.4461052198126403, 1e-8)
      << "alone at full speed, against the same third of each type";
}

TEST(Gavel2022Shares, LikeJobsGetLikeSharesOfEveryType) {
  const auto shares =
      gavel_2022_shares(*find_gavel_rule("gavel-las"), problem_of({kResNet18, kResNet18, kResNet18}, {1, 1, 1}));
  ASSERT_TRUE(shares);
  for (const auto& row : shares->alone)
    for (const auto share : row) EXPECT_NEAR(share, 1.0 / 3, 1e-6);
}

TEST(Gavel2022Shares, MakespanIsTheBisectionsNotTheBest) {
  const auto& rule = *find_gavel_rule("gavel-makespan");
  const auto problem = problem_of({kResNet18, kResNet18}, {1, 1, 1});
  const auto best = rule.solve(problem);
  const auto shares = gavel_2022_shares(rule, problem);
  ASSERT_TRUE(best && shares);
  EXPECT_GE(shares->objective, best->objective);
  EXPECT_LE(shares->objective, 5 * best->objective) << "the search starts at 100 s";
}

TEST(CentralPath, StopsInTheMiddleOfWhatIsFree) {
  CentralProgram program;
  program.goal = CentralGoal::kMaxMin;
  program.capacity = {10, 10};
  program.gpus = {1};
  program.value = {{1, 1}};  // which type does not matter
  for (const auto& answer : {follow_central_path(program), *follow_embedded_path(program)}) {
    EXPECT_NEAR(answer.share[0][0], 0.5, 1e-4);
    EXPECT_NEAR(answer.share[0][1], 0.5, 1e-4);
    EXPECT_NEAR(answer.level, 1, 1e-6);
  }
}

TEST(CentralPath, FindsTheLevelOfFinishTimesThatTheEmbeddingFinds) {
  CentralProgram program;
  program.goal = CentralGoal::kFinish;
  program.capacity = {1, 2};
  program.gpus = {1, 2, 1};
  program.value = {{1, 3}, {2, 5}, {4, 4}};
  program.age = {10, 200, 0};
  program.work = {300, 900, 50};
  program.fair = {400, 600, 20};
  const auto central = follow_central_path(program);
  const auto embedded = follow_embedded_path(program);
  ASSERT_TRUE(embedded);
  EXPECT_NEAR(central.level, embedded->level, 1e-6);
}

}  // namespace
}  // namespace hadar
