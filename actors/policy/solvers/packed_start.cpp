#include "actors/policy/solvers/packed_start.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "actors/policy/solvers/linear_program.hpp"

namespace hadar::solvers {
namespace {

constexpr double kMass = 1e-7;    // of a group pair worth spreading
constexpr double kAlike = 1e-12;  // relative difference of speeds that counts as none
constexpr double kSlack = 1e-2;   // a partner's gain may be below 0 by this, over the number of jobs
constexpr std::size_t kPartners = 2;

class GroupStart {
 public:
  GroupStart(const PackedMarket& market, const JobGroups& groups, const std::vector<double>& unit)
      : market_(market), groups_(groups), unit_(unit), types_(market.alone.types), count_(groups.members.size()) {
    average();
  }

  // Whether every job and pair equals the mean of its group, and no pair is missing.
  [[nodiscard]] bool alike() const {
    const auto same = [](double a, double b) { return std::abs(a - b) <= kAlike * std::max(std::abs(a), std::abs(b)); };
    for (std::size_t i = 0; i < market_.alone.jobs(); ++i)
      for (std::size_t j = 0; j < types_; ++j)
        if (!same(market_.alone.row(i)[j] / unit_[i], alone_[groups_.group_of[i] * types_ + j])) return false;
    for (std::size_t a = 0; a < count_; ++a)
      for (std::size_t b = a; b < count_; ++b) {
        const double pairs = cells_[at(a, b)].pairs;
        if (pairs != 0 && pairs != (a == b ? size(a) * (size(a) - 1) / 2 : size(a) * size(b))) return false;
      }
    for (std::size_t p = 0; p < market_.pairs.size(); ++p) {
      const auto& pair = market_.pairs[p];
      const auto a = groups_.group_of[pair.a];
      const auto b = groups_.group_of[pair.b];
      const auto& mean = cells_[at(std::min(a, b), std::max(a, b))].speed;
      for (std::size_t j = 0; j < types_; ++j) {
        const auto& speed = market_.pair_utility[p * types_ + j];
        if (!same(speed[0] / unit_[pair.a], mean[j][a > b ? 1 : 0]) ||
            !same(speed[1] / unit_[pair.b], mean[j][a > b ? 0 : 1]))
          return false;
      }
    }
    return true;
  }

  std::optional<PackedPlan> exact() {
    if (!alike() || !solve()) return std::nullopt;
    index_pairs();
    PackedPlan plan;
    plan.upper = level_;
    plan.iterations = iterations_;
    plan.alone.resize(market_.alone.jobs() * types_);
    for (std::size_t i = 0; i < market_.alone.jobs(); ++i)
      for (std::size_t j = 0; j < types_; ++j)
        plan.alone[i * types_ + j] = alone_mass_[groups_.group_of[i] * types_ + j] / size(groups_.group_of[i]);
    for (std::size_t a = 0; a < count_; ++a)
      for (std::size_t b = a; b < count_; ++b)
        for (std::size_t j = 0; j < types_; ++j) share_out(a, b, j, plan);
    std::sort(plan.together.begin(), plan.together.end(), [](const PackedShare& l, const PackedShare& r) {
      return std::pair(l.pair, l.type) < std::pair(r.pair, r.type);
    });
    std::size_t kept = 0;  // two groups' corner walks and a ring of two may name a column twice
    for (const auto& share : plan.together) {
      if (kept > 0 && plan.together[kept - 1].pair == share.pair && plan.together[kept - 1].type == share.type)
        plan.together[kept - 1].share += share.share;
      else
        plan.together[kept++] = share;
    }
    plan.together.resize(kept);
    plan.columns = kept;
    return plan;
  }

  std::vector<PackedColumn> run() {
    if (!solve()) return {};
    index_pairs();
    for (std::size_t a = 0; a < count_; ++a)
      for (std::size_t b = a; b < count_; ++b) spread(a, b);
    add_partners();
    return std::move(out_);
  }

 private:
  // Mean speeds in units, by (group, group): of the first group's jobs beside the second's, and how many pairs there
  // are.
  struct Cell {
    std::vector<std::array<double, 2>> speed;  // by type
    double pairs = 0;
  };

  [[nodiscard]] std::size_t at(std::size_t a, std::size_t b) const { return a * count_ + b; }

