#include "actors/policy/round_mechanism/embedded_path.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "actors/policy/round_mechanism/small_system.hpp"
#include "messages/types/check.hpp"

namespace hadar {
namespace {

// ECOS's settings.
constexpr int kScalings = 3;
constexpr double kNoScale = 1e-6;
constexpr double kTolerance = 1e-8;
constexpr double kReduced = 5e-5;
constexpr int kMostSteps = 100;
constexpr double kStepShare = 0.99;
constexpr double kLongestStep = 0.999;
constexpr double kShortestStep = 1e-6;
constexpr double kLeastSigma = 1e-4;

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
double norm(const Vector& a) {
  return std::sqrt(dot(a, a));
}

// min c'x, Gx + s = h, s >= 0. Columns: shares job by job, then the level (its negative is maximised). Rows: shares >=
// 0, types' capacity, jobs' time, jobs' utility, jobs' floors.
class Program {
 public:
  explicit Program(const CentralProgram& p)
      : jobs(p.gpus.size()),
        types(p.capacity.size()),
        level(p.goal == CentralGoal::kMaxMin),
        utilities(p.goal != CentralGoal::kSum),
        floors(p.goal == CentralGoal::kMaxMin && !p.floor.empty()) {
    const auto cells = jobs * types;
    positive.assign(cells, -1);
    capacity.resize(cells);
    time.assign(cells, 1);
    utility.assign(cells, 0);
    held.assign(cells, 0);
    lift.assign(jobs, level ? -1 : 0);
    h.assign(rows(), 0);
    c.assign(columns(), 0);
    for (std::size_t i = 0; i < jobs; ++i)
      for (std::size_t j = 0; j < types; ++j) {
        capacity[i * types + j] = p.gpus[i];
        if (utilities) utility[i * types + j] = -p.value[i][j];
        if (floors) held[i * types + j] = -p.value[i][j];
        if (!utilities) c[i * types + j] = -p.value[i][j];
      }
    for (std::size_t j = 0; j < types; ++j) h[cells + j] = p.capacity[j];
    for (std::size_t i = 0; i < jobs; ++i) {
      h[cells + types + i] = 1;
      if (p.goal == CentralGoal::kFloors) h[cells + types + jobs + i] = -p.floor[i];
      if (!p.head_start.empty()) h[cells + types + jobs + i] = p.head_start[i];
      if (floors) h[cells + types + 2 * jobs + i] = -p.floor[i];
    }
    if (level) c[cells] = 1;
    scale();
  }

  [[nodiscard]] std::size_t columns() const { return jobs * types + (level ? 1 : 0); }
  [[nodiscard]] std::size_t rows() const {
    return jobs * types + types + jobs + (utilities ? jobs : 0) + (floors ? jobs : 0);
  }

  [[nodiscard]] Vector times(const Vector& x) const {  // G x
    Vector out(rows(), 0.0);
    const auto cells = jobs * types;
    for (std::size_t i = 0; i < jobs; ++i)
      for (std::size_t j = 0; j < types; ++j) {
        const auto k = i * types + j;
        out[k] = positive[k] * x[k];
        out[cells + j] += capacity[k] * x[k];
        out[cells + types + i] += time[k] * x[k];
        if (utilities) out[cells + types + jobs + i] += utility[k] * x[k];
        if (floors) out[cells + types + 2 * jobs + i] += held[k] * x[k];
      }
    for (std::size_t i = 0; level && i < jobs; ++i) out[cells + types + jobs + i] += lift[i] * x[cells];
    return out;
  }

  [[nodiscard]] Vector transposed_times(const Vector& z) const {  // G' z
    Vector out(columns(), 0.0);
    const auto cells = jobs * types;
    for (std::size_t i = 0; i < jobs; ++i)
      for (std::size_t j = 0; j < types; ++j) {
        const auto k = i * types + j;
        out[k] = positive[k] * z[k] + capacity[k] * z[cells + j] + time[k] * z[cells + types + i];
        if (utilities) out[k] += utility[k] * z[cells + types + jobs + i];
        if (floors) out[k] += held[k] * z[cells + types + 2 * jobs + i];
      }
    for (std::size_t i = 0; level && i < jobs; ++i) out[cells] += lift[i] * z[cells + types + jobs + i];
    return out;
  }

