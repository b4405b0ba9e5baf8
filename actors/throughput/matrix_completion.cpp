#include "actors/throughput/matrix_completion.hpp"

#include <cmath>
#include <random>
#include <string>

namespace hadar {
namespace {

using Rows = std::vector<std::vector<double>>;

// Numbers from 0 to 1, the same on every machine. Speeds are positive: factors of mixed signs can settle where whole
// rows have the wrong sign.
Rows drawn(std::size_t rows, std::size_t rank, std::mt19937_64& random) {
  Rows factor(rows, std::vector<double>(rank));
  for (auto& row : factor)
    for (auto& cell : row) cell = static_cast<double>(random() >> 11) * 0x1.0p-53;
  return factor;
}

// Solves a x = b in place by Cholesky; `a` is symmetric and positive definite, of which the lower half is read.
void solve(Rows& a, std::vector<double>& b) {
  const auto n = b.size();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k)
      for (std::size_t i = j; i < n; ++i) a[i][j] -= a[i][k] * a[j][k];
    const double root = std::sqrt(a[j][j]);
    for (std::size_t i = j; i < n; ++i) a[i][j] /= root;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

// One side of the alternation: each row of `left` by least squares against `right`, over that row's known cells.
void fit_rows(const PartialMatrix& known, const Rows& right, double penalty, Rows& left) {
  const auto rank = left.front().size();
  for (std::size_t i = 0; i < left.size(); ++i) {
    Rows a(rank, std::vector<double>(rank, 0));
    std::vector<double> b(rank, 0);
    for (std::size_t k = 0; k < rank; ++k) a[k][k] = penalty;
    for (std::size_t j = 0; j < right.size(); ++j) {
      if (!known[i][j]) continue;
      for (std::size_t k = 0; k < rank; ++k) {
        b[k] += *known[i][j] * right[j][k];
        for (std::size_t l = 0; l <= k; ++l) a[k][l] += right[j][k] * right[j][l];
      }
    }
    solve(a, b);
    left[i] = std::move(b);
  }
}

PartialMatrix transposed(const PartialMatrix& known) {
  PartialMatrix other(known.front().size(), std::vector<std::optional<double>>(known.size()));
  for (std::size_t i = 0; i < known.size(); ++i)
    for (std::size_t j = 0; j < other.size(); ++j) other[j][i] = known[i][j];
  return other;
}

Status check(const PartialMatrix& known, const CompletionSettings& settings) {
  const auto wrong = [](const std::string& what) { return fail(ErrorCode::kInvalidArgument, "complete: " + what); };
  if (known.empty() || known.front().empty()) return wrong("got no cells, must be at least one row and one column");
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i].size() != known.front().size())
      return wrong("row " + std::to_string(i) + " has " + std::to_string(known[i].size()) + " cells, must be " +
                   std::to_string(known.front().size()));
  if (settings.rank == 0) return wrong("rank: got 0, must be at least 1");
  if (!(settings.penalty > 0)) return wrong("penalty: must be above 0");
  return {};
}

}  // namespace

Result<Rows> complete(const PartialMatrix& known, const CompletionSettings& settings) {
  if (auto right = check(known, settings); !right) return tl::unexpected<Error>(right.error());
  const auto columns = transposed(known);
  std::mt19937_64 random(settings.seed);
  auto left = drawn(known.size(), settings.rank, random);
  auto right = drawn(columns.size(), settings.rank, random);
  Rows filled(known.size(), std::vector<double>(columns.size(), 0));
  for (std::size_t round = 0; round < settings.iterations; ++round) {
    fit_rows(known, right, settings.penalty, left);
    fit_rows(columns, left, settings.penalty, right);
    double change = 0;
    for (std::size_t i = 0; i < filled.size(); ++i)
      for (std::size_t j = 0; j < columns.size(); ++j) {
        const double cell = dot(left[i], right[j]);
        change += (cell - filled[i][j]) * (cell - filled[i][j]);
        filled[i][j] = cell;
      }
    if (std::sqrt(change) < settings.tolerance * static_cast<double>(filled.size() * columns.size())) break;
  }
  return filled;
}

}  // namespace hadar
