#include "actors/policy/solvers/price_master.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "messages/types/check.hpp"

namespace hadar::solvers {
namespace {

constexpr int kMaxPivots = 500;
constexpr double kReducedCost = 1e-13;  // relative to the objective
constexpr double kPivot = 1e-12;

}  // namespace

PriceMaster::PriceMaster(std::vector<char> hard, std::vector<double> limit)
    : types_(hard.size()),
      size_(hard.size() + 1),
      hard_(std::move(hard)),
      limit_(std::move(limit)),
      prices_(types_, 0.0) {
  HADAR_REQUIRE(limit_.size() == types_);
  has_level_ = std::any_of(hard_.begin(), hard_.end(), [](char is_hard) { return is_hard == 0; });
}

std::size_t PriceMaster::add(const std::vector<double>& usage, double cost) {
  HADAR_REQUIRE(usage.size() == types_);
  usage_.insert(usage_.end(), usage.begin(), usage.end());
  cost_.push_back(cost);
  cost_scale_ = std::max(cost_scale_, std::abs(cost));
  if (cost_.size() == 1) start();
  return cost_.size() - 1;
}

// The first plan alone: it fills the convexity row; z is set by the fullest soft row, slacks fill the other rows.
void PriceMaster::start() {
  basis_.resize(size_);
  std::size_t fullest = types_;
  for (std::size_t j = 0; j < types_; ++j) {
    basis_[j] = {Variable::kSlack, j};
    if (hard_[j] == 0 && (fullest == types_ || usage_[j] > usage_[fullest])) fullest = j;
  }
  if (fullest < types_) basis_[fullest] = {Variable::kLevel, 0};
  basis_[types_] = {Variable::kPlan, 0};
  HADAR_ENSURE(factor());
}

void PriceMaster::column_of(Variable variable, double* out) const {
  std::fill(out, out + size_, 0.0);
  switch (variable.kind) {
    case Variable::kPlan:
      std::copy_n(usage_.data() + variable.index * types_, types_, out);
      out[types_] = 1;
      break;
    case Variable::kSlack: out[variable.index] = 1; break;
    case Variable::kLevel:
      for (std::size_t j = 0; j < types_; ++j)
        if (hard_[j] == 0) out[j] = -1;
      break;
  }
}

double PriceMaster::cost_of(Variable variable) const {
  switch (variable.kind) {
    case Variable::kPlan: return cost_[variable.index];
    case Variable::kSlack: return 0;
    case Variable::kLevel: return 1;
  }
  return 0;
}

// Inverts the basis by Gauss-Jordan with partial pivoting and reads the basic values. False leaves everything as it
// was.
bool PriceMaster::factor() {
  const std::size_t n = size_;
  std::vector<double> left(n * n);
  std::vector<double> right(n * n, 0.0);
  std::vector<double> column(n);
  for (std::size_t k = 0; k < n; ++k) {
    column_of(basis_[k], column.data());
    for (std::size_t r = 0; r < n; ++r) left[r * n + k] = column[r];
    right[k * n + k] = 1;
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t r = k + 1; r < n; ++r)
      if (std::abs(left[r * n + k]) > std::abs(left[best * n + k])) best = r;
    const double head = left[best * n + k];
    if (!(std::abs(head) > 1e-300)) return false;
    for (std::size_t c = 0; c < n; ++c) {
      std::swap(left[k * n + c], left[best * n + c]);
      std::swap(right[k * n + c], right[best * n + c]);
      left[k * n + c] /= head;
      right[k * n + c] /= head;
    }
    for (std::size_t r = 0; r < n; ++r) {
      const double factor = left[r * n + k];
      if (r == k || factor == 0) continue;
      for (std::size_t c = 0; c < n; ++c) {
        left[r * n + c] -= factor * left[k * n + c];
        right[r * n + c] -= factor * right[k * n + c];
      }
    }
  }
  inverse_ = std::move(right);
  solve_values();
  update_prices();
  return true;
}