  std::size_t jobs, types;
  bool level, utilities, floors;
  Vector positive, capacity, time, utility, held;  // entries of G by share
  Vector lift;                                     // those of the level's column, by job
  Vector h, c;
  Vector column_scale;

 private:
  // The largest entry of every row and column.
  void largest(Vector& row, Vector& column) const {
    const auto cells = jobs * types;
    row.assign(rows(), 0);
    column.assign(columns(), 0);
    const auto see = [&](std::size_t r, std::size_t k, double entry) {
      row[r] = std::max(row[r], std::abs(entry));
      column[k] = std::max(column[k], std::abs(entry));
    };
    for (std::size_t i = 0; i < jobs; ++i)
      for (std::size_t j = 0; j < types; ++j) {
        const auto k = i * types + j;
        see(k, k, positive[k]);
        see(cells + j, k, capacity[k]);
        see(cells + types + i, k, time[k]);
        if (utilities) see(cells + types + jobs + i, k, utility[k]);
        if (floors) see(cells + types + 2 * jobs + i, k, held[k]);
      }
    for (std::size_t i = 0; level && i < jobs; ++i) see(cells + types + jobs + i, cells, lift[i]);
  }

  void scale() {
    const auto cells = jobs * types;
    column_scale.assign(columns(), 1);
    Vector row_scale(rows(), 1);
    for (int pass = 0; pass < kScalings; ++pass) {
      Vector row, column;
      largest(row, column);
      for (auto* values : {&row, &column})
        for (auto& value : *values) value = value < kNoScale ? 1 : std::sqrt(value);
      for (std::size_t i = 0; i < jobs; ++i)
        for (std::size_t j = 0; j < types; ++j) {
          const auto k = i * types + j;
          positive[k] /= row[k] * column[k];
          capacity[k] /= row[cells + j] * column[k];
          time[k] /= row[cells + types + i] * column[k];
          if (utilities) utility[k] /= row[cells + types + jobs + i] * column[k];
          if (floors) held[k] /= row[cells + types + 2 * jobs + i] * column[k];
        }
      for (std::size_t i = 0; level && i < jobs; ++i) lift[i] /= row[cells + types + jobs + i] * column[cells];
      for (std::size_t r = 0; r < rows(); ++r) row_scale[r] *= row[r];
      for (std::size_t k = 0; k < columns(); ++k) column_scale[k] *= column[k];
    }
    for (std::size_t r = 0; r < rows(); ++r) h[r] /= row_scale[r];
    for (std::size_t k = 0; k < columns(); ++k) c[k] /= column_scale[k];
  }
};

// [0 G'; G -V] [x; z] = [a; b] with V diagonal, by G' V^-1 G x = a + G' V^-1 b. Jobs hang together only by the types'
// capacity and the level, which make a system of types + 1.
class Kkt {
 public:
  Kkt(const Program& p, Vector v) : p_(p), v_(std::move(v)) {
    const auto cells = p.jobs * p.types;
    const auto n = p.types + (p.level ? 1 : 0);
    small_.assign(n, Vector(n, 0.0));
    for (std::size_t j = 0; j < p.types; ++j) small_[j][j] = v_[cells + j];
    for (std::size_t i = 0; i < p.jobs; ++i) {
      SmallMatrix block(p.types, Vector(p.types));
      const auto time_v = v_[cells + p.types + i];
      const auto use_v = p.utilities ? v_[cells + p.types + p.jobs + i] : 1;
      const auto held_v = p.floors ? v_[cells + p.types + 2 * p.jobs + i] : 1;
      for (std::size_t j = 0; j < p.types; ++j)
        for (std::size_t k = 0; k < p.types; ++k) {
          const auto a = i * p.types + j;
          const auto b = i * p.types + k;
          block[j][k] =
              p.time[a] * p.time[b] / time_v + p.utility[a] * p.utility[b] / use_v + p.held[a] * p.held[b] / held_v;
          if (j == k) block[j][k] += p.positive[a] * p.positive[a] / v_[a];
        }
      inverse_.push_back(inverse_of(std::move(block)));
      borders_.push_back(border(i, use_v));
      if (p.level) small_[p.types][p.types] -= p.lift[i] * p.lift[i] / use_v;
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t l = 0; l < n; ++l) small_[k][l] += bilinear(i, borders_[i][k], borders_[i][l]);
    }
  }

