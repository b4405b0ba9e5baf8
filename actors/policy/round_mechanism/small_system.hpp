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

// The inverse of a regular matrix, column by column.
inline SmallMatrix inverse_of(const SmallMatrix& matrix) {
  const auto n = matrix.size();
  SmallMatrix inverse(n, std::vector<double>(n));
  for (std::size_t c = 0; c < n; ++c) {
    auto left = matrix;
    std::vector<double> unit(n, 0.0);
    unit[c] = 1;
    solve_small(left, unit);
    for (std::size_t r = 0; r < n; ++r) inverse[r][c] = unit[r];
  }
  return inverse;
}

}  // namespace hadar
