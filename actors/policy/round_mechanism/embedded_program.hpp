// Share programs in the form in which CVXPY 1.1.18 hands them to ECOS, scaled as ECOS scales them.
#pragma once

#include <cstddef>
#include <vector>

#include "actors/policy/round_mechanism/central_path.hpp"

namespace hadar::embedded {

using Vector = std::vector<double>;

[[nodiscard]] double dot(const Vector& a, const Vector& b);

// A second-order cone here is {v: v0 >= |(v1, v2)|}.
constexpr std::size_t kConeRows = 3;

// Rows that must be >= 0 first, then the cones'.
struct ConeShape {
  std::size_t linear = 0;
  std::size_t cones = 0;
  [[nodiscard]] std::size_t rows() const { return linear + kConeRows * cones; }
  [[nodiscard]] std::size_t degree() const { return linear + cones; }
};

// min c'x, Gx + s = h, s in its cone. Columns: job by job its shares and, under kFinish, a bound q of 1 / utility; then
// the level, to be minimised (under kMaxMin the negative of the smallest utility). Rows: shares >= 0; job by job its
// time, its utility or finish, its floor; types' capacity; under kFinish the cone |(u - q, 2)| <= u + q, which is
// u q >= 1 (power_canon and gm of CVXPY). Rows and columns are scaled three times by the roots of their largest
// entries; the rows of a cone share the root of the sum of theirs (ECOS, Ruiz equilibration).
class Program {
 public:
  // `program` has jobs. kFinish of a single job has no level: its q is minimised.
  explicit Program(const CentralProgram& program);

  [[nodiscard]] std::size_t columns() const { return jobs * width + (level ? 1 : 0); }
  [[nodiscard]] std::size_t level_column() const { return jobs * width; }
  [[nodiscard]] std::size_t share_row(std::size_t job, std::size_t type) const { return job * types + type; }
  [[nodiscard]] std::size_t capacity_row(std::size_t type) const { return jobs * (types + own) + type; }
  // Where a job's r-th row stands: first its own, then its cone's.
  [[nodiscard]] std::size_t job_row(std::size_t job, std::size_t r) const {
    return r < own ? jobs * types + job * own + r : shape.linear + kConeRows * job + r - own;
  }
  [[nodiscard]] std::size_t job_rows() const { return own + (shape.cones > 0 ? kConeRows : 0); }
  [[nodiscard]] double* entries_of(std::size_t job, std::size_t r) { return &entries[(job * job_rows() + r) * width]; }
  [[nodiscard]] const double* entries_of(std::size_t job, std::size_t r) const {
    return &entries[(job * job_rows() + r) * width];
  }

  [[nodiscard]] Vector times(const Vector& x) const;             // Gx
  [[nodiscard]] Vector transposed_times(const Vector& z) const;  // G'z
  // The shares [job][type] of a point, in the program's own scale.
  [[nodiscard]] std::vector<Vector> shares(const Vector& x) const;

  // A job's own rows; the level has an entry in kLevelRow.
  static constexpr std::size_t kTimeRow = 0, kLevelRow = 1, kFloorRow = 2;

  std::size_t jobs, types;
  bool level;
  std::size_t width;  // columns of a job
  std::size_t own;    // own rows of a job
  ConeShape shape;
  Vector positive, capacity;  // entries of G, by share
  Vector entries;             // by job, by job_row, by column of the job
  Vector lift;                // entries of the level, by job
  Vector h, c;

 private:
  void write(const CentralProgram& program);
  void write_job(const CentralProgram& program, std::size_t job);
  void write_cone(const CentralProgram& program, std::size_t job);
  void scale();

  Vector column_scale_;
};

}  // namespace hadar::embedded
