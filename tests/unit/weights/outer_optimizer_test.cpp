#include "runtime/weights/outer_optimizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/weights/half.hpp"
#include "runtime/weights/weighted_sum.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/weights/weight_files.hpp"

namespace hadar {
namespace {

using test::a_tensor;
using test::TempDir;
using test::values_of;
using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;

class OuterStep : public testing::Test {
 protected:
  void SetUp() override {
    weights("base", 10);
    settings_.base = dir_ / "base";
    settings_.durability = Durability::kCached;
  }

  void weights(const std::string& name, float value) {
    test::write_weights(dir_ / name, {a_tensor<float>("w", Dtype::kF32, {1}, {value}),
                                      a_tensor<std::uint16_t>("h", Dtype::kF16, {1}, {f16_from_double(value)}),
                                      a_tensor<double>("d", Dtype::kF64, {1}, {value}),
                                      a_tensor<float>("c", Dtype::kC64, {1}, {value, -value})});
  }

  void copy(double coefficient, std::uint64_t steps, float value) {
    const auto key = "fork " + std::to_string(copies_.size());
    weights(key, value);
    copies_.push_back({key, dir_ / key, coefficient, steps});
  }

  MergeReport merge() {
    auto report = merge_weights(copies_, dir_ / "out", settings_);
    EXPECT_TRUE(report) << report.error().message;
    return report ? *report : MergeReport{};
  }

  std::string refusal() {
    const auto report = merge_weights(copies_, dir_ / "out", settings_);
    EXPECT_FALSE(std::filesystem::exists(dir_ / "out"));
    return report ? "accepted" : report.error().message;
  }

  void use(OuterKind kind, double learning_rate = 0.7, double momentum = 0.9) {
    settings_.outer = {kind, learning_rate, momentum};
    settings_.momentum_out = dir_ / "m1";
  }

