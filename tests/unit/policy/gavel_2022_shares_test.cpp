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

}  // namespace
}  // namespace hadar
