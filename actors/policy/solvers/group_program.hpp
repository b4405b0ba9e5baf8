// Max-min with pairs over groups of jobs that run alike: a small program whatever the number of jobs.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace hadar::solvers {

// Groups as the program sees them; utilities in units, so that every job's demand is the same level.
struct GroupMarket {
  std::size_t types = 0;
  std::vector<double> capacity;  // GPUs by type
  std::vector<double> size;      // jobs, by group
  std::vector<double> gpus;      // gang size, by group
  std::vector<double> alone;     // [group * types + type]
  // [a * groups + b], a <= b: by type, utilities of a's job beside b's and of b's beside a's; empty = no such pairs.
  std::vector<std::vector<std::array<double, 2>>> beside;

  [[nodiscard]] std::size_t groups() const { return size.size(); }
  [[nodiscard]] std::size_t at(std::size_t a, std::size_t b) const { return a * groups() + b; }
};

// Masses are sums over a group's jobs, or over the pairs of two groups.
struct GroupAnswer {
  double level = 0;               // each job's utility
  std::vector<double> alone;      // [group * types + type]
  std::vector<double> beside;     // [(a, b) * types + type]
  std::vector<double> row_duals;  // utility rows, time rows, capacity rows
  int iterations = 0;
};

// The largest level. By symmetry it is that of the jobs themselves where they are alike inside their groups. nullopt
// when Clp does not solve it.
std::optional<GroupAnswer> solve_groups(const GroupMarket& market);

// Visits the members of two groups pair by pair so that everyone has the same time in sum (north-west corner):
// visit(i, k, part of the mass). Inside one group: a ring.
template <class Visit>
void spread_mass(std::size_t left, std::size_t right, bool same, const Visit& visit) {
  if (same) {
    for (std::size_t k = 0; k < left; ++k) visit(k, (k + 1) % left, 1 / static_cast<double>(left));
    return;
  }
  double row = 1 / static_cast<double>(left);
  double column = 1 / static_cast<double>(right);
  for (std::size_t i = 0, k = 0; i < left && k < right;) {
    const double share = row < column ? row : column;
    if (share > 0) visit(i, k, share);
    row -= share;
    column -= share;
    if (row <= column) {
      ++i;
      row = 1 / static_cast<double>(left);
    } else {
      ++k;
      column = 1 / static_cast<double>(right);
    }
  }
}

}  // namespace hadar::solvers
