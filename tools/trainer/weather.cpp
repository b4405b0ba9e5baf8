// Wind: seven days at twelve stations → 64 ReLU → the next day at the twelve stations, mean squared error.
#include "tools/trainer/mlp.hpp"
#include "tools/trainer/tasks.hpp"

namespace hadar::trainer {
namespace {

constexpr int kHidden = 64;

class WeatherTask final : public Task {
 public:
  explicit WeatherTask(Wind wind)
      : wind_(std::move(wind)), network_({kWindDaysIn * kWindStations, kHidden, kWindStations}, layout_) {
    const Matrix yesterday = wind_.validation.week.rightCols(kWindStations);
    baseline_ = (yesterday - wind_.validation.next_day).array().square().mean();
  }

  [[nodiscard]] const Layout& layout() const override { return layout_; }
  [[nodiscard]] Recipe recipe() const override { return {.learning_rate = 2e-3F, .weight_decay = 1e-2F}; }
  [[nodiscard]] std::size_t training_rows() const override {
    return static_cast<std::size_t>(wind_.training.week.rows());
  }
  void initialise(Random& random, Vector& weights) const override { network_.initialise(random, weights); }

  float gradient(std::span<const std::uint32_t> rows, const Vector& weights, Vector& gradient) override {
    const auto count = static_cast<Eigen::Index>(rows.size());
    input_.resize(count, wind_.training.week.cols());
    target_.resize(count, kWindStations);
    for (Eigen::Index i = 0; i < count; ++i) {
      input_.row(i) = wind_.training.week.row(rows[static_cast<std::size_t>(i)]);
      target_.row(i) = wind_.training.next_day.row(rows[static_cast<std::size_t>(i)]);
    }
    delta_ = network_.forward(weights, input_) - target_;
    const float loss = delta_.array().square().mean();
    delta_ *= 2 / static_cast<float>(delta_.size());
    network_.backward(weights, input_, delta_, gradient);
    return loss;
  }

  Metrics evaluate(const Vector& weights) override {
    const Matrix& guess = network_.forward(weights, wind_.validation.week);
    return {{"mse", (guess - wind_.validation.next_day).array().square().mean()}, {"baseline_mse", baseline_}};
  }

 private:
  Wind wind_;
  Layout layout_;
  Mlp network_;
  double baseline_ = 0;  // the next day is as yesterday
  Matrix input_;
  Matrix target_;
  Matrix delta_;
};

}  // namespace

std::unique_ptr<Task> make_weather_task(Wind wind) {
  return std::make_unique<WeatherTask>(std::move(wind));
}

}  // namespace hadar::trainer
