#include "actors/policy/solvers/packed_start.hpp"

#include <algorithm>
#include <cmath>

#include "actors/policy/solvers/group_program.hpp"

namespace hadar::solvers {
namespace {

constexpr double kMass = 1e-7;   // of a group pair worth spreading
constexpr double kSlack = 1e-2;  // a partner's gain may be below 0 by this, over the number of jobs
constexpr std::size_t kPartners = 2;

class GroupStart {
 public:
  GroupStart(const PackedMarket& market, const JobGroups& groups, const std::vector<double>& unit)
      : market_(market), groups_(groups), unit_(unit), types_(market.alone.types), count_(groups.members.size()) {
    average();
  }

  std::vector<PackedColumn> run() {
    const auto solved = solve_groups(groups_market_);
    if (!solved) return {};
    mass_ = solved->beside;
    duals_ = solved->row_duals;
    index_pairs();
    for (std::size_t a = 0; a < count_; ++a)
      for (std::size_t b = a; b < count_; ++b) spread(a, b);
    add_partners();
    return std::move(out_);
  }

 private:
  // Mean speeds in units, of groups alone and of pairs of groups.
  void average() {
    groups_market_.types = types_;
    groups_market_.capacity = market_.alone.capacity;
    for (const auto& members : groups_.members) {
      groups_market_.size.push_back(static_cast<double>(members.size()));
      groups_market_.gpus.push_back(market_.alone.gpus[members.front()]);
    }
    auto& alone = groups_market_.alone;
    alone.assign(count_ * types_, 0.0);
    for (std::size_t i = 0; i < market_.alone.jobs(); ++i)
      for (std::size_t j = 0; j < types_; ++j)
        alone[groups_.group_of[i] * types_ + j] +=
            market_.alone.row(i)[j] / unit_[i] / groups_market_.size[groups_.group_of[i]];
    auto& beside = groups_market_.beside;
    beside.assign(count_ * count_, {});
    std::vector<double> pairs(count_ * count_, 0.0);
    for (std::size_t p = 0; p < market_.pairs.size(); ++p) {
      const auto& pair = market_.pairs[p];
      auto a = groups_.group_of[pair.a];
      auto b = groups_.group_of[pair.b];
      const bool swapped = a > b;
      if (swapped) std::swap(a, b);
      auto& cell = beside[groups_market_.at(a, b)];
      if (cell.empty()) cell.assign(types_, {0, 0});
      pairs[groups_market_.at(a, b)] += 1;
      for (std::size_t j = 0; j < types_; ++j) {
        const auto& speed = market_.pair_utility[p * types_ + j];
        cell[j][swapped ? 1 : 0] += speed[0] / unit_[pair.a];
        cell[j][swapped ? 0 : 1] += speed[1] / unit_[pair.b];
      }
    }
    for (std::size_t a = 0; a < count_; ++a)
      for (std::size_t b = a; b < count_; ++b)
        for (auto& speed : beside[groups_market_.at(a, b)]) {
          speed[0] /= pairs[groups_market_.at(a, b)];
          speed[1] /= pairs[groups_market_.at(a, b)];
          if (a == b) speed[0] = speed[1] = (speed[0] + speed[1]) / 2;
        }
  }

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

  void spread(std::size_t a, std::size_t b) {
    std::vector<char> types(types_, 0);
    bool any = false;
    for (std::size_t j = 0; j < types_; ++j)
      if (mass_[groups_market_.at(a, b) * types_ + j] > kMass) {
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
        const double gain =
            ya * speed[0] + yb * speed[1] - paid - groups_market_.gpus[a] * std::abs(duals_[2 * count_ + j]);
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
  GroupMarket groups_market_;
  std::vector<double> duals_;  // utility rows, time rows, capacity rows
  std::vector<double> mass_;   // [(group, group) * types + type]
  std::vector<std::size_t> first_;
  std::vector<PackedColumn> out_;
};

}  // namespace

std::vector<PackedColumn> packed_start(const PackedMarket& market, const JobGroups& groups,
                                       const std::vector<double>& unit) {
  if (market.pairs.empty()) return {};
  return GroupStart(market, groups, unit).run();
}

}  // namespace hadar::solvers