  void solve(const Vector& a, const Vector& b, Vector& x, Vector& z) const {
    Vector by_v(b.size());
    for (std::size_t r = 0; r < b.size(); ++r) by_v[r] = b[r] / v_[r];
    auto right = p_.transposed_times(by_v);
    for (std::size_t k = 0; k < right.size(); ++k) right[k] += a[k];
    x = normal(right);
    // One step of refinement against the whole system.
    for (int pass = 0; pass < 2; ++pass) {
      z = p_.times(x);
      for (std::size_t r = 0; r < z.size(); ++r) z[r] = (z[r] - b[r]) / v_[r];
      auto rest = p_.transposed_times(z);
      for (std::size_t k = 0; k < rest.size(); ++k) rest[k] = a[k] - rest[k];
      const auto more = normal(rest);
      for (std::size_t k = 0; k < x.size(); ++k) x[k] += more[k];
    }
    z = p_.times(x);
    for (std::size_t r = 0; r < z.size(); ++r) z[r] = (z[r] - b[r]) / v_[r];
  }

 private:
  // What couples a job to the others: one vector a type, one for the level.
  [[nodiscard]] SmallMatrix border(std::size_t i, double use_v) const {
    SmallMatrix border;
    for (std::size_t j = 0; j < p_.types; ++j) {
      border.emplace_back(p_.types, 0.0);
      border.back()[j] = p_.capacity[i * p_.types + j];
    }
    if (!p_.level) return border;
    border.emplace_back(p_.types);
    for (std::size_t j = 0; j < p_.types; ++j) border.back()[j] = p_.utility[i * p_.types + j] * p_.lift[i] / use_v;
    return border;
  }

  [[nodiscard]] double bilinear(std::size_t i, const Vector& a, const Vector& b) const {
    double sum = 0;
    for (std::size_t j = 0; j < p_.types; ++j)
      for (std::size_t k = 0; k < p_.types; ++k) sum += a[j] * inverse_[i][j][k] * b[k];
    return sum;
  }

  // x of B x + sum_j capacity_j y_j + level column t = right; V_j y_j = capacity_j' x.
  [[nodiscard]] Vector normal(const Vector& right) const {
    const auto n = small_.size();
    Vector force(n, 0.0);
    for (std::size_t i = 0; i < p_.jobs; ++i) {
      const Vector mine(right.begin() + static_cast<std::ptrdiff_t>(i * p_.types),
                        right.begin() + static_cast<std::ptrdiff_t>((i + 1) * p_.types));
      for (std::size_t k = 0; k < n; ++k) force[k] += bilinear(i, borders_[i][k], mine);
    }
    if (p_.level) force[p_.types] -= right[p_.jobs * p_.types];
    auto matrix = small_;
    solve_small(matrix, force);
    Vector x(right.size(), 0.0);
    for (std::size_t i = 0; i < p_.jobs; ++i)
      for (std::size_t j = 0; j < p_.types; ++j)
        for (std::size_t l = 0; l < p_.types; ++l) {
          double rest = right[i * p_.types + l];
          for (std::size_t k = 0; k < n; ++k) rest -= borders_[i][k][l] * force[k];
          x[i * p_.types + j] += inverse_[i][j][l] * rest;
        }
    if (p_.level) x[p_.jobs * p_.types] = force[p_.types];
    return x;
  }

