#include "actors/policy/solvers/price_master.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "messages/types/check.hpp"

namespace hadar::solvers {
namespace {

constexpr int kMaxPivots = 500;
constexpr double kReducedCost = 1e-13;  // relative to the objective
constexpr double kLeastUnit = 1e-13;    // of a hard row: what full rows differ by from rounding alone
constexpr double kFull = 1e-9;          // of a limit: a first plan that takes this much more fills it but for rounding
constexpr double kPivot = 1e-9;         // of the largest candidate
constexpr double kTie = 1e-13;          // of the largest value: variables that come this close to 0 do so together
constexpr double kNegative = 1e-7;  // of the largest value: a variable further below 0 says that the basis is too ill

}  // namespace

PriceMaster::PriceMaster(std::vector<char> hard, std::vector<double> limit)
    : types_(hard.size()),
      size_(hard.size() + 1),
      hard_(std::move(hard)),
      limit_(std::move(limit)),
      row_unit_(types_, 1.0),
      prices_(types_, 0.0) {
  HADAR_REQUIRE(limit_.size() == types_);
  for (std::size_t j = 0; j < types_; ++j)
    if (hard_[j] != 0) row_unit_[j] = kLeastUnit;
  has_level_ = std::any_of(hard_.begin(), hard_.end(), [](char is_hard) { return is_hard == 0; });
}

std::size_t PriceMaster::add(const std::vector<double>& usage, double cost) {
  HADAR_REQUIRE(usage.size() == types_);
  bool rescaled = false;
  for (std::size_t j = 0; j < types_; ++j) {
    usage_.push_back(hard_[j] != 0 ? usage[j] - limit_[j] : usage[j]);
    if (hard_[j] == 0 || std::abs(usage_.back()) <= row_unit_[j]) continue;
    row_unit_[j] = std::abs(usage_.back());
    rescaled = true;
  }
  cost_.push_back(cost);
  cost_scale_ = std::max(cost_scale_, std::abs(cost));
  if (cost_.size() == 1)
    start();
  else if (rescaled)
    HADAR_ENSURE(factor());
  return cost_.size() - 1;
}

// The first plan alone: it fills the convexity row; z is set by the fullest soft row, slacks fill the other rows.
void PriceMaster::start() {
  basis_.resize(size_);
  std::size_t fullest = types_;
  for (std::size_t j = 0; j < types_; ++j) {
    basis_[j] = {Variable::kSlack, j};
    if (hard_[j] != 0) {
      HADAR_REQUIRE(usage_[j] <= kFull * std::max(1.0, limit_[j]));
      usage_[j] = std::min(usage_[j], 0.0);
    }
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
      for (std::size_t j = 0; j < types_; ++j) out[j] = usage_[variable.index * types_ + j] / row_unit_[j];
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
  if (!solve_values()) return false;
  update_prices();
  return true;
}

// Basic values, with one step of refinement: plans can be alike to 1e-6, which costs the inverse as many digits.
bool PriceMaster::solve_values() {
  const std::size_t n = size_;
  std::vector<double> residual(n, 0.0);
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
  size_of_values_ = std::max(1.0, *std::max_element(value_.begin(), value_.end()));
  if (*std::min_element(value_.begin(), value_.end()) < -kNegative * size_of_values_) return false;
  objective_ = 0;
  for (std::size_t k = 0; k < n; ++k) {
    value_[k] = std::max(value_[k], 0.0);
    objective_ += cost_of(basis_[k]) * value_[k];
  }
  return true;
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
    dual_[j] /= row_unit_[j];
    prices_[j] = std::max(-dual_[j], 0.0);
    if (hard_[j] == 0) soft += prices_[j];
  }
  // A bound read at these prices is one only if the soft ones sum to 1; rounding and the clipping above may break that.
  if (has_level_ && soft > 0)
    for (auto& price : prices_) price /= soft;
}

bool PriceMaster::may_enter(Variable variable) const {
  return std::find(basis_.begin(), basis_.end(), variable) == basis_.end() &&
         std::find(refused_.begin(), refused_.end(), variable) == refused_.end();
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
    if (reduced < best && may_enter({Variable::kPlan, k})) {
      best = reduced;
      entering = {Variable::kPlan, k};
      found = true;
    }
  }
  for (std::size_t j = 0; j < types_; ++j) {
    if (-dual_[j] < best && may_enter({Variable::kSlack, j})) {
      best = -dual_[j];
      entering = {Variable::kSlack, j};
      found = true;
    }
  }
  return found;
}

// The basic variable that reaches 0 first leaves; among those that do so together, the one with the largest pivot,
// which keeps the basis well conditioned.
bool PriceMaster::pivot(Variable entering) {
  std::vector<double> column(size_);
  std::vector<double> move(size_, 0.0);
  column_of(entering, column.data());
  double largest = 0;
  for (std::size_t k = 0; k < size_; ++k) {
    for (std::size_t r = 0; r < size_; ++r) move[k] += inverse_[k * size_ + r] * column[r];
    if (basis_[k].kind != Variable::kLevel) largest = std::max(largest, move[k]);
  }
  const double least = kPivot * std::max(largest, 1e-3);
  double step = std::numeric_limits<double>::infinity();
  const double slack = kTie * size_of_values_;
  for (std::size_t k = 0; k < size_; ++k)
    if (move[k] > least && basis_[k].kind != Variable::kLevel) step = std::min(step, (value_[k] + slack) / move[k]);
  std::size_t leaving = size_;
  for (std::size_t k = 0; k < size_; ++k)
    if (move[k] > least && basis_[k].kind != Variable::kLevel && value_[k] <= step * move[k] &&
        (leaving == size_ || move[k] > move[leaving]))
      leaving = k;
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
  refused_.clear();
  for (int pivots = 0; pivots < kMaxPivots; ++pivots) {
    if (!choose(entering)) return refused_.empty();
    if (!pivot(entering)) refused_.push_back(entering);
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
