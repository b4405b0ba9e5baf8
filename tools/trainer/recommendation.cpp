// Ratings: eight numbers per student and per lecturer, side by side → 32 ReLU → the rating, mean squared error.
#include <cmath>
#include <numeric>

#include "tools/trainer/mlp.hpp"
#include "tools/trainer/tasks.hpp"

namespace hadar::trainer {
namespace {

constexpr int kEmbedding = 8;
constexpr int kHidden = 32;
constexpr float kEmbeddingBound = 0.1F;  // of the fresh embeddings

class RecommendationTask final : public Task {
 public:
  explicit RecommendationTask(Ratings ratings)
      : ratings_(std::move(ratings)),
        users_at_(layout_.add("embed.user", {ratings_.users, kEmbedding})),
        items_at_(layout_.add("embed.item", {ratings_.items, kEmbedding})),
        network_({2 * kEmbedding, kHidden, 1}, layout_) {
    const auto& known = ratings_.training.ratings;
    mean_ = static_cast<float>(std::accumulate(known.begin(), known.end(), 0.0) / static_cast<double>(known.size()));
    for (const float rating : ratings_.validation.ratings) baseline_ += std::pow(rating - mean_, 2.0);
    baseline_ /= static_cast<double>(ratings_.validation.ratings.size());
  }

  [[nodiscard]] const Layout& layout() const override { return layout_; }
  [[nodiscard]] Recipe recipe() const override { return {.learning_rate = 5e-3F, .weight_decay = 5e-2F}; }
  [[nodiscard]] std::size_t training_rows() const override { return ratings_.training.ratings.size(); }

  void initialise(Random& random, Vector& weights) const override {
    const auto embeddings = static_cast<Eigen::Index>(ratings_.users + ratings_.items) * kEmbedding;
    for (float& weight : weights.head(embeddings)) weight = random.symmetric(kEmbeddingBound);
    network_.initialise(random, weights);
    weights[static_cast<Eigen::Index>(network_.last_bias())] = mean_;
  }

  float gradient(std::span<const std::uint32_t> rows, const Vector& weights, Vector& gradient) override {
    const RatingsPart& part = ratings_.training;
    gather(part, rows, weights);
    delta_ = network_.forward(weights, input_);
    for (Eigen::Index i = 0; i < delta_.rows(); ++i) delta_(i, 0) -= part.ratings[rows[static_cast<std::size_t>(i)]];
    const float loss = delta_.array().square().mean();
    delta_ *= 2 / static_cast<float>(delta_.size());
    gradient.setZero();
    network_.backward(weights, input_, delta_, gradient, &input_gradient_);
    for (Eigen::Index i = 0; i < delta_.rows(); ++i) {
      const auto row = rows[static_cast<std::size_t>(i)];
      gradient.segment<kEmbedding>(user_at(part.users[row])) += input_gradient_.row(i).head<kEmbedding>().transpose();
      gradient.segment<kEmbedding>(item_at(part.items[row])) += input_gradient_.row(i).tail<kEmbedding>().transpose();
    }
    return loss;
  }

  Metrics evaluate(const Vector& weights) override {
    const RatingsPart& part = ratings_.validation;
    all_rows_.resize(part.ratings.size());
    std::iota(all_rows_.begin(), all_rows_.end(), 0U);
    gather(part, all_rows_, weights);
    const Matrix& guess = network_.forward(weights, input_);
    const Eigen::Map<const Matrix> truth(part.ratings.data(), guess.rows(), 1);
    return {{"mse", (guess - truth).array().square().mean()}, {"baseline_mse", baseline_}};
  }

 private:
  [[nodiscard]] Eigen::Index user_at(std::uint32_t user) const {
    return static_cast<Eigen::Index>(users_at_) + static_cast<Eigen::Index>(user) * kEmbedding;
  }
  [[nodiscard]] Eigen::Index item_at(std::uint32_t item) const {
    return static_cast<Eigen::Index>(items_at_) + static_cast<Eigen::Index>(item) * kEmbedding;
  }

  // The embeddings of these rows into input_.
  void gather(const RatingsPart& part, std::span<const std::uint32_t> rows, const Vector& weights) {
    input_.resize(static_cast<Eigen::Index>(rows.size()), 2 * kEmbedding);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      auto row = input_.row(static_cast<Eigen::Index>(i));
      row.head<kEmbedding>() = weights.segment<kEmbedding>(user_at(part.users[rows[i]])).transpose();
      row.tail<kEmbedding>() = weights.segment<kEmbedding>(item_at(part.items[rows[i]])).transpose();
    }
  }

  Ratings ratings_;
  Layout layout_;
  std::size_t users_at_;
  std::size_t items_at_;
  Mlp network_;
  float mean_ = 0;       // of the training ratings
  double baseline_ = 0;  // every rating is that mean
  std::vector<std::uint32_t> all_rows_;
  Matrix input_;
  Matrix input_gradient_;
  Matrix delta_;
};

}  // namespace

std::unique_ptr<Task> make_recommendation_task(Ratings ratings) {
  return std::make_unique<RecommendationTask>(std::move(ratings));
}

}  // namespace hadar::trainer