  const Program& p_;
  Vector v_;
  std::vector<SmallMatrix> inverse_;  // by job
  std::vector<SmallMatrix> borders_;  // by job
  SmallMatrix small_;
};

// To the inside of the cone, at least one beyond its wall when it was outside.
Vector into_cone(Vector r) {
  double shift = -kStepShare;
  for (const auto value : r)
    if (value <= 0) shift = std::max(shift, -value);
  for (auto& value : r) value += shift + 1;
  return r;
}

class Embedding {
 public:
  explicit Embedding(const Program& p) : p_(p) {
    const Kkt kkt(p, Vector(p.rows(), 1.0));
    Vector r, ignored;
    kkt.solve(Vector(p.columns(), 0.0), p.h, x_, r);
    for (auto& value : r) value = -value;
    s_ = into_cone(std::move(r));
    auto minus_c = p.c;
    for (auto& value : minus_c) value = -value;
    Vector z;
    kkt.solve(minus_c, Vector(p.rows(), 0.0), ignored, z);
    z_ = into_cone(std::move(z));
  }

  // False when it does not settle, not even to ECOS's reduced accuracy. Where rounding spoils a late step, the point
  // before it is taken.
  bool run() {
    for (int step = 0; step < kMostSteps; ++step) {
      residuals();
      if (settled(kTolerance)) return true;
      const auto x = x_;
      const auto tau = tau_;
      const auto fault = norm(rx_);
      const bool close = settled(kReduced);
      bool better = advance();
      if (better && close) {
        residuals();
        better = norm(rx_) <= fault;
      }
      if (better) continue;
      x_ = x;
      tau_ = tau;
      return close;
    }
    return false;
  }

  [[nodiscard]] Vector answer() const {
    auto x = x_;
    for (std::size_t k = 0; k < x.size(); ++k) x[k] /= tau_ * p_.column_scale[k];
    return x;
  }

 private:
  void residuals() {
    rx_ = p_.transposed_times(z_);
    for (std::size_t k = 0; k < rx_.size(); ++k) rx_[k] = -rx_[k] - p_.c[k] * tau_;
    rz_ = p_.times(x_);
    for (std::size_t r = 0; r < rz_.size(); ++r) rz_[r] += s_[r] - p_.h[r] * tau_;
    cost_ = dot(p_.c, x_);
    price_ = dot(p_.h, z_);
    rt_ = kappa_ + cost_ + price_;
    gap_ = dot(s_, z_);
    mu_ = (gap_ + kappa_ * tau_) / (static_cast<double>(p_.rows()) + 1);
  }

  [[nodiscard]] bool settled(double tolerance) const {
    const auto relative = [&] {
      if (cost_ / tau_ < 0) return gap_ / (-cost_ / tau_);
      if (-price_ / tau_ > 0) return gap_ / (-price_ / tau_);
      return HUGE_VAL;
    };
    const auto primal = norm(rz_) / std::max(std::max(1.0, norm(p_.h)) + norm(x_) + norm(s_), 1.0) / tau_;
    const auto dual = norm(rx_) / std::max(std::max(1.0, norm(p_.c)) + norm(z_), 1.0) / tau_;
    return (-cost_ > 0 || -price_ >= -tolerance) && primal < tolerance && dual < tolerance &&
           (gap_ < tolerance || relative() < tolerance);
  }

  // Steps are measured in the scaled space, where s and z are the same point.
  [[nodiscard]] double longest(const Vector& ds, const Vector& dz, double dtau, double dkappa) const {
    double least = 0;
    for (std::size_t r = 0; r < ds.size(); ++r) least = std::min({least, ds[r] / lambda_[r], dz[r] / lambda_[r]});
    double length = least < 0 ? 1 / -least : HUGE_VAL;
    if (dtau < 0) length = std::min(length, -tau_ / dtau);
    if (dkappa < 0) length = std::min(length, -kappa_ / dkappa);
    return std::clamp(length, kShortestStep, kLongestStep);
  }

