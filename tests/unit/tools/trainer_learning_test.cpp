// Models learn, and learn the same from the same seeds.
#include <barrier>
#include <gtest/gtest.h>
#include <mutex>
#include <numeric>
#include <thread>

#include "tests/unit/tools/trainer_fixtures.hpp"
#include "tools/trainer/learner.hpp"
#include "tools/trainer/weights_file.hpp"

namespace hadar::trainer {
namespace {

std::unique_ptr<Task> small_task(const std::string& workload) {
  if (workload == "image") return make_image_task(small_digits());
  if (workload == "weather") return make_weather_task(small_wind());
  return make_recommendation_task(small_ratings());
}

class TrainerTask : public ::testing::TestWithParam<std::string> {
 protected:
  // Trained for some steps from a seed.
  static std::unique_ptr<Learner> trained(const LeaseOrder& order, int steps) {
    auto learner = std::make_unique<Learner>(small_task(GetParam()));
    learner->initialise(order.seed);
    learner->begin(order);
    for (int i = 0; i < steps; ++i) learner->step();
    return learner;
  }
};

TEST_P(TrainerTask, TheGradientIsTheLossesSlope) {
  const auto task = small_task(GetParam());
  const auto size = static_cast<Eigen::Index>(task->layout().size());
  Vector weights(size);
  Random random(7);
  task->initialise(random, weights);
  std::vector<std::uint32_t> rows(16);
  std::iota(rows.begin(), rows.end(), 3U);
  Vector gradient(size);
  task->gradient(rows, weights, gradient);
  // Along the gradient itself the slope is its squared norm; single weights would drown in rounding.
  const float norm = gradient.norm();
  ASSERT_GT(norm, 0);
  const float reach = 1e-2F;
  Vector unused(size);
  const float ahead = task->gradient(rows, weights + reach / norm * gradient, unused);
  const float behind = task->gradient(rows, weights - reach / norm * gradient, unused);
  EXPECT_NEAR((ahead - behind) / (2 * reach) / norm, 1, 0.03);
  // A tensor of its own: each must carry its share.
  for (const auto& tensor : task->layout().tensors()) {
    Vector direction = Vector::Zero(size);
    const auto at = static_cast<Eigen::Index>(tensor.offset);
    const auto count = static_cast<Eigen::Index>(tensor.count);
    direction.segment(at, count) = gradient.segment(at, count);
    const float share = direction.norm();
    ASSERT_GT(share, 0) << tensor.name;
    direction *= reach / share;
    const float slope =
        (task->gradient(rows, weights + direction, unused) - task->gradient(rows, weights - direction, unused)) /
        (2 * reach);
    EXPECT_NEAR(slope / share, 1, 0.05) << tensor.name;
  }
}

TEST_P(TrainerTask, TheLossFalls) {
  const auto start = trained({}, 1)->metrics();
  const auto end = trained({}, 300)->metrics();
  EXPECT_LT(end.at("train_loss"), 0.7 * start.at("train_loss"));
}

TEST_P(TrainerTask, EqualSeedsGiveEqualBits) {
  EXPECT_EQ(trained({.seed = 5}, 20)->weights(), trained({.seed = 5}, 20)->weights());
}

TEST_P(TrainerTask, FreshWeightsDependOnTheSeedAlone) {
  const auto fresh = [](std::uint64_t seed, std::uint32_t fork) {
    return trained({.seed = seed, .first_step = fork * 100U, .fork = fork}, 0)->weights();
  };
  EXPECT_EQ(fresh(5, 0), fresh(5, 3));
  EXPECT_NE(fresh(5, 0), fresh(6, 0));
}

TEST_P(TrainerTask, ForksRanksAndRoundsSeeOtherSamples) {
  const Vector first = trained({.seed = 5}, 1)->weights();
  EXPECT_NE(first, trained({.seed = 5, .fork = 1}, 1)->weights());
  EXPECT_NE(first, trained({.seed = 5, .rank = 1}, 1)->weights());
  EXPECT_NE(first, trained({.seed = 5, .first_step = 1}, 1)->weights());
}

TEST_P(TrainerTask, SavedWeightsComeBackBitForBit) {
  const TemporaryFolder folder;
  const auto learner = trained({}, 10);
  ASSERT_TRUE(save_weights(folder.path() / "w", learner->layout(), learner->weights()));
  const auto loaded = load_weights(folder.path() / "w", learner->layout());
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(*loaded, learner->weights());
}

TEST_P(TrainerTask, GangMembersStayEqualAndUseEachOthersSamples) {
  constexpr std::uint32_t kRanks = 3;
  std::barrier<> all_in(kRanks), all_out(kRanks);
  std::mutex lock;
  Vector sum = Vector::Zero(static_cast<Eigen::Index>(small_task(GetParam())->layout().size()));
  const AllReduce reduce = [&](std::span<float> values) {
    Eigen::Map<Vector> mine(values.data(), static_cast<Eigen::Index>(values.size()));
    {
      const std::lock_guard guard(lock);
      sum += mine;
    }
    all_in.arrive_and_wait();
    mine = sum;
    all_out.arrive_and_wait();
    const std::lock_guard guard(lock);
    sum.setZero();
    return true;
  };
  std::vector<Vector> weights(kRanks);
  {
    std::vector<std::jthread> members;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank)
      members.emplace_back([&, rank] {
        Learner learner(small_task(GetParam()));
        learner.initialise(1);
        learner.begin({.batch_size = 8, .rank = rank, .world_size = kRanks});
        learner.step(reduce);
        weights[rank] = learner.weights();
      });
  }
  EXPECT_EQ(weights[0], weights[1]);
  EXPECT_EQ(weights[0], weights[2]);
  EXPECT_NE(weights[0], trained({.batch_size = 8}, 1)->weights());
}

TEST_P(TrainerTask, AGangUsesTheMeanOfItsGradients) {
  Learner learner(small_task(GetParam()));
  learner.initialise(1);
  learner.begin({.world_size = 2});
  // The other member is our twin.
  ASSERT_TRUE(learner.step([](std::span<float> values) {
    for (float& value : values) value += value;
    return true;
  }));
  EXPECT_EQ(learner.weights(), trained({}, 1)->weights());
}

TEST_P(TrainerTask, AStepThatLosesAMemberChangesNothing) {
  Learner learner(small_task(GetParam()));
  learner.initialise(1);
  const Vector before = learner.weights();
  learner.begin({.world_size = 2});
  EXPECT_FALSE(learner.step([](std::span<float>) { return false; }));
  EXPECT_EQ(learner.weights(), before);
}

INSTANTIATE_TEST_SUITE_P(EachWorkload, TrainerTask, ::testing::Values("image", "weather", "recommendation"),
                         [](const auto& each) { return each.param; });

TEST(TrainerWeights, TensorsAreNamedAsModelsShareThem) {
  const auto names = [](const Task& task) {
    std::vector<std::string> found;
    for (const auto& tensor : task.layout().tensors()) found.push_back(tensor.name);
    return found;
  };
  EXPECT_EQ(names(*small_task("image")),
            (std::vector<std::string>{"layer0.weight", "layer0.bias", "layer1.weight", "layer1.bias"}));
  EXPECT_EQ(names(*small_task("recommendation")),
            (std::vector<std::string>{"embed.user", "embed.item", "layer0.weight", "layer0.bias", "layer1.weight",
                                      "layer1.bias"}));
  EXPECT_EQ(small_task("image")->layout().tensors()[0].shape, (std::vector<std::uint64_t>{128, 64}));
}

TEST(TrainerWeights, AnotherModelsFileIsRefused) {
  const TemporaryFolder folder;
  const auto image = small_task("image");
  const Vector zeros = Vector::Zero(static_cast<Eigen::Index>(image->layout().size()));
  ASSERT_TRUE(save_weights(folder.path() / "w", image->layout(), zeros));
  EXPECT_FALSE(load_weights(folder.path() / "w", small_task("weather")->layout())) << "other shapes";
  const auto fewer = load_weights(folder.path() / "w", small_task("recommendation")->layout());
  ASSERT_FALSE(fewer);
  EXPECT_EQ(fewer.error().code, ErrorCode::kInvalidArgument);
}

TEST(TrainerMetrics, AConstantGuessScoresTheBaseline) {
  const auto task = small_task("recommendation");
  Vector weights = Vector::Zero(static_cast<Eigen::Index>(task->layout().size()));
  const auto known = small_ratings().training.ratings;
  const float mean = std::accumulate(known.begin(), known.end(), 0.0F) / static_cast<float>(known.size());
  weights.tail(1).setConstant(mean);  // the last bias
  const auto metrics = task->evaluate(weights);
  EXPECT_NEAR(metrics.at("mse"), metrics.at("baseline_mse"), 1e-3);
}

}  // namespace
}  // namespace hadar::trainer
