// First guesses: the prior of a speed, and what a job keeps beside another.
#include <cmath>
#include <gmock/gmock.h>

#include "actors/throughput/colocation.hpp"
#include "actors/throughput/matrix_completion.hpp"
#include "actors/throughput/speed_prior.hpp"

namespace hadar {
namespace {

using testing::HasSubstr;

// ---- matrix completion ----

// cell(i, j) = (1 + i) / (2 + j): rank one.
PartialMatrix rank_one(std::size_t rows, std::size_t columns, std::size_t hide_every) {
  PartialMatrix matrix(rows, std::vector<std::optional<double>>(columns));
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      if ((7 * i + 3 * j + i * j) % hide_every != 0)
        matrix[i][j] = (1 + static_cast<double>(i)) / (2 + static_cast<double>(j));
  return matrix;
}

TEST(MatrixCompletion, FillsInWhatARankOneMatrixHides) {
  const auto known = rank_one(12, 10, 5);
  CompletionSettings settings;
  settings.rank = 1;
  settings.penalty = 1e-4;
  settings.tolerance = 1e-9;
  const auto filled = complete(known, settings);
  ASSERT_TRUE(filled.has_value());
  std::size_t hidden = 0;
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 10; ++j) {
      const double truth = (1 + static_cast<double>(i)) / (2 + static_cast<double>(j));
      EXPECT_NEAR((*filled)[i][j], truth, 0.02 * truth + 0.01) << i << ", " << j;
      hidden += known[i][j] ? 0 : 1;
    }
  EXPECT_GT(hidden, 15U);
}

TEST(MatrixCompletion, SameInputSameBytes) {
  const auto known = rank_one(6, 5, 4);
  EXPECT_EQ(complete(known, {}).value(), complete(known, {}).value());
}

TEST(MatrixCompletion, RefusesWhatHasNoAnswer) {
  EXPECT_THAT(complete({}, {}).error().message, HasSubstr("no cells"));
  EXPECT_THAT(complete({{1.0, 2.0}, {1.0}}, {}).error().message, HasSubstr("row 1 has 1 cells"));
  EXPECT_THAT(complete({{1.0}}, {.rank = 0}).error().message, HasSubstr("rank"));
  EXPECT_THAT(complete({{1.0}}, {.penalty = 0}).error().message, HasSubstr("penalty"));
}

// ---- what a job keeps beside another ----

TEST(Colocation, FewMeasuredPairsFindTheLikeReference) {
  const std::vector<KeptSpeeds> references = {
      {0.9, 0.9, 0.9, 0.2, 0.2, 0.2}, {0.2, 0.2, 0.2, 0.9, 0.9, 0.9}, {0.5, 0.9, 0.2, 0.5, 0.9, 0.2}};
  for (std::size_t like = 0; like < references.size(); ++like) {
    ProfiledSpeeds profiled(6);
    for (const auto cell : {0U, 1U, 2U, 4U}) profiled[cell] = references[like][cell];
    const auto estimate = estimate_colocation(references, profiled, {.rank = 3, .penalty = 1e-3});
    ASSERT_TRUE(estimate.has_value());
    EXPECT_EQ(estimate->reference, like);
    EXPECT_EQ(estimate->kept, references[like]);
  }
}

// Two families: those that hurt each other and those that do not.
ColocationTable two_families(std::size_t types) {
  ColocationTable table;
  for (std::size_t j = 0; j < types; ++j) table.partners.push_back(j);
  for (std::size_t i = 0; i < types; ++i) {
    table.rows.emplace_back();
    for (std::size_t j = 0; j < types; ++j) table.rows.back().push_back(i % 2 == j % 2 ? 0.3 : 0.9);
  }
  return table;
}

TEST(Colocation, CheckSeesThatTheEstimateBeatsTheMean) {
  const auto check = check_colocation(two_families(20), 10, 0.4, {.rank = 3, .seed = 5});
  ASSERT_TRUE(check.has_value());
  EXPECT_EQ(check->job_types, 10U);
  EXPECT_EQ(check->cells, 60U);
  EXPECT_LT(check->mean_error, 0.05);
  EXPECT_GT(check->mean_error_of_mean, 0.2);
}

TEST(Colocation, CheckRefusesSplitsThatLeaveNothing) {
  for (const std::size_t references : {0U, 20U, 21U})
    EXPECT_FALSE(check_colocation(two_families(20), references, 0.2, {}).has_value()) << references;
  for (const double fraction : {0.0, 1.0, -1.0, std::nan("")})
    EXPECT_FALSE(check_colocation(two_families(20), 5, fraction, {}).has_value()) << fraction;
}

// ---- speeds of jobs that never ran ----

ThroughputTable planted(const SpeedPrior& prior) {
  ThroughputTable table;
  for (const auto* model : {"Recommendation", "ResNet-18", "LM", "ResNet-50", "CycleGAN"})
    for (const std::uint32_t batch : {8U, 32U, 128U})
      for (const auto* type : {"K80", "P100", "V100"})
        table.push_back({model, batch, 1, type, Placement::kPacked,
                         prior.steps_per_s(*facts_of(type), batch, complexity_of(model))});
  return table;
}

TEST(SpeedPrior, FitFindsTheParametersThatMadeTheTable) {
  const SpeedPrior truth{4, -0.7, -1.2};
  auto table = planted(truth);
  table.push_back({"LM", 32, 4, "V100", Placement::kPacked, 1});      // a gang
  table.push_back({"LM", 32, 1, "V100", Placement::kSpread, 1});      // over nodes
  table.push_back({"LM", 32, 1, "Abacus 9", Placement::kPacked, 1});  // no facts
  const auto fitted = fit_prior(table);
  ASSERT_TRUE(fitted.has_value());
  EXPECT_NEAR(fitted->log_scale, truth.log_scale, 1e-9);
  EXPECT_NEAR(fitted->batch, truth.batch, 1e-9);
  EXPECT_NEAR(fitted->complexity, truth.complexity, 1e-9);
}

TEST(SpeedPrior, LeavingAModelOutTellsHowFarItIsOff) {
  auto table = planted({4, -0.7, -1.2});
  for (auto& row : table)
    if (row.model == "LM") row.steps_per_s *= 2;  // unlike its class, but alike on every type
  const auto errors = leave_one_model_out(table);
  ASSERT_TRUE(errors.has_value());
  ASSERT_EQ(errors->size(), 5U);
  for (const auto& error : *errors) {
    EXPECT_NEAR(error.factor_measured, 1, 1e-9) << error.model;
    if (error.model == "LM") {
      EXPECT_NEAR(error.factor_unseen, 2, 1e-9);
    }
    EXPECT_EQ(error.rows, 9U);
  }
}

TEST(SpeedPrior, TableOfOneModelSaysNothingOfClasses) {
  auto table = planted({4, -0.7, -1.2});
  std::erase_if(table, [](const auto& row) { return row.model != "LM"; });
  EXPECT_EQ(fit_prior(table).error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(fit_prior({}).has_value());
}

TEST(SpeedPrior, ClassesGoByNameHoweverItIsWritten) {
  EXPECT_EQ(complexity_of("ResNet-50"), complexity_of("resnet50"));
  EXPECT_EQ(complexity_of("Recommendation"), Complexity::kLow);
  EXPECT_EQ(complexity_of("something new"), Complexity::kModerate);
}

TEST(SpeedPrior, LargerBatchesHarderModelsAndSlowerTypesTakeLonger) {
  const auto prior = calibrated_prior();
  const auto v100 = *facts_of("V100");
  EXPECT_LT(prior.steps_per_s(v100, 128, Complexity::kHigh), prior.steps_per_s(v100, 16, Complexity::kHigh));
  EXPECT_LT(prior.steps_per_s(v100, 32, Complexity::kExtreme), prior.steps_per_s(v100, 32, Complexity::kLow));
  EXPECT_LT(prior.steps_per_s(*facts_of("K80"), 32, Complexity::kLow), prior.steps_per_s(v100, 32, Complexity::kLow));
}

}  // namespace
}  // namespace hadar
