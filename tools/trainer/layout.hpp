// Where a model's named tensors lie in one flat buffer of floats. Flat, so that optimiser, gang and file see one array.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hadar::trainer {

using Vector = Eigen::VectorXf;

struct TensorPlace {
  std::string name;
  std::vector<std::uint64_t> shape;  // row-major
  std::size_t offset = 0;            // in floats
  std::size_t count = 0;             // floats
};

class Layout {
 public:
  // Adds a tensor after those before it; its offset.
  std::size_t add(std::string name, std::vector<std::uint64_t> shape) {
    std::size_t count = 1;
    for (const auto extent : shape) count *= extent;
    const std::size_t offset = size_;
    tensors_.push_back({std::move(name), std::move(shape), offset, count});
    size_ += count;
    return offset;
  }

  [[nodiscard]] const std::vector<TensorPlace>& tensors() const { return tensors_; }

  // Floats in all.
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::vector<TensorPlace> tensors_;
  std::size_t size_ = 0;
};

}  // namespace hadar::trainer
