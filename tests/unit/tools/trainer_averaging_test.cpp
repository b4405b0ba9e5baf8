// HadarE on real data in one process: five forks at speeds 10:6:4:3:2, merged by samples at every round, must train a
// good model within the default mix's step budgets.
#include <array>
#include <gtest/gtest.h>

#include "tools/trainer/learner.hpp"
#include "tools/trainer/tasks.hpp"

namespace hadar::trainer {
namespace {

constexpr std::array<std::uint64_t, 5> kSpeeds{10, 6, 4, 3, 2};
constexpr std::uint64_t kSpeedSum = 25;

struct Budget {
  std::string workload;
  std::uint32_t batch_size;
  std::uint64_t total_steps;
};

// The merged model's metrics after all steps; a round lasts `round_steps` steps of all forks together.
Metrics train_forked(const Budget& budget, std::uint64_t round_steps) {
  std::vector<std::unique_ptr<Learner>> forks;
  for (std::size_t i = 0; i < kSpeeds.size(); ++i) {
    forks.push_back(std::make_unique<Learner>(make_task(budget.workload, data_folder().value()).value()));
    forks.back()->initialise(1);
  }
  for (std::uint64_t done = 0; done < budget.total_steps; done += round_steps) {
    const Vector base = forks[0]->weights();
    Vector merged = Vector::Zero(base.size());
    for (std::uint32_t i = 0; i < forks.size(); ++i) {
      forks[i]->set_weights(base);
      forks[i]->begin(
          {.first_step = done, .total_steps = budget.total_steps, .batch_size = budget.batch_size, .fork = i});
      for (std::uint64_t step = 0; step < round_steps * kSpeeds[i] / kSpeedSum; ++step) forks[i]->step();
      merged += static_cast<float>(kSpeeds[i]) / static_cast<float>(kSpeedSum) * forks[i]->weights();
    }
    forks[0]->set_weights(merged);
  }
  return forks[0]->metrics();
}

TEST(TrainerAveraging, DigitsReachTheirBarWithRoundsOfSixSeconds) {
  EXPECT_GE(train_forked({"image", 32, 4800}, 1200).at("accuracy"), 0.96);
}

TEST(TrainerAveraging, DigitsReachTheirBarWithShortRounds) {
  EXPECT_GE(train_forked({"image", 32, 4800}, 200).at("accuracy"), 0.96);
}

TEST(TrainerAveraging, RatingsBeatAlwaysTheMean) {
  const auto metrics = train_forked({"recommendation", 128, 1600}, 400);
  EXPECT_LT(metrics.at("mse"), 0.9 * metrics.at("baseline_mse"));
  EXPECT_NEAR(metrics.at("baseline_mse"), 1.785, 0.01);
}

TEST(TrainerAveraging, WindBeatsSameAsYesterdayInOneRound) {
  const auto metrics = train_forked({"weather", 64, 800}, 800);
  EXPECT_LT(metrics.at("mse"), 0.85 * metrics.at("baseline_mse"));
  EXPECT_NEAR(metrics.at("baseline_mse"), 0.886, 0.01);
}

}  // namespace
}  // namespace hadar::trainer
