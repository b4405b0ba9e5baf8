#include "actors/policy/round_mechanism/embedded_kkt.hpp"

#include <algorithm>
#include <cmath>

namespace hadar::embedded {
namespace {

// ECOS's settings.
constexpr double kRegular = 7e-8;
constexpr int kMostRefinements = 9;
constexpr double kAccuracy = 1e-14;
constexpr double kWorthwhile = 6;  // a refinement must divide the fault by this for another one to follow

double largest(const Vector& v) {
  double most = 0;
  for (const auto value : v) most = std::max(most, std::abs(value));
  return most;
}

void add(double times, const Vector& more, Vector& v) {
  for (std::size_t k = 0; k < v.size(); ++k) v[k] += times * more[k];
}

}  // namespace

Kkt::Kkt(const Program& program, const ConeScaling& scaling, bool unit)
    : p_(program),
      w_(scaling),
      minus_(unit ? 0 : kRegular),
      size_(program.width + program.job_rows() + (program.shape.cones > 0 ? kExpansion : 0)),
      ties_(program.types + (program.level ? 1 : 0)) {
  for (std::size_t i = 0; i < p_.jobs; ++i) add_job(i);
  SmallMatrix coupling(ties_, Vector(ties_, 0.0));
  for (std::size_t j = 0; j < p_.types; ++j) coupling[j][j] = -square(p_.capacity_row(j));
  if (p_.level) coupling[p_.types][p_.types] = kRegular;
  for (std::size_t i = 0; i < p_.jobs; ++i)
    for (std::size_t t = 0; t < ties_; ++t)
      for (std::size_t u = 0; u < ties_; ++u) coupling[t][u] -= dot(borders_[i][t], solved_[i][u]);
  coupling_ = SmallFactors(std::move(coupling));
}

// W^2 of a row that is no cone's, as factored.
double Kkt::square(std::size_t row) const {
  return w_.linear(row) * w_.linear(row) + minus_;
}

SmallMatrix Kkt::block_of(std::size_t i) const {
  SmallMatrix block(size_, Vector(size_, 0.0));
  const auto n = p_.width;
  for (std::size_t k = 0; k < n; ++k) block[k][k] = kRegular;
  for (std::size_t j = 0; j < p_.types; ++j) {
    const auto entry = p_.positive[i * p_.types + j];
    block[j][j] += entry * entry / square(p_.share_row(i, j));
  }
  for (std::size_t r = 0; r < p_.job_rows(); ++r)
    for (std::size_t k = 0; k < n; ++k) block[n + r][k] = block[k][n + r] = p_.entries_of(i, r)[k];
  for (std::size_t r = 0; r < p_.own; ++r) block[n + r][n + r] = -square(p_.job_row(i, r));
  if (p_.shape.cones == 0) return block;
  const auto cone = w_.expanded(i);
  const auto first = n + p_.own;
  for (std::size_t r = 0; r < cone.size(); ++r) {
    for (std::size_t k = 0; k < cone.size(); ++k) block[first + r][first + k] = -cone[r][k];
    if (r < kConeRows) block[first + r][first + r] -= minus_;
  }
  block[size_ - 1][size_ - 1] += minus_;
  return block;
}

void Kkt::add_job(std::size_t i) {
  SmallMatrix border(ties_, Vector(size_, 0.0));
  for (std::size_t j = 0; j < p_.types; ++j) border[j][j] = p_.capacity[i * p_.types + j];
  if (p_.level) border[p_.types][p_.width + Program::kLevelRow] = p_.lift[i];
  blocks_.emplace_back(block_of(i));
  solved_.push_back(border);
  for (auto& column : solved_.back()) blocks_.back().solve(column);
  borders_.push_back(std::move(border));
}

void Kkt::solve(const Vector& a, const Vector& b, Vector& x, Vector& z) const {
  const Unknowns right{a, b, Vector(kExpansion * p_.shape.cones, 0.0)};
  const auto enough = kAccuracy * (1 + std::max(largest(a), largest(b)));
  auto at = solve_once(right);
  double before = HUGE_VAL;
  Unknowns more;
  for (int pass = 0;; ++pass) {
    const auto rest = fault(right, at);
    const auto size = std::max({largest(rest.x), largest(rest.z), largest(rest.extra)});
    const bool worse = pass > 0 && size > before;
    if (worse) {
      add(-1, more.x, at.x);
      add(-1, more.z, at.z);
    }
    if (worse || pass == kMostRefinements || size < enough || (pass > 0 && before < kWorthwhile * size)) break;
    before = size;
    more = solve_once(rest);
    add(1, more.x, at.x);
    add(1, more.z, at.z);
    add(1, more.extra, at.extra);
  }
  x = std::move(at.x);
  z = std::move(at.z);
}

// What refinement takes for the fault, wrong sign in the cones' last rows included.
Kkt::Unknowns Kkt::fault(const Unknowns& right, const Unknowns& at) const {
  auto rest = right;
  add(-1, p_.transposed_times(at.z), rest.x);
  add(-kRegular, at.x, rest.x);
  add(-1, p_.times(at.x), rest.z);
  add(kRegular, at.z, rest.z);
  for (auto last = p_.shape.linear + kConeRows - 1; last < p_.shape.rows(); last += kConeRows)
    rest.z[last] -= 2 * kRegular * at.z[last];
  w_.add_square(at.z, at.extra, rest.z, rest.extra);
  return rest;
}

Kkt::Unknowns Kkt::solve_once(const Unknowns& right) const {
  Vector force(ties_);
  for (std::size_t j = 0; j < p_.types; ++j) force[j] = right.z[p_.capacity_row(j)];
  if (p_.level) force[p_.types] = right.x[p_.level_column()];
  SmallMatrix own;
  own.reserve(p_.jobs);
  for (std::size_t i = 0; i < p_.jobs; ++i) {
    own.push_back(gather(right, i));
    for (std::size_t t = 0; t < ties_; ++t) force[t] -= dot(solved_[i][t], own[i]);
  }
  coupling_.solve(force);
  Unknowns out{Vector(right.x.size()), Vector(right.z.size()), Vector(right.extra.size())};
  for (std::size_t i = 0; i < p_.jobs; ++i) {
    for (std::size_t t = 0; t < ties_; ++t) add(-force[t], borders_[i][t], own[i]);
    blocks_[i].solve(own[i]);
    scatter(own[i], i, out);
    for (std::size_t j = 0; j < p_.types; ++j) {
      const auto row = p_.share_row(i, j);
      out.z[row] = (p_.positive[i * p_.types + j] * own[i][j] - right.z[row]) / square(row);
    }
  }
  for (std::size_t j = 0; j < p_.types; ++j) out.z[p_.capacity_row(j)] = force[j];
  if (p_.level) out.x[p_.level_column()] = force[p_.types];
  return out;
}

Vector Kkt::gather(const Unknowns& right, std::size_t i) const {
  Vector own(size_, 0.0);
  for (std::size_t k = 0; k < p_.width; ++k) own[k] = right.x[i * p_.width + k];
  for (std::size_t j = 0; j < p_.types; ++j) {
    const auto row = p_.share_row(i, j);
    own[j] += p_.positive[i * p_.types + j] * right.z[row] / square(row);
  }
  for (std::size_t r = 0; r < p_.job_rows(); ++r) own[p_.width + r] = right.z[p_.job_row(i, r)];
  for (auto k = p_.width + p_.job_rows(); k < size_; ++k)
    own[k] = right.extra[kExpansion * i + k - p_.width - p_.job_rows()];
  return own;
}

void Kkt::scatter(const Vector& own, std::size_t i, Unknowns& to) const {
  for (std::size_t k = 0; k < p_.width; ++k) to.x[i * p_.width + k] = own[k];
  for (std::size_t r = 0; r < p_.job_rows(); ++r) to.z[p_.job_row(i, r)] = own[p_.width + r];
  for (auto k = p_.width + p_.job_rows(); k < size_; ++k)
    to.extra[kExpansion * i + k - p_.width - p_.job_rows()] = own[k];
}

}  // namespace hadar::embedded
