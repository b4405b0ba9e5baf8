#include "actors/policy/round_mechanism/cone_scaling.hpp"

#include <algorithm>
#include <cmath>

namespace hadar::embedded {
namespace {

double tail(const double* v) {
  return std::hypot(v[1], v[2]);
}

// v0^2 - v1^2 - v2^2, positive inside the cone.
double inner(const double* v) {
  return v[0] * v[0] - v[1] * v[1] - v[2] * v[2];
}

// How far along d the point `at` of a cone leaves it, as 1 / distance; not positive when it never does.
double leaves(const double* at, const double* d) {
  if (!(inner(at) > 0)) return 0;
  const auto size = std::sqrt(inner(at));
  const auto u0 = at[0] / size, u1 = at[1] / size, u2 = at[2] / size;
  const auto along = u0 * d[0] - u1 * d[1] - u2 * d[2];
  const auto factor = (along + d[0]) / (u0 + 1);
  return (std::hypot(d[1] - factor * u1, d[2] - factor * u2) - along) / size;
}

}  // namespace

ConeScaling::ConeScaling(const ConeShape& shape) : shape_(shape), linear_(shape.linear, 1.0), cones_(shape.cones) {}

std::optional<ConeScaling> ConeScaling::between(const ConeShape& shape, const Vector& s, const Vector& z) {
  ConeScaling scaling(shape);
  for (std::size_t r = 0; r < shape.linear; ++r) {
    if (!(s[r] > 0 && z[r] > 0)) return std::nullopt;
    scaling.linear_[r] = std::sqrt(s[r] / z[r]);
  }
  for (std::size_t k = 0; k < shape.cones; ++k) {
    const auto first = shape.linear + kConeRows * k;
    const auto cone = cone_between(&s[first], &z[first]);
    if (!cone) return std::nullopt;
    scaling.cones_[k] = *cone;
  }
  scaling.lambda_ = scaling.scaled(z);
  return scaling;
}

std::optional<ConeScaling::Cone> ConeScaling::cone_between(const double* s, const double* z) {
  if (!(s[0] > 0 && z[0] > 0 && inner(s) > 0 && inner(z) > 0)) return std::nullopt;
  const auto s_size = std::sqrt(inner(s));
  const auto z_size = std::sqrt(inner(z));
  double gamma = 1;
  for (std::size_t r = 0; r < kConeRows; ++r) gamma += s[r] / s_size * (z[r] / z_size);
  const auto half = 0.5 / std::sqrt(0.5 * gamma);
  Cone cone;
  cone.eta = std::sqrt(s_size / z_size);
  cone.a = half * (s[0] / s_size + z[0] / z_size);
  for (std::size_t r = 1; r < kConeRows; ++r) cone.q[r - 1] = half * (s[r] / s_size - z[r] / z_size);
  if (!expand(cone)) return std::nullopt;
  return cone;
}

// W^2 = eta^2 (diag(d1, I) + u u' - v v') (Domahidi, Chu and Boyd, ECOS, ECC 2013, section on sparse scalings); false
// where rounding denies it.
bool ConeScaling::expand(Cone& cone) {
  const auto w = cone.q[0] * cone.q[0] + cone.q[1] * cone.q[1];
  const auto one_a = 1 + cone.a;
  const auto c = one_a + w / one_a;
  const auto d = 1 + 2 / one_a + w / (one_a * one_a);
  cone.d1 = std::max(0.0, 0.5 * (cone.a * cone.a + w * (1 - c * c / (1 + w * d))));
  const auto u0_square = cone.a * cone.a + w - cone.d1;
  const auto u1_square = c * c / u0_square;
  if (!(u1_square - d > 0)) return false;
  cone.u0 = std::sqrt(u0_square);
  cone.u1 = std::sqrt(u1_square);
  cone.v1 = std::sqrt(u1_square - d);
  return true;
}

void ConeScaling::scale_cone(const Cone& cone, double* v) {
  const auto along = cone.q[0] * v[1] + cone.q[1] * v[2];
  const auto factor = v[0] + along / (1 + cone.a);
  v[0] = cone.eta * (cone.a * v[0] + along);
  for (std::size_t r = 1; r < kConeRows; ++r) v[r] = cone.eta * (v[r] + factor * cone.q[r - 1]);
}

Vector ConeScaling::scaled(const Vector& v) const {
  auto out = v;
  for (std::size_t r = 0; r < shape_.linear; ++r) out[r] *= linear_[r];
  for (std::size_t k = 0; k < shape_.cones; ++k) scale_cone(cones_[k], &out[shape_.linear + kConeRows * k]);
  return out;
}

Expanded ConeScaling::expanded(std::size_t k) const {
  const auto& cone = cones_[k];
  const auto square = cone.eta * cone.eta;
  Expanded out{};
  out[0][0] = square * cone.d1;
  out[0][4] = out[4][0] = square * cone.u0;
  for (std::size_t r = 1; r < kConeRows; ++r) {
    out[r][r] = square;
    out[r][3] = out[3][r] = square * cone.v1 * cone.q[r - 1];
    out[r][4] = out[4][r] = square * cone.u1 * cone.q[r - 1];
  }
  out[3][3] = square;
  out[4][4] = -square;
  return out;
}

void ConeScaling::add_square(const Vector& v, const Vector& extra, Vector& out, Vector& extra_out) const {
  for (std::size_t r = 0; r < shape_.linear; ++r) out[r] += linear_[r] * linear_[r] * v[r];
  for (std::size_t k = 0; k < shape_.cones; ++k) {
    const auto matrix = expanded(k);
    const auto first = shape_.linear + kConeRows * k;
    const auto more = kExpansion * k;
    for (std::size_t r = 0; r < matrix.size(); ++r) {
      double sum = 0;
      for (std::size_t c = 0; c < matrix.size(); ++c)
        sum += matrix[r][c] * (c < kConeRows ? v[first + c] : extra[more + c - kConeRows]);
      (r < kConeRows ? out[first + r] : extra_out[more + r - kConeRows]) += sum;
    }
  }
}

double ConeScaling::longest(const Vector& ds, const Vector& dz) const {
  double most = 0;
  for (std::size_t r = 0; r < shape_.linear; ++r) most = std::max({most, -ds[r] / lambda_[r], -dz[r] / lambda_[r]});
  for (auto r = shape_.linear; r < shape_.rows(); r += kConeRows)
    most = std::max({most, leaves(&lambda_[r], &ds[r]), leaves(&lambda_[r], &dz[r])});
  return most > 0 ? 1 / most : HUGE_VAL;
}

Vector ConeScaling::by_lambda(const Vector& v) const {
  auto out = v;
  for (std::size_t r = 0; r < shape_.linear; ++r) out[r] /= lambda_[r];
  for (auto r = shape_.linear; r < shape_.rows(); r += kConeRows) {
    const auto* l = &lambda_[r];
    const auto size = inner(l);
    const auto along = l[1] * v[r + 1] + l[2] * v[r + 2];
    const auto factor = (along / l[0] - v[r]) / size;
    out[r] = (l[0] * v[r] - along) / size;
    for (std::size_t k = 1; k < kConeRows; ++k) out[r + k] = factor * l[k] + v[r + k] / l[0];
  }
  return out;
}

Vector cone_product(const ConeShape& shape, const Vector& a, const Vector& b) {
  Vector out(shape.rows());
  for (std::size_t r = 0; r < shape.linear; ++r) out[r] = a[r] * b[r];
  for (auto r = shape.linear; r < shape.rows(); r += kConeRows) {
    out[r] = a[r] * b[r] + a[r + 1] * b[r + 1] + a[r + 2] * b[r + 2];
    for (std::size_t k = 1; k < kConeRows; ++k) out[r + k] = a[r] * b[r + k] + b[r] * a[r + k];
  }
  return out;
}

void add_unit(const ConeShape& shape, double by, Vector& v) {
  for (std::size_t r = 0; r < shape.linear; ++r) v[r] += by;
  for (auto r = shape.linear; r < shape.rows(); r += kConeRows) v[r] += by;
}

double outside_by(const ConeShape& shape, const Vector& v) {
  double most = -HUGE_VAL;
  for (std::size_t r = 0; r < shape.linear; ++r) most = std::max(most, -v[r]);
  for (auto r = shape.linear; r < shape.rows(); r += kConeRows) most = std::max(most, tail(&v[r]) - v[r]);
  return most;
}

}  // namespace hadar::embedded
