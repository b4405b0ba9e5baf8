// The linear systems of an interior-point step on share programs, as ECOS regularises and refines them.
#pragma once

#include "actors/policy/round_mechanism/cone_scaling.hpp"
#include "actors/policy/round_mechanism/small_system.hpp"

namespace hadar::embedded {

// [r G'; G -W^2 - r] [x; z] = [a; b] with a small regularisation r. A cone's W^2 stands expanded by two unknowns, and
// refinement leaves the sign of r wrong in a cone's last row and r out of the expansion: answers are those of that
// system, so directions that the program hardly fixes come out damped, and the point where ECOS stops depends on them
// (ECOS 2.0.10, kkt_solve). Jobs hang together only by the types' capacity and the level, which make a system of
// types + 1; one solve costs jobs x (columns and rows of a job)^2.
class Kkt {
 public:
  // Both outlive this. `unit`: the scaling is the identity, and what is factored has no r beside it.
  Kkt(const Program& program, const ConeScaling& scaling, bool unit);

  // `a` by column, `b` by row; so are the answers `x` and `z`.
  void solve(const Vector& a, const Vector& b, Vector& x, Vector& z) const;

 private:
  // z by row; `extra` has the two unknowns of each cone's expansion.
  struct Unknowns {
    Vector x, z, extra;
  };
  [[nodiscard]] Unknowns solve_once(const Unknowns& right) const;
  [[nodiscard]] Unknowns fault(const Unknowns& right, const Unknowns& at) const;
  [[nodiscard]] SmallMatrix block_of(std::size_t job) const;
  void add_job(std::size_t job);
  // A job's own unknowns: its columns, its rows, its cone's expansion. A share's own row is eliminated.
  [[nodiscard]] Vector gather(const Unknowns& right, std::size_t job) const;
  void scatter(const Vector& own, std::size_t job, Unknowns& to) const;
  [[nodiscard]] double square(std::size_t row) const;

  const Program& p_;
  const ConeScaling& w_;
  double minus_;      // r beside W^2 in what is factored
  std::size_t size_;  // of a job's block
  std::size_t ties_;  // what couples the jobs: the types, then the level
  std::vector<SmallFactors> blocks_;
  std::vector<SmallMatrix> borders_;  // by job, by tie: a column of the job's block
  std::vector<SmallMatrix> solved_;   // the block's inverse times that
  SmallFactors coupling_;
};

}  // namespace hadar::embedded
