// The small linear program that mixes whole plans and so finds prices.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace hadar::solvers {

// A Dantzig-Wolfe master over plans of all jobs, one aggregated column per plan; rows are GPU types, usage is a
// fraction of their capacity:
//   min sum_k cost_k w_k (+ z when there is a soft row)
//   soft row:  sum_k usage_kj w_k <= z       hard row:  sum_k usage_kj w_k <= limit_j       sum_k w_k = 1, w >= 0
// A dense primal simplex, refactored at every pivot: with R types the basis has R + 1 rows.
class PriceMaster {
 public:
  // `hard[j]` says which rows are hard, `limit[j]` their right side.
  PriceMaster(std::vector<char> hard, std::vector<double> limit);

  // Adds a plan; `usage` has one number per type. The first one must meet the hard rows. Returns its index.
  std::size_t add(const std::vector<double>& usage, double cost);

  // Pivots to the optimum of the columns so far. False when the pivot limit was met or the basis became singular; the
  // point is then feasible but maybe not optimal.
  bool optimize();

  [[nodiscard]] double objective() const { return objective_; }
  // Price of a row: how much the objective falls per unit of its right side; >= 0. Soft rows' prices sum to 1.
  [[nodiscard]] const std::vector<double>& prices() const { return prices_; }
  // The plans in use and their weights, by rising index.
  [[nodiscard]] std::vector<std::pair<std::size_t, double>> weights() const;
  [[nodiscard]] std::size_t columns() const { return cost_.size(); }

 private:
  // A variable: a plan, the slack of a row, or z.
  struct Variable {
    enum Kind : unsigned char { kPlan, kSlack, kLevel } kind = kPlan;
    std::size_t index = 0;
    friend bool operator==(const Variable&, const Variable&) = default;
  };

  void start();
  void column_of(Variable variable, double* out) const;
  [[nodiscard]] double cost_of(Variable variable) const;
  bool factor();
  bool solve_values();
  void update_prices();
  bool choose(Variable& entering) const;
  bool pivot(Variable entering);
  [[nodiscard]] bool may_enter(Variable variable) const;

  std::size_t types_;
  std::size_t size_;  // rows of the basis: types and the convexity row
  std::vector<char> hard_;
  std::vector<double> limit_;
  std::vector<double> row_unit_;  // largest entry of a hard row; rows are divided by it
  bool has_level_ = false;
  // [plan * types + type]; on hard rows less the limit, with 0 on the right: as the weights sum to 1 it is the same
  // row, and plans that fill it to the last digits stay apart.
  std::vector<double> usage_;
  std::vector<double> cost_;
  double cost_scale_ = 0;
  std::vector<Variable> basis_;
  std::vector<Variable> refused_;  // would make the basis ill; left out of this call
  std::vector<double> inverse_;    // [row * size + row]
  std::vector<double> value_;      // of the basic variables
  double size_of_values_ = 1;      // the largest of them, at least 1
  std::vector<double> dual_;
  std::vector<double> prices_;
  double objective_ = 0;
};

}  // namespace hadar::solvers
