#include "actors/policy/solvers/group_program.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "actors/policy/solvers/linear_program.hpp"

namespace hadar::solvers {
namespace {

// The columns of pairs, behind those of the groups alone and of the level.
std::vector<std::array<std::size_t, 3>> add_pairs(const GroupMarket& market, LinearProgram& program) {
  const auto groups = market.groups();
  std::vector<std::array<std::size_t, 3>> columns;
  for (std::size_t a = 0; a < groups; ++a)
    for (std::size_t b = a; b < groups; ++b) {
      const auto& speeds = market.beside[market.at(a, b)];
      for (std::size_t j = 0; j < speeds.size(); ++j) {
        if (speeds[j][0] <= 0 && speeds[j][1] <= 0) continue;
        if (a == b)
          program.add_column(0, 0, HUGE_VAL,
                             {{a, 2 * speeds[j][0]}, {groups + a, 2}, {2 * groups + j, market.gpus[a]}});
        else
          program.add_column(0, 0, HUGE_VAL,
                             {{a, speeds[j][0]},
                              {b, speeds[j][1]},
                              {groups + a, 1},
                              {groups + b, 1},
                              {2 * groups + j, market.gpus[a]}});
        columns.push_back({a, b, j});
      }
    }
  return columns;
}

}  // namespace

std::optional<GroupAnswer> solve_groups(const GroupMarket& market) {
  const auto groups = market.groups();
  const auto alone = groups * market.types;
  LinearProgram program(LinearProgram::Sense::kMaximise);
  for (std::size_t a = 0; a < groups; ++a) program.add_row(0, HUGE_VAL);
  for (std::size_t a = 0; a < groups; ++a) program.add_row(-HUGE_VAL, market.size[a]);
  for (const double gpus : market.capacity) program.add_row(-HUGE_VAL, gpus);
  std::vector<LpEntry> level;
  for (std::size_t a = 0; a < groups; ++a) {
    level.push_back({a, -market.size[a]});
    for (std::size_t j = 0; j < market.types; ++j)
      program.add_column(0, 0, HUGE_VAL,
                         {{a, market.alone[a * market.types + j]}, {groups + a, 1}, {2 * groups + j, market.gpus[a]}});
  }
  // As many units as jobs keep the duals above Clp's tolerance.
  program.add_column(std::accumulate(market.size.begin(), market.size.end(), 0.0), 0, HUGE_VAL, level);
  const auto columns = add_pairs(market, program);
  const auto answer = program.solve();
  if (!answer) return std::nullopt;
  GroupAnswer out;
  out.row_duals = answer->row_duals;
  out.iterations = answer->iterations;
  out.level = answer->columns[alone];
  out.alone.assign(answer->columns.begin(), answer->columns.begin() + static_cast<std::ptrdiff_t>(alone));
  for (auto& mass : out.alone) mass = std::max(mass, 0.0);
  out.beside.assign(groups * groups * market.types, 0.0);
  for (std::size_t k = 0; k < columns.size(); ++k)
    out.beside[market.at(columns[k][0], columns[k][1]) * market.types + columns[k][2]] = answer->columns[alone + 1 + k];
  return out;
}

}  // namespace hadar::solvers
