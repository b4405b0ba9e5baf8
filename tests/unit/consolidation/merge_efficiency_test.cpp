#include "actors/consolidation/merge_efficiency.hpp"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace hadar {
namespace {

using Curve = std::function<double(double steps)>;

constexpr std::array<std::uint64_t, 5> kForks{3600, 2052, 1008, 936, 180};

// Merges of five forks of unlike lengths that keep `eta` of what the slower ones add.
MergeProgress merges(int count, double eta, const Curve& curve, double noise = 0, const char* metric = "loss") {
  std::mt19937 random(7);
  std::normal_distribution<double> gauss;
  MergeProgress progress;
  double effective = 0;
  for (int merge = 0; merge < count; ++merge) {
    std::vector<ForkScore> forks;
    double others = 0;
    for (const auto steps : kForks) {
      const auto score = curve(effective + static_cast<double>(steps)) * (1 + noise * gauss(random));
      forks.push_back({steps, {{metric, score}, {"baseline_loss", 1}}});
      if (steps != kForks.front()) others += static_cast<double>(steps);
    }
    progress.add(forks, "");
    effective += kForks.front() + eta * others;
  }
  return progress;
}

double power_law(double steps) {
  return std::pow(1 + steps / 2200, -0.7);
}
double saturating(double steps) {
  return 0.98 - 0.88 * std::exp(-steps / 7000);
}

TEST(MergeEfficiency, IsFoundWhateverTheCurve) {
  for (const double eta : {0.0, 0.3, 0.5, 0.62, 0.85, 1.0}) {
    const auto falls = merges(4, eta, power_law).fitted();
    ASSERT_TRUE(falls.has_value()) << eta;
    EXPECT_NEAR(*falls, eta, 0.07);
    const auto rises = merges(4, eta, saturating, 0, "accuracy").fitted();
    ASSERT_TRUE(rises.has_value()) << eta;
    EXPECT_NEAR(*rises, eta, 0.12);
  }
}

TEST(MergeEfficiency, IsNearThroughNoise) {
  const auto fitted = merges(8, 0.5, power_law, 0.01).fitted();
  ASSERT_TRUE(fitted.has_value());
  EXPECT_NEAR(*fitted, 0.5, 0.15);
}

TEST(MergeEfficiency, IsNotClaimedWhereScoresAreNoise) {
  EXPECT_FALSE(merges(
                   4, 0.5, [](double) { return 1; }, 0.1)
                   .fitted()
                   .has_value());
  EXPECT_FALSE(merges(4, 0.5, [](double) { return 1; }).fitted().has_value()) << "all alike";
}

TEST(MergeEfficiency, TakesTwoMergesAndScores) {
  EXPECT_FALSE(merges(1, 0.5, power_law).fitted().has_value());
  EXPECT_FALSE(merges(4, 0.5, power_law, 0, "train_loss").fitted().has_value()) << "no validation metric";
}

TEST(MergeEfficiency, CountsWhatIsBeyondTheFastestFork) {
  EXPECT_EQ(merges(2, 1, power_law).beyond(), 2U * (2052 + 1008 + 936 + 180));
  MergeProgress alone;
  alone.add(std::vector<ForkScore>{{100, {{"loss", 1}}}}, "");
  EXPECT_EQ(alone.beyond(), 0U);
}

TEST(MergeEfficiency, IsJudgedByTheTargetOfTheJob) {
  MergeProgress progress;
  double effective = 0;
  for (int merge = 0; merge < 4; ++merge) {
    std::vector<ForkScore> forks;
    for (const auto steps : kForks) {
      const auto score = power_law(effective + static_cast<double>(steps));
      forks.push_back({steps, {{"loss", merge}, {"perplexity", score}}});
    }
    progress.add(forks, "perplexity");
    effective += 3600 + 0.5 * (2052 + 1008 + 936 + 180);
  }
  ASSERT_TRUE(progress.fitted().has_value());
  EXPECT_NEAR(*progress.fitted(), 0.5, 0.07);
}

}  // namespace
}  // namespace hadar
