// A stack of dense layers with ReLU between them; weights are [out, in] as in PyTorch's Linear.
#pragma once

#include <vector>

#include "tools/trainer/data_sets.hpp"
#include "tools/trainer/layout.hpp"
#include "tools/trainer/random.hpp"

namespace hadar::trainer {

// Holds the sizes and the scratch of one forward and backward pass, not the weights: these come as a flat vector in the
// layout that the constructor extended. One thread at a time.
class Mlp {
 public:
  // widths: inputs, hidden layers …, outputs; at least two. Adds layer{i}.weight and layer{i}.bias to `layout`.
  Mlp(const std::vector<int>& widths, Layout& layout);

  // He-uniform weights (He et al. 2015) for the ReLU layers, a smaller range for the last, zero biases.
  void initialise(Random& random, Vector& weights) const;

  // The outputs for a batch, one row a sample; valid until the next call.
  const Matrix& forward(const Vector& weights, const Matrix& input);

  // After forward() on the same weights and input: writes the gradient of every layer for the given gradient of the
  // outputs and, when asked, that of the inputs.
  void backward(const Vector& weights, const Matrix& input, const Matrix& output_gradient, Vector& gradient,
                Matrix* input_gradient = nullptr);

  // Offset of the last layer's bias.
  [[nodiscard]] std::size_t last_bias() const { return layers_.back().bias; }

 private:
  struct Layer {
    Eigen::Index in = 0;
    Eigen::Index out = 0;
    std::size_t weight = 0;  // offsets
    std::size_t bias = 0;
  };

  std::vector<Layer> layers_;
  std::vector<Matrix> outputs_;  // of each layer, after its ReLU
  Matrix delta_;
  Matrix next_delta_;
};

}  // namespace hadar::trainer
