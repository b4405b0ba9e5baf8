// A point near the optimum of the makespan program, in the middle of what its rows allow.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "actors/policy/solvers/market.hpp"

namespace hadar {

// Primal-dual Newton steps along the central path of
//   max t:  sum_j u_ij x_ij >= t,  sum_j x_ij <= 1,  sum_i gpus_i x_ij <= capacity_j,  x >= 0.
// Every job must fit some type; utilities near 1 keep the numbers tame. R is the number of types when known at compile
// time, 0 otherwise. x stays inside all rows; the duals' equations are met on the way. A step is O(jobs types^3): only
// the prices and t couple the jobs.
template <std::size_t R>
class CentralPath {
 public:
  explicit CentralPath(const solvers::Market& market);

  // Walks to where x is about (gap + grain t) short of the optimum, relative. Returns the number of steps.
  int walk(double gap, double grain);

  [[nodiscard]] double level() const { return level_; }
  // Dual variable of a job's first row; they sum to 1.
  [[nodiscard]] double share(std::size_t job) const { return at(job)[types()].dual; }

 private:
  static constexpr int kMostSteps = 80;
  static constexpr double kShrink = 0.1;       // of the mean product, per step
  static constexpr double kNearBorder = 0.95;  // how much of the way to the first zero a step goes
  static constexpr double kCentred = 1.2;      // where to end: the mean product within this factor of the wanted one,
  static constexpr double kExact = 1e-6;       // and the sum of shares within this of 1

  // A row's slack and its dual variable.
  struct Row {
    double slack = 1;
    double dual = 1;
    double slack_step = 0;
    double dual_step = 0;

    [[nodiscard]] double product() const { return slack * dual; }
    // With the dual's change that brings the product to `target`, to first order.
    void set_step(double change, double target) {
      slack_step = change;
      dual_step = (target - dual * change) / slack - dual;
    }
  };

  [[nodiscard]] std::size_t types() const { return R == 0 ? market_.types : R; }
  // Of a job: x by type with the reduced costs; then its work row; then its time row.
  [[nodiscard]] Row* at(std::size_t job) { return rows_.data() + job * (types() + 2); }
  [[nodiscard]] const Row* at(std::size_t job) const { return rows_.data() + job * (types() + 2); }
  // Of a job: the factors of its block, [row * types + column] and the inverse diagonal; then D^-1 g and D^-1 u.
  [[nodiscard]] double* block_of(std::size_t job) { return blocks_.data() + job * types() * (types() + 3); }

  [[nodiscard]] double mean_product() const;
  [[nodiscard]] double sum_of_shares() const;
  void factor(std::size_t job, double* block) const;
  void solve(const double* block, double* x) const;
  void add_to_system(std::size_t job, double target);
  void solve_system();
  void set_steps(double target);
  void move();

  const solvers::Market& market_;
  double level_ = 0;
  double count_ = 0;  // rows in all
  std::vector<Row> rows_;
  std::vector<Row> gpus_;  // capacity rows: their duals are the prices
  std::vector<double> blocks_;
  std::vector<double> system_;  // in the changes of prices and t, [row * (types + 1) + column]
  std::vector<double> right_;
  std::vector<double> x_;
};

template <std::size_t R>
CentralPath<R>::CentralPath(const solvers::Market& market)
    : market_(market),
      rows_(market.jobs() * (types() + 2)),
      gpus_(types()),
      blocks_(market.jobs() * types() * (types() + 3)),
      right_(types() + 1),
      x_(types()) {
  const auto n = types();
  double gpus = 0;
  for (const double gang : market.gpus) gpus += gang;
  for (std::size_t j = 0; j < n; ++j) gpus_[j].slack = market.capacity[j];
  count_ = static_cast<double>(n + 2 * market.jobs());
  level_ = HUGE_VAL;
  for (std::size_t i = 0; i < market.jobs(); ++i) {
    Row* row = at(i);
    double utility = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double u = market.row(i)[j];
      row[j] = {};
      if (u <= 0) continue;
      count_ += 1;
      const double part = 0.5 * std::min(1.0 / static_cast<double>(n), market.capacity[j] / gpus);
      row[j].slack = part;
      row[n + 1].slack -= part;
      gpus_[j].slack -= market.gpus[i] * part;
      utility += u * part;
    }
    row[n].slack = utility;
    level_ = std::min(level_, 0.5 * utility);
  }
  double inverse = 0;
  for (std::size_t i = 0; i < market.jobs(); ++i) inverse += 1 / (at(i)[n].slack -= level_);
  for (auto* all : {&rows_, &gpus_})
    for (auto& row : *all) row.dual = 1 / (inverse * row.slack);
}

