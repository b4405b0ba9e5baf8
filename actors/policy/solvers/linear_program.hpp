// Linear programs for COIN-OR Clp: the only place that knows it.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "messages/types/result.hpp"

namespace hadar::solvers {

// One number of a sparse column.
struct LpEntry {
  std::size_t row = 0;
  double value = 0;
};

struct LpAnswer {
  double objective = 0;
  std::vector<double> columns;    // primal value of each column
  std::vector<double> row_duals;  // how much the objective changes per unit of a row's bound
  double violation = 0;           // largest break of a row or column bound, as recomputed from the columns
  int iterations = 0;             // simplex iterations of this call
};

// A linear program that may grow between solves; later solves start from the last basis. Numbers are checked on the way
// in (finite, or infinite bounds), answers on the way out (status, finite, recomputed feasibility). Single-threaded, no
// output, no time limit. Infinite bounds are +-HUGE_VAL.
class LinearProgram {
 public:
  enum class Sense : unsigned char { kMinimise, kMaximise };

  explicit LinearProgram(Sense sense);
  LinearProgram(LinearProgram&&) noexcept;
  LinearProgram& operator=(LinearProgram&&) noexcept;
  ~LinearProgram();

  // Adds a row with lower <= row <= upper. Rows come before the columns that use them. Returns its index.
  std::size_t add_row(double lower, double upper);
  // Adds a column with its bounds; entries name each row once. Returns its index.
  std::size_t add_column(double cost, double lower, double upper, const std::vector<LpEntry>& entries);
  void set_cost(std::size_t column, double cost);
  void set_row(std::size_t row, double lower, double upper);

  // Solves; `max_iterations` counts simplex iterations. Errors: kInvalidArgument (a number is not finite, an unknown
  // row), kInfeasible (no point meets the rows), kInternal (unbounded, iteration limit, an answer that fails its
  // check).
  Result<LpAnswer> solve(int max_iterations = 1000000);

 private:
  class Model;
  std::unique_ptr<Model> model_;
};

}  // namespace hadar::solvers
