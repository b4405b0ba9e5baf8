#include "tools/trainer/learner.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "messages/types/check.hpp"

namespace hadar::trainer {
namespace {

constexpr float kBeta1 = 0.9F;
constexpr float kBeta2 = 0.999F;
constexpr float kEpsilon = 1e-8F;
constexpr double kLastRate = 0.05;    // share of the learning rate left at the job's end
constexpr double kLossMemory = 0.98;  // per step: a window of about fifty steps

// The gang's ranks must not draw what another fork draws.
enum SeedPurpose : std::uint64_t { kWeightsSeed = 1, kOrderSeed = 2 };

}  // namespace

Learner::Learner(std::unique_ptr<Task> task) : task_(std::move(task)) {
  const auto size = static_cast<Eigen::Index>(task_->layout().size());
  weights_ = gradient_ = first_moment_ = second_moment_ = Vector::Zero(size);
  rows_.resize(task_->training_rows());
}

void Learner::initialise(std::uint64_t seed) {
  Random random(mix_seeds({kWeightsSeed, seed}));
  task_->initialise(random, weights_);
  first_moment_.setZero();
  second_moment_.setZero();
  updates_ = 0;
}

void Learner::set_weights(const Vector& weights) {
  HADAR_REQUIRE(weights.size() == weights_.size());
  weights_ = weights;
}

void Learner::begin(const LeaseOrder& order) {
  HADAR_REQUIRE(order.batch_size > 0);
  order_ = order;
  random_ = Random(mix_seeds({kOrderSeed, order.seed, order.fork, order.rank, order.first_step}));
  std::iota(rows_.begin(), rows_.end(), 0U);
  next_row_ = rows_.size();
  steps_ = 0;
}

std::span<const std::uint32_t> Learner::next_rows() {
  batch_.clear();
  while (batch_.size() < order_.batch_size) {
    if (next_row_ == rows_.size()) {
      random_.shuffle(rows_);
      next_row_ = 0;
    }
    batch_.push_back(rows_[next_row_++]);
  }
  return batch_;
}

bool Learner::step(const AllReduce& reduce) {
  const double loss = task_->gradient(next_rows(), weights_, gradient_);
  if (order_.world_size > 1 && reduce) {
    if (!reduce({gradient_.data(), static_cast<std::size_t>(gradient_.size())})) return false;
    gradient_ /= static_cast<float>(order_.world_size);
  }
  apply_gradient();
  smooth_loss_ = steps_ == 0 ? loss : kLossMemory * smooth_loss_ + (1 - kLossMemory) * loss;
  ++steps_;
  return true;
}

void Learner::apply_gradient() {
  ++updates_;
  const Recipe recipe = task_->recipe();
  const double done = order_.total_steps == 0
                          ? 0.0
                          : static_cast<double>(order_.first_step + steps_) / static_cast<double>(order_.total_steps);
  const auto rate = recipe.learning_rate * static_cast<float>(std::max(kLastRate, 1 - done));
  const auto t = static_cast<float>(updates_);
  const float correction1 = 1 - std::pow(kBeta1, t);
  const float root_correction2 = std::sqrt(1 - std::pow(kBeta2, t));
  first_moment_ = kBeta1 * first_moment_ + (1 - kBeta1) * gradient_;
  second_moment_.array() = kBeta2 * second_moment_.array() + (1 - kBeta2) * gradient_.array().square();
  weights_ *= 1 - rate * recipe.weight_decay;
  weights_.array() -=
      rate / correction1 * first_moment_.array() / (second_moment_.array().sqrt() / root_correction2 + kEpsilon);
}

Metrics Learner::metrics() {
  Metrics metrics = task_->evaluate(weights_);
  if (steps_ > 0) metrics["train_loss"] = smooth_loss_;
  return metrics;
}

}  // namespace hadar::trainer