  void average() {
    alone_.assign(count_ * types_, 0.0);
    for (std::size_t i = 0; i < market_.alone.jobs(); ++i)
      for (std::size_t j = 0; j < types_; ++j)
        alone_[groups_.group_of[i] * types_ + j] +=
            market_.alone.row(i)[j] / unit_[i] / static_cast<double>(groups_.members[groups_.group_of[i]].size());
    cells_.assign(count_ * count_, {});
    for (std::size_t p = 0; p < market_.pairs.size(); ++p) {
      const auto& pair = market_.pairs[p];
      auto a = groups_.group_of[pair.a];
      auto b = groups_.group_of[pair.b];
      const bool swapped = a > b;
      if (swapped) std::swap(a, b);
      auto& cell = cells_[at(a, b)];
      if (cell.speed.empty()) cell.speed.assign(types_, {0, 0});
      cell.pairs += 1;
      for (std::size_t j = 0; j < types_; ++j) {
        const auto& speed = market_.pair_utility[p * types_ + j];
        cell.speed[j][swapped ? 1 : 0] += speed[0] / unit_[pair.a];
        cell.speed[j][swapped ? 0 : 1] += speed[1] / unit_[pair.b];
      }
    }
    for (std::size_t a = 0; a < count_; ++a)
      for (std::size_t b = a; b < count_; ++b)
        for (auto& speed : cells_[at(a, b)].speed) {
          speed[0] /= cells_[at(a, b)].pairs;
          speed[1] /= cells_[at(a, b)].pairs;
          if (a == b) speed[0] = speed[1] = (speed[0] + speed[1]) / 2;
        }
  }

  bool solve() {
    LinearProgram program(LinearProgram::Sense::kMaximise);
    for (std::size_t a = 0; a < count_; ++a) program.add_row(0, HUGE_VAL);
    for (std::size_t a = 0; a < count_; ++a) program.add_row(-HUGE_VAL, size(a));
    for (const double gpus : market_.alone.capacity) program.add_row(-HUGE_VAL, gpus);
    std::vector<LpEntry> level;
    for (std::size_t a = 0; a < count_; ++a) {
      level.push_back({a, -size(a)});
      for (std::size_t j = 0; j < types_; ++j)
        program.add_column(0, 0, HUGE_VAL, {{a, alone_[a * types_ + j]}, {count_ + a, 1}, {2 * count_ + j, gpus(a)}});
    }
    program.add_column(static_cast<double>(market_.alone.jobs()), 0, HUGE_VAL, level);
    std::vector<std::array<std::size_t, 3>> columns;
    const std::size_t first = count_ * types_ + 1;
    for (std::size_t a = 0; a < count_; ++a)
      for (std::size_t b = a; b < count_; ++b) {
        const auto& cell = cells_[at(a, b)];
        for (std::size_t j = 0; j < cell.speed.size(); ++j) {
          if (cell.speed[j][0] <= 0 && cell.speed[j][1] <= 0) continue;
          if (a == b)
            program.add_column(0, 0, HUGE_VAL, {{a, 2 * cell.speed[j][0]}, {count_ + a, 2}, {2 * count_ + j, gpus(a)}});
          else
            program.add_column(0, 0, HUGE_VAL,
                               {{a, cell.speed[j][0]},
                                {b, cell.speed[j][1]},
                                {count_ + a, 1},
                                {count_ + b, 1},
                                {2 * count_ + j, gpus(a)}});
          columns.push_back({a, b, j});
        }
      }
    const auto answer = program.solve();
    if (!answer) return false;
    duals_ = answer->row_duals;
    iterations_ = answer->iterations;
    level_ = answer->columns[count_ * types_];
    alone_mass_.assign(answer->columns.begin(), answer->columns.begin() + static_cast<std::ptrdiff_t>(count_ * types_));
    for (auto& mass : alone_mass_) mass = std::max(mass, 0.0);
    mass_.assign(count_ * count_ * types_, 0.0);
    for (std::size_t k = 0; k < columns.size(); ++k)
      mass_[at(columns[k][0], columns[k][1]) * types_ + columns[k][2]] = answer->columns[first + k];
    return true;
  }

  [[nodiscard]] double size(std::size_t a) const { return static_cast<double>(groups_.members[a].size()); }
  [[nodiscard]] double gpus(std::size_t a) const { return market_.alone.gpus[groups_.members[a].front()]; }

  void index_pairs() {
    first_.assign(market_.alone.jobs() + 1, market_.pairs.size());
    for (std::size_t p = market_.pairs.size(); p-- > 0;) first_[market_.pairs[p].a] = p;
    for (std::size_t i = market_.alone.jobs(); i-- > 0;) first_[i] = std::min(first_[i], first_[i + 1]);
  }

  // The number of a pair, or how many there are.
  [[nodiscard]] std::size_t find_pair(std::size_t i, std::size_t k) const {
    if (i > k) std::swap(i, k);
    const auto begin = market_.pairs.begin() + static_cast<std::ptrdiff_t>(first_[i]);
    const auto end = market_.pairs.begin() + static_cast<std::ptrdiff_t>(first_[i + 1]);
    const auto found =
        std::lower_bound(begin, end, k, [](const PackedPair& pair, std::size_t b) { return pair.b < b; });
    if (found == end || found->b != k) return market_.pairs.size();
    return static_cast<std::size_t>(found - market_.pairs.begin());
  }

  void add_pair(std::size_t i, std::size_t k, const std::vector<char>& types) {
    const auto pair = find_pair(i, k);
    if (pair == market_.pairs.size()) return;
    for (std::size_t j = 0; j < types_; ++j)
      if (types[j] != 0) out_.push_back({pair, j});
  }

