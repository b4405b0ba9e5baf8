// Handwritten digits: 64 pixels → 128 ReLU → softmax over 10 classes, cross-entropy.
#include <algorithm>
#include <array>
#include <cmath>

#include "tools/trainer/mlp.hpp"
#include "tools/trainer/tasks.hpp"

namespace hadar::trainer {
namespace {

constexpr int kHidden = 128;

// Share of the commonest class.
double best_constant_guess(const std::vector<int>& classes) {
  std::array<std::size_t, kDigitClasses> counts{};
  for (const int label : classes) ++counts[static_cast<std::size_t>(label)];
  return static_cast<double>(*std::max_element(counts.begin(), counts.end())) / static_cast<double>(classes.size());
}

class ImageTask final : public Task {
 public:
  explicit ImageTask(Digits digits)
      : digits_(std::move(digits)),
        network_({kDigitPixels, kHidden, kDigitClasses}, layout_),
        baseline_(best_constant_guess(digits_.validation.classes)) {}

  [[nodiscard]] const Layout& layout() const override { return layout_; }
  [[nodiscard]] Recipe recipe() const override { return {.learning_rate = 2e-3F, .weight_decay = 0}; }
  [[nodiscard]] std::size_t training_rows() const override { return digits_.training.classes.size(); }
  void initialise(Random& random, Vector& weights) const override { network_.initialise(random, weights); }

  float gradient(std::span<const std::uint32_t> rows, const Vector& weights, Vector& gradient) override {
    const auto count = static_cast<Eigen::Index>(rows.size());
    input_.resize(count, kDigitPixels);
    for (Eigen::Index i = 0; i < count; ++i)
      input_.row(i) = digits_.training.pixels.row(rows[static_cast<std::size_t>(i)]);
    delta_ = network_.forward(weights, input_);
    float loss = 0;
    for (Eigen::Index i = 0; i < count; ++i) {
      auto row = delta_.row(i);
      row.array() = (row.array() - row.maxCoeff()).exp();
      row /= row.sum();
      float& own = row(digits_.training.classes[rows[static_cast<std::size_t>(i)]]);
      loss -= std::log(std::max(own, 1e-12F));
      own -= 1;
    }
    const auto samples = static_cast<float>(count);
    delta_ /= samples;
    network_.backward(weights, input_, delta_, gradient);
    return loss / samples;
  }

  Metrics evaluate(const Vector& weights) override {
    const Matrix& scores = network_.forward(weights, digits_.validation.pixels);
    std::size_t right = 0;
    for (Eigen::Index i = 0; i < scores.rows(); ++i) {
      Eigen::Index best = 0;
      scores.row(i).maxCoeff(&best);
      if (best == digits_.validation.classes[static_cast<std::size_t>(i)]) ++right;
    }
    return {{"accuracy", static_cast<double>(right) / static_cast<double>(scores.rows())},
            {"baseline_accuracy", baseline_}};
  }

 private:
  Digits digits_;
  Layout layout_;
  Mlp network_;
  double baseline_;
  Matrix input_;
  Matrix delta_;
};

}  // namespace

std::unique_ptr<Task> make_image_task(Digits digits) {
  return std::make_unique<ImageTask>(std::move(digits));
}

}  // namespace hadar::trainer