// Basic values, with one step of refinement: plans can be alike to 1e-6, which costs the inverse as many digits.
void PriceMaster::solve_values() {
  const std::size_t n = size_;
  std::vector<double> residual(n, 0.0);
  for (std::size_t j = 0; j < types_; ++j) residual[j] = hard_[j] != 0 ? limit_[j] : 0;
  residual[types_] = 1;
  const auto right = residual;
  value_.assign(n, 0.0);
  std::vector<double> column(n);
  for (int step = 0; step < 2; ++step) {
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t r = 0; r < n; ++r) value_[k] += inverse_[k * n + r] * residual[r];
    if (step == 1) break;
    residual = right;
    for (std::size_t k = 0; k < n; ++k) {
      column_of(basis_[k], column.data());
      for (std::size_t r = 0; r < n; ++r) residual[r] -= column[r] * value_[k];
    }
  }
  objective_ = 0;
  for (std::size_t k = 0; k < n; ++k) {
    value_[k] = std::max(value_[k], 0.0);
    objective_ += cost_of(basis_[k]) * value_[k];
  }
}

void PriceMaster::update_prices() {
  dual_.assign(size_, 0.0);
  for (std::size_t k = 0; k < size_; ++k) {
    const double cost = cost_of(basis_[k]);
    if (cost == 0) continue;
    for (std::size_t r = 0; r < size_; ++r) dual_[r] += cost * inverse_[k * size_ + r];
  }
  double soft = 0;
  for (std::size_t j = 0; j < types_; ++j) {
    prices_[j] = std::max(-dual_[j], 0.0);
    if (hard_[j] == 0) soft += prices_[j];
  }
  // A bound read at these prices is one only if the soft ones sum to 1; rounding and the clipping above may break that.
  if (has_level_ && soft > 0)
    for (auto& price : prices_) price /= soft;
}

bool PriceMaster::is_basic(Variable variable) const {
  return std::find(basis_.begin(), basis_.end(), variable) != basis_.end();
}

// The most negative reduced cost, if any is below the threshold.
bool PriceMaster::choose(Variable& entering) const {
  const double threshold = -kReducedCost * std::max({std::abs(objective_), cost_scale_, 1e-300});
  double best = threshold;
  bool found = false;
  for (std::size_t k = 0; k < cost_.size(); ++k) {
    double reduced = cost_[k] - dual_[types_];
    const double* usage = usage_.data() + k * types_;
    for (std::size_t j = 0; j < types_; ++j) reduced -= dual_[j] * usage[j];
    if (reduced < best && !is_basic({Variable::kPlan, k})) {
      best = reduced;
      entering = {Variable::kPlan, k};
      found = true;
    }
  }
  for (std::size_t j = 0; j < types_; ++j) {
    if (-dual_[j] < best && !is_basic({Variable::kSlack, j})) {
      best = -dual_[j];
      entering = {Variable::kSlack, j};
      found = true;
    }
  }
  return found;
}

bool PriceMaster::pivot(Variable entering) {
  std::vector<double> column(size_);
  column_of(entering, column.data());
  std::size_t leaving = size_;
  double step = std::numeric_limits<double>::infinity();
  double head = 0;
  for (std::size_t k = 0; k < size_; ++k) {
    double move = 0;
    for (std::size_t r = 0; r < size_; ++r) move += inverse_[k * size_ + r] * column[r];
    if (move <= kPivot || basis_[k].kind == Variable::kLevel) continue;
    const double ratio = value_[k] / move;
    if (ratio < step || (ratio == step && move > head)) {
      leaving = k;
      step = ratio;
      head = move;
    }
  }
  if (leaving == size_) return false;
  const auto old = basis_[leaving];
  basis_[leaving] = entering;
  if (factor()) return true;
  basis_[leaving] = old;
  HADAR_ENSURE(factor());
  return false;
}

bool PriceMaster::optimize() {
  Variable entering;
  for (int pivots = 0; pivots < kMaxPivots; ++pivots) {
    if (!choose(entering)) return true;
    if (!pivot(entering)) return false;
  }
  return false;
}

std::vector<std::pair<std::size_t, double>> PriceMaster::weights() const {
  std::vector<std::pair<std::size_t, double>> out;
  for (std::size_t k = 0; k < size_; ++k)
    if (basis_[k].kind == Variable::kPlan && value_[k] > 0) out.emplace_back(basis_[k].index, value_[k]);
  std::sort(out.begin(), out.end());
  double sum = 0;
  for (const auto& [index, weight] : out) sum += weight;
  for (auto& entry : out) entry.second /= sum;
  return out;
}

}  // namespace hadar::solvers