  TempDir dir_;
  std::vector<WeightedCopy> copies_;
  MergeSettings settings_;
};

// theta 10, average 8: g = 2; m = 0.9 * 0 + 2 = 2; theta' = 10 - 0.7 (2 + 0.9 * 2) = 7.34.
// Then theta 7.34, average 7.34 - 1: g = 1; m = 0.9 * 2 + 1 = 2.8; theta' = 7.34 - 0.7 (1 + 0.9 * 2.8) = 4.876.
TEST_F(OuterStep, NesterovStepsWithMomentumKeptInItsFile) {
  use(OuterKind::kNesterov);
  copy(1, 5, 7);
  copy(1, 5, 9);
  EXPECT_TRUE(merge().outer_applied);
  EXPECT_THAT(values_of<float>(dir_ / "out", "w"), ElementsAre(FloatEq(7.34F)));
  EXPECT_THAT(values_of<double>(dir_ / "out", "d"), ElementsAre(testing::DoubleNear(7.34, 1e-12)));
  EXPECT_THAT(values_of<float>(dir_ / "out", "c"), ElementsAre(FloatEq(7.34F), FloatEq(-7.34F)));
  EXPECT_THAT(values_of<std::uint16_t>(dir_ / "out", "h"), ElementsAre(f16_from_double(7.34)));
  EXPECT_THAT(values_of<float>(dir_ / "m1", "w"), ElementsAre(2.0F));
  EXPECT_THAT(values_of<float>(dir_ / "m1", "h"), ElementsAre(2.0F));
  EXPECT_THAT(values_of<double>(dir_ / "m1", "d"), ElementsAre(2.0));
  EXPECT_THAT(values_of<float>(dir_ / "m1", "c"), ElementsAre(2.0F, -2.0F));

  weights("base", 7.34F);
  copies_.clear();
  copy(1, 5, 6.34F);
  settings_.momentum_in = dir_ / "m1";
  settings_.momentum_out = dir_ / "m2";
  merge();
  EXPECT_THAT(values_of<float>(dir_ / "out", "w"), ElementsAre(testing::FloatNear(4.876F, 1e-5F)));
  EXPECT_THAT(values_of<float>(dir_ / "m2", "w"), ElementsAre(testing::FloatNear(2.8F, 1e-5F)));
}

TEST_F(OuterStep, NesterovWithRateOneAndNoMomentumIsTheAverage) {
  use(OuterKind::kNesterov, 1, 0);
  copy(1, 5, 7);
  copy(3, 5, 9);
  merge();
  EXPECT_THAT(values_of<float>(dir_ / "out", "w"), ElementsAre(8.5F));
}

// p = 1/4, 3/4; steps 10, 30; t_eff = 25. theta' = 10 - 25 (1/4 * 3/10 + 3/4 * 1/30) = 10 - 2.5.
TEST_F(OuterStep, FedNovaNormalisesEachCopyByItsSteps) {
  use(OuterKind::kFedNova);
  copy(10, 10, 7);
  copy(30, 30, 9);
  EXPECT_TRUE(merge().outer_applied);
  EXPECT_THAT(values_of<float>(dir_ / "out", "w"), ElementsAre(FloatEq(7.5F)));
  EXPECT_THAT(values_of<double>(dir_ / "out", "d"), ElementsAre(testing::DoubleNear(7.5, 1e-12)));
}

TEST_F(OuterStep, FedNovaWithEqualStepsIsTheAverage) {
  use(OuterKind::kFedNova);
  copy(1, 5, 7);
  copy(3, 5, 9);
  merge();
  EXPECT_THAT(values_of<float>(dir_ / "out", "w"), ElementsAre(8.5F));
}

TEST_F(OuterStep, WithoutABaseEveryKindIsTheAverage) {
  settings_.base.clear();
  copy(1, 5, 7);
  copy(1, 5, 9);
  for (const auto kind : {OuterKind::kNesterov, OuterKind::kFedNova}) {
    use(kind);
    EXPECT_FALSE(merge().outer_applied);
    EXPECT_THAT(values_of<float>(dir_ / "out", "w"), ElementsAre(8.0F));
  }
}

TEST_F(OuterStep, ANanBaseIsNotBlamedOnTheCopies) {
  weights("base", std::numeric_limits<float>::quiet_NaN());
  use(OuterKind::kFedNova);
  copy(1, 5, 7);
  EXPECT_THAT(refusal(), HasSubstr("base version: tensor"));
}

TEST_F(OuterStep, AStepOutOfRangeIsRefusedNotWritten) {
  test::write_weights(dir_ / "base", {a_tensor<float>("w", Dtype::kF32, {1}, {3e38F})});
  test::write_weights(dir_ / "fork", {a_tensor<float>("w", Dtype::kF32, {1}, {-3e38F})});
  copies_.push_back({"fork", dir_ / "fork", 1, 1});
  use(OuterKind::kNesterov, 5, 0.9);
  EXPECT_THAT(refusal(), HasSubstr("'w' leaves the range of F32"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "m1"));
}

TEST_F(OuterStep, RefusesWrongNumbersAndForeignMomentum) {
  copy(1, 5, 7);
  use(OuterKind::kNesterov, 0, 0.9);
  EXPECT_THAT(refusal(), HasSubstr("learning_rate must be above 0"));
  use(OuterKind::kNesterov, 0.7, 1);
  EXPECT_THAT(refusal(), HasSubstr("momentum must be in [0, 1)"));
  use(OuterKind::kNesterov);
  settings_.momentum_out.clear();
  EXPECT_THAT(refusal(), HasSubstr("nesterov needs momentum_out"));
  use(OuterKind::kNesterov);
  test::write_weights(dir_ / "foreign", {a_tensor<float>("v", Dtype::kF32, {1}, {0})});
  settings_.momentum_in = dir_ / "foreign";
  EXPECT_THAT(refusal(), HasSubstr("is missing or has another dtype or shape"));
}

TEST_F(OuterStep, FedNovaLeavesOutACopyWithoutSteps) {
  use(OuterKind::kFedNova);
  copy(1, 0, 7);
  copy(1, 5, 9);
  EXPECT_THAT(merge().used, ElementsAre(1));
}

TEST(OuterOptimizerNames, AreKnownOrRefused) {
  EXPECT_EQ(outer_optimizer_named("nesterov")->kind, OuterKind::kNesterov);
  EXPECT_EQ(outer_optimizer_named("average")->kind, OuterKind::kAverage);
  EXPECT_THAT(outer_optimizer_named("adam").error().message, HasSubstr("average, nesterov, fednova"));
}

}  // namespace
}  // namespace hadar