template <std::size_t R>
double CentralPath<R>::mean_product() const {
  const auto n = types();
  double sum = 0;
  for (const auto& row : gpus_) sum += row.product();
  for (std::size_t i = 0; i < market_.jobs(); ++i) {
    const Row* row = at(i);
    for (std::size_t j = 0; j < n; ++j)
      if (market_.row(i)[j] > 0) sum += row[j].product();
    sum += row[n].product() + row[n + 1].product();
  }
  return sum / count_;
}

template <std::size_t R>
double CentralPath<R>::sum_of_shares() const {
  double sum = 0;
  for (std::size_t i = 0; i < market_.jobs(); ++i) sum += share(i);
  return sum;
}

template <std::size_t R>
int CentralPath<R>::walk(double gap, double grain) {
  for (int steps = 0; steps < kMostSteps; ++steps) {
    const double wanted = (gap + grain * level_) * level_ / count_;
    const double now = mean_product();
    if (now <= kCentred * wanted && std::abs(sum_of_shares() - 1) <= kExact) return steps;
    const double target = std::max(kShrink * now, wanted);
    system_.assign((types() + 1) * (types() + 1), 0.0);
    std::fill(right_.begin(), right_.end(), 0.0);
    right_[types()] = -1;
    for (std::size_t i = 0; i < market_.jobs(); ++i) add_to_system(i, target);
    for (std::size_t j = 0; j < types(); ++j) {
      system_[j * (types() + 2)] += gpus_[j].slack / gpus_[j].dual;
      right_[j] += target / gpus_[j].dual - gpus_[j].slack;
    }
    solve_system();
    set_steps(target);
    move();
  }
  return kMostSteps;
}

// D = diag(z / x) + (m / p) 1 1' + (w / q) u u' of one job as L E L'. (Woodbury's formula loses all digits here.)
template <std::size_t R>
void CentralPath<R>::factor(std::size_t job, double* block) const {
  const auto n = types();
  const Row* row = at(job);
  const double* u = market_.row(job);
  double* inverse = block + n * n;
  const double work = row[n].dual / row[n].slack;
  const double time = row[n + 1].dual / row[n + 1].slack;
  for (std::size_t j = 0; j < n; ++j) {
    double pivot = u[j] > 0 ? row[j].dual / row[j].slack + time + work * u[j] * u[j] : 1;
    for (std::size_t k = 0; k < j; ++k) {
      double sum = u[j] > 0 && u[k] > 0 ? time + work * u[j] * u[k] : 0;
      for (std::size_t m = 0; m < k; ++m) sum -= block[j * n + m] * block[m * n + k];
      block[k * n + j] = sum;  // above the diagonal: L E, turned over
      block[j * n + k] = sum * inverse[k];
      pivot -= sum * block[j * n + k];
    }
    inverse[j] = 1 / pivot;
  }
}

// x = D^-1 x
template <std::size_t R>
void CentralPath<R>::solve(const double* block, double* x) const {
  const auto n = types();
  for (std::size_t j = 1; j < n; ++j)
    for (std::size_t k = 0; k < j; ++k) x[j] -= block[j * n + k] * x[k];
  for (std::size_t j = n; j-- > 0;) {
    x[j] *= block[n * n + j];
    for (std::size_t k = j + 1; k < n; ++k) x[j] -= block[k * n + j] * x[k];
  }
}

