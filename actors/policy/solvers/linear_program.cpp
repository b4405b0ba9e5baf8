#include "actors/policy/solvers/linear_program.hpp"

#include <algorithm>
#include <cmath>
#include <coin/ClpSimplex.hpp>
#include <string>

namespace hadar::solvers {
namespace {

// Clp's own tolerance, tightened: with 1e-7 column generation would end with a gap of 4e-6.
constexpr double kTolerance = 1e-8;
constexpr double kWorstViolation = 1e-6;

bool is_bound(double value) {
  return !std::isnan(value);
}

}  // namespace

// What was asked is kept beside Clp's copy, so that answers are checked against it. New rows and columns wait until
// solve().
class LinearProgram::Model {
 public:
  explicit Model(Sense sense) {
    clp_.setLogLevel(0);
    clp_.setOptimizationDirection(sense == Sense::kMaximise ? -1 : 1);
    clp_.setDualTolerance(kTolerance);
    clp_.setPrimalTolerance(kTolerance);
  }

  std::size_t add_row(double lower, double upper) {
    broken_ = broken_ || !is_bound(lower) || !is_bound(upper) || lower > upper;
    row_lower_.push_back(lower);
    row_upper_.push_back(upper);
    return row_lower_.size() - 1;
  }

  std::size_t add_column(double cost, double lower, double upper, const std::vector<LpEntry>& entries) {
    broken_ = broken_ || !std::isfinite(cost) || !is_bound(lower) || !is_bound(upper) || lower > upper;
    cost_.push_back(cost);
    lower_.push_back(lower);
    upper_.push_back(upper);
    for (const auto& entry : entries) {
      broken_ = broken_ || entry.row >= row_lower_.size() || !std::isfinite(entry.value);
      row_.push_back(static_cast<int>(entry.row));
      value_.push_back(entry.value);
    }
    start_.push_back(static_cast<CoinBigIndex>(row_.size()));
    return cost_.size() - 1;
  }

  void set_cost(std::size_t column, double cost) {
    broken_ = broken_ || column >= cost_.size() || !std::isfinite(cost);
    if (broken_) return;
    cost_[column] = cost;
    if (column < known_columns()) clp_.setObjectiveCoefficient(static_cast<int>(column), cost);
  }

  void set_row(std::size_t row, double lower, double upper) {
    broken_ = broken_ || row >= row_lower_.size() || !is_bound(lower) || !is_bound(upper) || lower > upper;
    if (broken_) return;
    row_lower_[row] = lower;
    row_upper_[row] = upper;
    if (row < known_rows()) clp_.setRowBounds(static_cast<int>(row), lower, upper);
  }

  Result<LpAnswer> solve(int max_iterations) {
    if (broken_)
      return fail(ErrorCode::kInvalidArgument,
                  "linear program: a number is not finite, a bound is empty or a row unknown");
    const bool first = known_columns() == 0;
    hand_over();
    clp_.setMaximumIterations(clp_.numberIterations() + max_iterations);
    const int before = clp_.numberIterations();
    if (first)
      clp_.dual();
    else
      clp_.primal();
    // A stopped or doubtful solve gets one more try with the other method.
    if (clp_.status() != 0 && clp_.status() != 3) first ? clp_.primal() : clp_.dual();
    switch (clp_.status()) {
      case 0: break;
      case 1: return fail(ErrorCode::kInfeasible, "linear program: Clp finds no feasible point");
      case 3: return fail(ErrorCode::kInternal, "linear program: Clp met its iteration limit");
      default:
        return fail(ErrorCode::kInternal, "linear program: Clp stopped with status " + std::to_string(clp_.status()));
    }
    return checked_answer(clp_.numberIterations() - before);
  }

 private:
  [[nodiscard]] std::size_t known_rows() const { return static_cast<std::size_t>(clp_.numberRows()); }
  [[nodiscard]] std::size_t known_columns() const { return static_cast<std::size_t>(clp_.numberColumns()); }

  void hand_over() {
    const auto rows = known_rows();
    if (rows < row_lower_.size()) {
      const std::vector<CoinBigIndex> none(row_lower_.size() - rows + 1, 0);
      clp_.addRows(static_cast<int>(row_lower_.size() - rows), row_lower_.data() + rows, row_upper_.data() + rows,
                   none.data(), nullptr, nullptr);
    }
    const auto columns = known_columns();
    if (columns < cost_.size()) {
      std::vector<CoinBigIndex> starts;
      for (std::size_t k = columns; k <= cost_.size(); ++k) starts.push_back(start_[k] - start_[columns]);
      clp_.addColumns(static_cast<int>(cost_.size() - columns), lower_.data() + columns, upper_.data() + columns,
                      cost_.data() + columns, starts.data(), row_.data() + start_[columns],
                      value_.data() + start_[columns]);
    }
  }

  Result<LpAnswer> checked_answer(int iterations) {
    LpAnswer answer;
    answer.iterations = iterations;
    const double* x = clp_.primalColumnSolution();
    const double* y = clp_.dualRowSolution();
    answer.columns.assign(x, x + cost_.size());
    answer.row_duals.assign(y, y + row_lower_.size());
    std::vector<double> rows(row_lower_.size(), 0.0);
    for (std::size_t k = 0; k < cost_.size(); ++k) {
      answer.objective += cost_[k] * x[k];
      answer.violation = std::max({answer.violation, lower_[k] - x[k], x[k] - upper_[k]});
      for (auto at = start_[k]; at < start_[k + 1]; ++at)
        rows[static_cast<std::size_t>(row_[static_cast<std::size_t>(at)])] +=
            value_[static_cast<std::size_t>(at)] * x[k];
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double size = 1 + std::abs(rows[r]);
      answer.violation =
          std::max({answer.violation, (row_lower_[r] - rows[r]) / size, (rows[r] - row_upper_[r]) / size});
    }
    const auto finite = [](double number) { return std::isfinite(number); };
    if (!std::isfinite(answer.objective) || !std::all_of(answer.columns.begin(), answer.columns.end(), finite) ||
        !std::all_of(answer.row_duals.begin(), answer.row_duals.end(), finite))
      return fail(ErrorCode::kInternal, "linear program: Clp's answer is not finite");
    if (answer.violation > kWorstViolation)
      return fail(ErrorCode::kInternal,
                  "linear program: Clp's answer breaks a bound by " + std::to_string(answer.violation));
    return answer;
  }

  ClpSimplex clp_;
  std::vector<double> row_lower_, row_upper_;
  std::vector<double> cost_, lower_, upper_;
  std::vector<CoinBigIndex> start_{0};
  std::vector<int> row_;
  std::vector<double> value_;
  bool broken_ = false;
};

LinearProgram::LinearProgram(Sense sense) : model_(std::make_unique<Model>(sense)) {}
LinearProgram::LinearProgram(LinearProgram&&) noexcept = default;
LinearProgram& LinearProgram::operator=(LinearProgram&&) noexcept = default;
LinearProgram::~LinearProgram() = default;

std::size_t LinearProgram::add_row(double lower, double upper) {
  return model_->add_row(lower, upper);
}
std::size_t LinearProgram::add_column(double cost, double lower, double upper, const std::vector<LpEntry>& entries) {
  return model_->add_column(cost, lower, upper, entries);
}
void LinearProgram::set_cost(std::size_t column, double cost) {
  model_->set_cost(column, cost);
}
void LinearProgram::set_row(std::size_t row, double lower, double upper) {
  model_->set_row(row, lower, upper);
}
Result<LpAnswer> LinearProgram::solve(int max_iterations) {
  return model_->solve(max_iterations);
}

}  // namespace hadar::solvers
