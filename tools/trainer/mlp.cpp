#include "tools/trainer/mlp.hpp"

#include <cmath>
#include <string>

#include "messages/types/check.hpp"

namespace hadar::trainer {
namespace {

using ConstWeights = Eigen::Map<const Matrix>;
using ConstRow = Eigen::Map<const Eigen::RowVectorXf>;

}  // namespace

Mlp::Mlp(const std::vector<int>& widths, Layout& layout) : outputs_(widths.size() - 1) {
  HADAR_REQUIRE(widths.size() >= 2);
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    const auto in = static_cast<std::uint64_t>(widths[i]);
    const auto out = static_cast<std::uint64_t>(widths[i + 1]);
    const std::string name = "layer" + std::to_string(i);
    const std::size_t weight = layout.add(name + ".weight", {out, in});
    const std::size_t bias = layout.add(name + ".bias", {out});
    layers_.push_back({widths[i], widths[i + 1], weight, bias});
  }
}

void Mlp::initialise(Random& random, Vector& weights) const {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const bool is_last = i + 1 == layers_.size();
    const float bound = std::sqrt((is_last ? 1.0F : 6.0F) / static_cast<float>(layer.in));
    auto block = weights.segment(static_cast<Eigen::Index>(layer.weight), layer.in * layer.out);
    for (float& weight : block) weight = random.symmetric(bound);
    weights.segment(static_cast<Eigen::Index>(layer.bias), layer.out).setZero();
  }
}

const Matrix& Mlp::forward(const Vector& weights, const Matrix& input) {
  const Matrix* from = &input;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const ConstWeights w(weights.data() + layer.weight, layer.out, layer.in);
    const ConstRow bias(weights.data() + layer.bias, layer.out);
    Matrix& to = outputs_[i];
    to.resize(from->rows(), layer.out);
    to.noalias() = *from * w.transpose();
    to.rowwise() += bias;
    if (i + 1 < layers_.size()) to = to.cwiseMax(0.0F);
    from = &to;
  }
  return *from;
}

void Mlp::backward(const Vector& weights, const Matrix& input, const Matrix& output_gradient, Vector& gradient,
                   Matrix* input_gradient) {
  delta_ = output_gradient;
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const Layer& layer = layers_[i];
    const Matrix& from = i == 0 ? input : outputs_[i - 1];
    Eigen::Map<Matrix> weight_gradient(gradient.data() + layer.weight, layer.out, layer.in);
    Eigen::Map<Eigen::RowVectorXf> bias_gradient(gradient.data() + layer.bias, layer.out);
    weight_gradient.noalias() = delta_.transpose() * from;
    bias_gradient = delta_.colwise().sum();
    if (i == 0 && input_gradient == nullptr) return;
    const ConstWeights w(weights.data() + layer.weight, layer.out, layer.in);
    next_delta_.resize(delta_.rows(), layer.in);
    next_delta_.noalias() = delta_ * w;
    if (i == 0) {
      *input_gradient = next_delta_;
      return;
    }
    delta_ = next_delta_.cwiseProduct((from.array() > 0.0F).cast<float>().matrix());
  }
}

}  // namespace hadar::trainer
