// Nesterov-Todd scalings of products of half-lines and second-order cones, and the algebra of those cones.
#pragma once

#include <array>
#include <optional>

#include "actors/policy/round_mechanism/embedded_program.hpp"

namespace hadar::embedded {

// A cone's W^2 may stand expanded by this many unknowns.
constexpr std::size_t kExpansion = 2;
using Expanded = std::array<std::array<double, kConeRows + kExpansion>, kConeRows + kExpansion>;

// The symmetric W with W z = W^-1 s = lambda for a point s, z inside the cone (Vandenberghe, The CVXOPT linear and
// quadratic cone program solvers, 2010; ECOS's cone.c). Vectors have shape.rows() entries.
class ConeScaling {
 public:
  // The identity.
  explicit ConeScaling(const ConeShape& shape);
  // Nothing when s or z is not strictly inside.
  [[nodiscard]] static std::optional<ConeScaling> between(const ConeShape& shape, const Vector& s, const Vector& z);

  [[nodiscard]] Vector scaled(const Vector& v) const;  // W v
  // W of one row that is no cone's.
  [[nodiscard]] double linear(std::size_t row) const { return linear_[row]; }
  // A cone's W^2 with two unknowns more, sparse but for the last two columns: eliminating them gives W^2.
  [[nodiscard]] Expanded expanded(std::size_t cone) const;
  // Adds W^2 v, expanded: `extra` has the further unknowns, cone by cone.
  void add_square(const Vector& v, const Vector& extra, Vector& out, Vector& extra_out) const;

  // How far the point lambda may go along both directions, given in scaled space; infinity when it never leaves.
  [[nodiscard]] double longest(const Vector& ds, const Vector& dz) const;
  [[nodiscard]] const Vector& lambda() const { return lambda_; }
  [[nodiscard]] Vector by_lambda(const Vector& v) const;  // u with lambda o u = v

 private:
  struct Cone {
    double eta = 1;
    double a = 1;
    std::array<double, kConeRows - 1> q = {};
    double d1 = 1, u0 = 0, u1 = 0, v1 = 0;  // of the expansion diag(d1, I), v = (0, v1 q), u = (u0, u1 q)
  };
  [[nodiscard]] static bool expand(Cone& cone);
  [[nodiscard]] static std::optional<Cone> cone_between(const double* s, const double* z);
  static void scale_cone(const Cone& cone, double* v);

  ConeShape shape_;
  Vector linear_;
  std::vector<Cone> cones_;
  Vector lambda_;
};

// The cones' product a o b.
[[nodiscard]] Vector cone_product(const ConeShape& shape, const Vector& a, const Vector& b);

// Adds `by` times the unit of that product.
void add_unit(const ConeShape& shape, double by, Vector& v);

// The least amount of the unit that v lacks to be in the cone; negative inside.
[[nodiscard]] double outside_by(const ConeShape& shape, const Vector& v);

}  // namespace hadar::embedded