  // A group pair's mass on one type as shares of single pairs, the same time for every member: north-west corner
  // between two groups, a ring inside one.
  void share_out(std::size_t a, std::size_t b, std::size_t j, PackedPlan& plan) const {
    const double mass = mass_[at(a, b) * types_ + j];
    if (mass <= 0) return;
    const auto& left = groups_.members[a];
    const auto& right = groups_.members[b];
    if (a == b) {
      for (std::size_t k = 0; k < left.size(); ++k)
        plan.together.push_back({find_pair(left[k], left[(k + 1) % left.size()]), j, mass / size(a)});
      return;
    }
    double row = mass / size(a);
    double column = mass / size(b);
    for (std::size_t i = 0, k = 0; i < left.size() && k < right.size();) {
      const double share = std::min(row, column);
      if (share > 0) plan.together.push_back({find_pair(left[i], right[k]), j, share});
      row -= share;
      column -= share;
      if (row <= column) {
        ++i;
        row = mass / size(a);
      } else {
        ++k;
        column = mass / size(b);
      }
    }
  }

  void spread(std::size_t a, std::size_t b) {
    std::vector<char> types(types_, 0);
    bool any = false;
    for (std::size_t j = 0; j < types_; ++j)
      if (mass_[at(a, b) * types_ + j] > kMass) {
        types[j] = 1;
        any = true;
      }
    if (!any) return;
    const auto& left = groups_.members[a];
    const auto& right = groups_.members[b];
    if (a == b) {
      for (std::size_t k = 0; left.size() > 1 && k < left.size(); ++k)
        add_pair(left[k], left[(k + 1) % left.size()], types);
      return;
    }
    for (std::size_t i = 0, k = 0; i < left.size() && k < right.size();) {
      add_pair(left[i], right[k], types);
      if ((i + 1) * right.size() <= (k + 1) * left.size())
        ++i;
      else
        ++k;
    }
  }

  // Each job's best pair with each of its best partner groups, at the groups' prices.
  void add_partners() {
    struct Candidate {
      double gain = -HUGE_VAL;
      std::size_t group = 0;
      PackedColumn column;
    };
    const std::size_t jobs = market_.alone.jobs();
    std::vector<std::array<Candidate, kPartners>> best(jobs);
    const auto offer = [&best](std::size_t i, double gain, std::size_t group, PackedColumn column) {
      auto& kept = best[i];
      std::size_t slot = kPartners;
      for (std::size_t s = 0; s < kPartners; ++s)
        if (kept[s].gain > -HUGE_VAL && kept[s].group == group) slot = s;
      if (slot == kPartners) slot = kept[0].gain <= kept[1].gain ? 0 : 1;
      if (gain > kept[slot].gain) kept[slot] = {gain, group, column};
    };
    const double slack = -kSlack;
    for (std::size_t p = 0; p < market_.pairs.size(); ++p) {
      const auto& pair = market_.pairs[p];
      const auto a = groups_.group_of[pair.a];
      const auto b = groups_.group_of[pair.b];
      const double paid = std::abs(duals_[count_ + a]) + std::abs(duals_[count_ + b]);
      const double ya = std::abs(duals_[a]) / unit_[pair.a];
      const double yb = std::abs(duals_[b]) / unit_[pair.b];
      for (std::size_t j = 0; j < types_; ++j) {
        const auto& speed = market_.pair_utility[p * types_ + j];
        const double gain = ya * speed[0] + yb * speed[1] - paid - gpus(a) * std::abs(duals_[2 * count_ + j]);
        if (gain < slack) continue;
        offer(pair.a, gain, b, {p, j});
        offer(pair.b, gain, a, {p, j});
      }
    }
    for (const auto& kept : best)
      for (const auto& candidate : kept)
        if (candidate.gain > -HUGE_VAL) out_.push_back(candidate.column);
  }

  const PackedMarket& market_;
  const JobGroups& groups_;
  const std::vector<double>& unit_;
  std::size_t types_;
  std::size_t count_;
  std::vector<double> alone_;  // [group * types + type]
  std::vector<Cell> cells_;
  double level_ = 0;
  int iterations_ = 0;
  std::vector<double> alone_mass_;  // [group * types + type]
  std::vector<double> duals_;       // utility rows, time rows, capacity rows
  std::vector<double> mass_;        // [(group, group) * types + type]
  std::vector<std::size_t> first_;
  std::vector<PackedColumn> out_;
};

}  // namespace

std::optional<PackedPlan> packed_by_groups(const PackedMarket& market, const JobGroups& groups,
                                           const std::vector<double>& unit) {
  return GroupStart(market, groups, unit).exact();
}

std::vector<PackedColumn> packed_start(const PackedMarket& market, const JobGroups& groups,
                                       const std::vector<double>& unit) {
  if (market.pairs.empty()) return {};
  return GroupStart(market, groups, unit).run();
}

}  // namespace hadar::solvers