  bool advance() {
    const auto rows = p_.rows();
    Vector v(rows), w(rows);
    lambda_.resize(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      v[r] = s_[r] / z_[r];
      w[r] = std::sqrt(v[r]);
      lambda_[r] = std::sqrt(s_[r] * z_[r]);
    }
    const Kkt kkt(p_, v);
    auto minus_c = p_.c;
    for (auto& value : minus_c) value = -value;
    Vector x1, z1, x2, z2;
    kkt.solve(minus_c, p_.h, x1, z1);
    const auto slope = kappa_ / tau_ - dot(p_.c, x1) - dot(p_.h, z1);

    Vector right(rows), dz(rows), ds(rows);
    for (std::size_t r = 0; r < rows; ++r) right[r] = s_[r] - rz_[r];
    kkt.solve(rx_, right, x2, z2);
    const auto tau_aff = (rt_ - kappa_ + dot(p_.c, x2) + dot(p_.h, z2)) / slope;
    for (std::size_t r = 0; r < rows; ++r) {
      dz[r] = w[r] * (z2[r] + tau_aff * z1[r]);
      ds[r] = -dz[r] - lambda_[r];
    }
    const auto kappa_aff = -kappa_ - kappa_ / tau_ * tau_aff;
    const auto sigma = std::clamp(std::pow(1 - longest(ds, dz, tau_aff, kappa_aff), 3), kLeastSigma, 1.0);

    Vector centring(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      centring[r] = (lambda_[r] * lambda_[r] + ds[r] * dz[r] - sigma * mu_) / lambda_[r];
      right[r] = -(1 - sigma) * rz_[r] + w[r] * centring[r];
    }
    auto left = rx_;
    for (auto& value : left) value *= 1 - sigma;
    kkt.solve(left, right, x2, z2);
    const auto bend = kappa_ * tau_ + kappa_aff * tau_aff - sigma * mu_;
    const auto dtau = ((1 - sigma) * rt_ - bend / tau_ + dot(p_.c, x2) + dot(p_.h, z2)) / slope;
    const auto dkappa = -(bend + kappa_ * dtau) / tau_;
    for (std::size_t r = 0; r < rows; ++r) {
      z2[r] += dtau * z1[r];
      dz[r] = w[r] * z2[r];
      ds[r] = -(centring[r] + dz[r]);
    }
    const auto length = kStepShare * longest(ds, dz, dtau, dkappa);
    for (std::size_t k = 0; k < x_.size(); ++k) x_[k] += length * (x2[k] + dtau * x1[k]);
    for (std::size_t r = 0; r < rows; ++r) {
      s_[r] += length * w[r] * ds[r];
      z_[r] += length * z2[r];
    }
    tau_ += length * dtau;
    kappa_ += length * dkappa;
    return std::isfinite(tau_) && tau_ > 0 &&
           std::all_of(s_.begin(), s_.end(), [](double value) { return value > 0; }) &&
           std::all_of(z_.begin(), z_.end(), [](double value) { return value > 0; });
  }

  const Program& p_;
  Vector x_, s_, z_, lambda_, rx_, rz_;
  double tau_ = 1, kappa_ = 1;
  double cost_ = 0, price_ = 0, rt_ = 0, gap_ = 0, mu_ = 0;
};

}  // namespace

std::optional<CentralAnswer> follow_embedded_path(const CentralProgram& program) {
  HADAR_REQUIRE(program.goal != CentralGoal::kFinish);
  if (program.gpus.empty()) return CentralAnswer{};
  const Program scaled(program);
  Embedding embedding(scaled);
  if (!embedding.run()) return std::nullopt;
  const auto x = embedding.answer();
  CentralAnswer answer;
  answer.level = program.goal == CentralGoal::kSum ? 0 : HUGE_VAL;
  for (std::size_t i = 0; i < program.gpus.size(); ++i) {
    const auto at = x.begin() + static_cast<std::ptrdiff_t>(i * program.capacity.size());
    answer.share.emplace_back(at, at + static_cast<std::ptrdiff_t>(program.capacity.size()));
    const auto utility =
        std::inner_product(answer.share[i].begin(), answer.share[i].end(), program.value[i].begin(), 0.0);
    if (program.goal != CentralGoal::kSum) answer.level = std::min(answer.level, utility);
  }
  return answer;
}

}  // namespace hadar
