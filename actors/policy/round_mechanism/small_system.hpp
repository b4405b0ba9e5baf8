// Small dense systems: as many unknowns as there are GPU types, and one or two more.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace hadar {

using SmallMatrix = std::vector<std::vector<double>>;

// Solves matrix x = right in place, by elimination with row exchange; `matrix` is used up.
inline void solve_small(SmallMatrix& matrix, std::vector<double>& right) {
  const auto n = right.size();
  for (std::size_t k = 0; k < n; ++k) {
    auto pivot = k;
    for (std::size_t r = k + 1; r < n; ++r)
      if (std::abs(matrix[r][k]) > std::abs(matrix[pivot][k])) pivot = r;
    std::swap(matrix[k], matrix[pivot]);
    std::swap(right[k], right[pivot]);
    for (std::size_t r = k + 1; r < n; ++r) {
      const auto factor = matrix[r][k] / matrix[k][k];
      if (factor == 0) continue;
      for (std::size_t c = k; c < n; ++c) matrix[r][c] -= factor * matrix[k][c];
      right[r] -= factor * right[k];
    }
  }
  for (auto k = n; k-- > 0;) {
    for (std::size_t c = k + 1; c < n; ++c) right[k] -= matrix[k][c] * right[c];
    right[k] /= matrix[k][k];
  }
}

// A regular matrix, factored once with row exchange, for many right-hand sides.
class SmallFactors {
 public:
  SmallFactors() = default;
  explicit SmallFactors(const SmallMatrix& matrix) : n_(matrix.size()), pivot_(n_) {
    factors_.reserve(n_ * n_);
    for (const auto& row : matrix) factors_.insert(factors_.end(), row.begin(), row.end());
    for (std::size_t k = 0; k < n_; ++k) eliminate(k);
  }

  void solve(std::vector<double>& right) const {
    for (std::size_t k = 0; k < n_; ++k) std::swap(right[k], right[pivot_[k]]);
    for (std::size_t r = 1; r < n_; ++r)
      for (std::size_t c = 0; c < r; ++c) right[r] -= factors_[r * n_ + c] * right[c];
    for (auto r = n_; r-- > 0;) {
      for (auto c = r + 1; c < n_; ++c) right[r] -= factors_[r * n_ + c] * right[c];
      right[r] /= factors_[r * n_ + r];
    }
  }

 private:
  void eliminate(std::size_t k) {
    auto pivot = k;
    for (auto r = k + 1; r < n_; ++r)
      if (std::abs(factors_[r * n_ + k]) > std::abs(factors_[pivot * n_ + k])) pivot = r;
    pivot_[k] = pivot;
    for (std::size_t c = 0; c < n_ && pivot != k; ++c) std::swap(factors_[k * n_ + c], factors_[pivot * n_ + c]);
    for (auto r = k + 1; r < n_; ++r) {
      auto* row = &factors_[r * n_];
      if (row[k] == 0) continue;
      row[k] /= factors_[k * n_ + k];
      for (auto c = k + 1; c < n_; ++c) row[c] -= row[k] * factors_[k * n_ + c];
    }
  }

  std::size_t n_ = 0;
  std::vector<std::size_t> pivot_;
  std::vector<double> factors_;  // row by row: below the diagonal the multiples, on and above it what is left
};

}  // namespace hadar
