#include "actors/policy/solvers/direct_programs.hpp"

#include <algorithm>
#include <cmath>

#include "actors/policy/solvers/linear_program.hpp"

namespace hadar::solvers {
namespace {

// The rows every form has: one per job's time, one per type's GPUs; then one per job's utility.
struct Rows {
  std::vector<std::size_t> time, capacity, utility;
};

Rows add_rows(LinearProgram& program, const Market& market, const std::vector<double>& least) {
  Rows rows;
  for (std::size_t i = 0; i < market.jobs(); ++i) rows.time.push_back(program.add_row(-HUGE_VAL, 1));
  for (const double gpus : market.capacity) rows.capacity.push_back(program.add_row(-HUGE_VAL, gpus));
  for (const double floor : least) rows.utility.push_back(program.add_row(floor, HUGE_VAL));
  return rows;
}

Result<DirectPlan> read(const Market& market, Result<LpAnswer> answer) {
  if (!answer) return fail(std::move(answer));
  DirectPlan plan;
  plan.iterations = answer->iterations;
  plan.shares.assign(answer->columns.begin(),
                     answer->columns.begin() + static_cast<std::ptrdiff_t>(market.jobs() * market.types));
  fit(market, plan.shares);
  return plan;
}

}  // namespace

Result<DirectPlan> max_min_directly(const Market& market) {
  LinearProgram program(LinearProgram::Sense::kMaximise);
  const auto rows = add_rows(program, market, std::vector<double>(market.jobs(), 0.0));
  // Each row is divided by the job's best speed, so that its coefficients lie near 1.
  double scale = HUGE_VAL;
  for (std::size_t i = 0; i < market.jobs(); ++i) scale = std::min(scale, market.best(i));
  std::vector<LpEntry> level;
  for (std::size_t i = 0; i < market.jobs(); ++i) {
    for (std::size_t j = 0; j < market.types; ++j)
      program.add_column(0, 0, 1,
                         {{rows.time[i], 1},
                          {rows.capacity[j], market.gpus[i]},
                          {rows.utility[i], market.row(i)[j] / market.best(i)}});
    level.push_back({rows.utility[i], -scale / market.best(i)});
  }
  program.add_column(1, 0, 1, level);
  auto plan = read(market, program.solve());
  if (plan) {
    const auto reached = utility_of(market, plan->shares);
    plan->level = reached.empty() ? 0 : *std::min_element(reached.begin(), reached.end());
  }
  return plan;
}

Result<DirectPlan> max_value_directly(const Market& market, const std::vector<double>& value,
                                      const std::vector<double>& floors) {
  LinearProgram program(LinearProgram::Sense::kMaximise);
  std::vector<double> least = floors;
  for (std::size_t i = 0; i < least.size(); ++i) least[i] /= market.best(i);
  const auto rows = add_rows(program, market, least);
  for (std::size_t i = 0; i < market.jobs(); ++i)
    for (std::size_t j = 0; j < market.types; ++j) {
      std::vector<LpEntry> entries = {{rows.time[i], 1}, {rows.capacity[j], market.gpus[i]}};
      if (!floors.empty()) entries.push_back({rows.utility[i], market.row(i)[j] / market.best(i)});
      program.add_column(value[i * market.types + j], 0, 1, entries);
    }
  auto plan = read(market, program.solve());
  if (plan)
    for (std::size_t k = 0; k < plan->shares.size(); ++k) plan->value += value[k] * plan->shares[k];
  return plan;
}

}  // namespace hadar::solvers