// Eliminates a job's shares: what is left of its equations in the changes of the prices and of t.
template <std::size_t R>
void CentralPath<R>::add_to_system(std::size_t job, double target) {
  const auto n = types();
  const Row* row = at(job);
  const double* u = market_.row(job);
  const double gang = market_.gpus[job];
  double* block = block_of(job);
  double* g = block + n * (n + 1);
  double* d_u = g + n;
  factor(job, block);
  for (std::size_t j = 0; j < n; ++j) {
    g[j] = u[j] <= 0 ? 0
                     : target / row[j].slack - target / row[n + 1].slack + target / row[n].slack * u[j] -
                           gang * gpus_[j].dual;
    d_u[j] = u[j];
  }
  solve(block, g);
  solve(block, d_u);
  const double work = row[n].dual / row[n].slack;
  double u_g = 0;
  double u_u = 0;
  for (std::size_t j = 0; j < n; ++j) {
    u_g += u[j] * g[j];
    u_u += u[j] * d_u[j];
    right_[j] += gang * g[j];
    system_[j * (n + 1) + n] -= gang * work * d_u[j];
    system_[n * (n + 1) + j] -= gang * work * d_u[j];
    if (u[j] <= 0) continue;
    for (std::size_t k = 0; k < n; ++k) x_[k] = 0;
    x_[j] = gang * gang;
    solve(block, x_.data());
    for (std::size_t k = 0; k < n; ++k) system_[k * (n + 1) + j] += x_[k];
  }
  system_[n * (n + 2)] += work * work * u_u - work;
  right_[n] += target / row[n].slack - work * u_g;
}

// By elimination with row pivoting; the answer replaces right_.
template <std::size_t R>
void CentralPath<R>::solve_system() {
  const auto size = types() + 1;
  for (std::size_t column = 0; column < size; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < size; ++row)
      if (std::abs(system_[row * size + column]) > std::abs(system_[pivot * size + column])) pivot = row;
    for (std::size_t k = 0; k < size; ++k) std::swap(system_[pivot * size + k], system_[column * size + k]);
    std::swap(right_[pivot], right_[column]);
    for (std::size_t row = column + 1; row < size; ++row) {
      const double factor = system_[row * size + column] / system_[column * size + column];
      for (std::size_t k = column; k < size; ++k) system_[row * size + k] -= factor * system_[column * size + k];
      right_[row] -= factor * right_[column];
    }
  }
  for (std::size_t row = size; row-- > 0;) {
    for (std::size_t k = row + 1; k < size; ++k) right_[row] -= system_[row * size + k] * right_[k];
    right_[row] /= system_[row * size + row];
  }
}

template <std::size_t R>
void CentralPath<R>::set_steps(double target) {
  const auto n = types();
  for (auto& row : gpus_) row.slack_step = 0;
  for (std::size_t i = 0; i < market_.jobs(); ++i) {
    Row* row = at(i);
    const double* u = market_.row(i);
    const double gang = market_.gpus[i];
    const double* block = block_of(i);
    const double* g = block + n * (n + 1);
    const double work = row[n].dual / row[n].slack * right_[n];
    for (std::size_t j = 0; j < n; ++j) x_[j] = u[j] > 0 ? -gang * right_[j] : 0;
    solve(block, x_.data());
    double sum = 0;
    double utility = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (u[j] <= 0) continue;
      const double change = x_[j] + g[j] + work * g[n + j];
      row[j].set_step(change, target);
      sum += change;
      utility += u[j] * change;
      gpus_[j].slack_step -= gang * change;
    }
    row[n].set_step(utility - right_[n], target);
    row[n + 1].set_step(-sum, target);
  }
  for (auto& row : gpus_) row.set_step(row.slack_step, target);
}

template <std::size_t R>
void CentralPath<R>::move() {
  double slack_part = 1;
  double dual_part = 1;
  for (const auto* all : {&rows_, &gpus_})
    for (const auto& row : *all) {
      if (row.slack_step < 0) slack_part = std::min(slack_part, -kNearBorder * row.slack / row.slack_step);
      if (row.dual_step < 0) dual_part = std::min(dual_part, -kNearBorder * row.dual / row.dual_step);
    }
  for (auto* all : {&rows_, &gpus_})
    for (auto& row : *all) {
      row.slack += slack_part * row.slack_step;
      row.dual += dual_part * row.dual_step;
    }
  level_ += slack_part * right_[types()];
}

}  // namespace hadar
