#include "actors/consolidation/merge_efficiency.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace hadar {
namespace {

constexpr std::size_t kMostPoints = 64;
constexpr std::size_t kLeastPoints = 6;
constexpr double kMostDoubt = 0.15;
constexpr double kMisfit = 0.005;  // of the scores' range: no learning curve is exactly of this family
constexpr int kEtas = 20;          // steps from 0 to 1
constexpr std::array kPowers{0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0};  // 0: the logarithm
constexpr double kLeastBend = 0.003;                                     // of all steps
constexpr double kMostBend = 3;
constexpr int kBendSteps = 16;
constexpr double kCurveParameters = 4;

// Names that other trainers use for what they are judged by; losses first, as accuracies saturate.
constexpr std::array<std::string_view, 4> kUsualMetrics{"loss", "cross_entropy", "mse", "accuracy"};

std::string judged_by(const Metrics& metrics, const std::string& target) {
  if (metrics.contains(target)) return target;
  for (const auto usual : kUsualMetrics)
    if (metrics.contains(std::string(usual))) return std::string(usual);
  return "";
}

// Least squares of the scores on one curve shape; the mean square of what is left.
double misfit(std::span<const ProgressPoint> points, double eta, double bend, double power) {
  double n = 0, u = 0, uu = 0, y = 0, yy = 0, uy = 0;
  for (const auto& point : points) {
    const double x = std::log1p((point.sure + eta * point.beyond) / bend);
    const double value = power > 0 ? std::exp(-power * x) : x;
    n += 1;
    u += value;
    uu += value * value;
    y += point.score;
    yy += point.score * point.score;
    uy += value * point.score;
  }
  const double spread = uu - u * u / n;
  const double total = yy - y * y / n;
  const double joint = uy - u * y / n;
  const double left = spread > 0 ? total - joint * joint / spread : total;
  return std::max(0.0, left) / n;
}

// Golden section over the logarithm of the bend.
double least_over_bends(std::span<const ProgressPoint> points, double eta, double longest, double power) {
  constexpr double kGolden = 0.6180339887498949;
  double low = std::log(kLeastBend * longest);
  double high = std::log(kMostBend * longest);
  const auto at = [&](double bend) { return misfit(points, eta, std::exp(bend), power); };
  double left = high - kGolden * (high - low);
  double right = low + kGolden * (high - low);
  double at_left = at(left);
  double at_right = at(right);
  for (int step = 0; step < kBendSteps; ++step) {
    if (at_left < at_right) {
      high = std::exchange(right, left);
      at_right = at_left;
      at_left = at(left = high - kGolden * (high - low));
    } else {
      low = std::exchange(left, right);
      at_left = at_right;
      at_right = at(right = low + kGolden * (high - low));
    }
  }
  return std::min(at_left, at_right);
}

double least_misfit(std::span<const ProgressPoint> points, double eta, double longest) {
  double least = HUGE_VAL;
  for (const auto power : kPowers) least = std::min(least, least_over_bends(points, eta, longest, power));
  return least;
}

}  // namespace

void MergeProgress::add(std::span<const ForkScore> forks, const std::string& target) {
  std::uint64_t sum = 0;
  std::uint64_t most = 0;
  for (const auto& fork : forks) {
    sum += fork.steps;
    most = std::max(most, fork.steps);
    if (metric_.empty()) metric_ = judged_by(fork.metrics, target);
    const auto score = fork.metrics.find(metric_);
    if (score == fork.metrics.end() || fork.steps == 0) continue;
    points_.push_back({static_cast<double>(sure_ + fork.steps), static_cast<double>(beyond_), score->second});
  }
  if (points_.size() > kMostPoints) points_.erase(points_.begin(), points_.end() - kMostPoints);
  sure_ += most;
  beyond_ += sum - most;
  if (sum > most && !points_.empty()) ++merges_;
}

std::optional<double> MergeProgress::fitted() const {
  return merges_ < kLeastMerges ? std::nullopt : fit_merge_efficiency(points_);
}

std::optional<double> fit_merge_efficiency(std::span<const ProgressPoint> points) {
  if (points.size() < kLeastPoints) return std::nullopt;
  const auto score = [](const ProgressPoint& point) { return point.score; };
  const auto [low, high] = std::ranges::minmax_element(points, {}, score);
  const double range = high->score - low->score;
  if (!(range > 0)) return std::nullopt;
  double longest = 0;
  for (const auto& point : points) longest = std::max(longest, point.sure + point.beyond);
  std::array<double, kEtas + 1> misfits{};
  for (int i = 0; i <= kEtas; ++i)
    misfits[i] = least_misfit(points, static_cast<double>(i) / kEtas, longest) + std::pow(kMisfit * range, 2);
  const double best = *std::ranges::min_element(misfits);
  double weights = 0, mean = 0, square = 0;
  for (int i = 0; i <= kEtas; ++i) {
    const double eta = static_cast<double>(i) / kEtas;
    const double weight = std::pow(misfits[i] / best, -(static_cast<double>(points.size()) - kCurveParameters) / 2);
    weights += weight;
    mean += weight * eta;
    square += weight * eta * eta;
  }
  mean /= weights;
  const double doubt = std::sqrt(std::max(0.0, square / weights - mean * mean));
  return doubt > kMostDoubt ? std::nullopt : std::optional(mean);
}

}  // namespace hadar
