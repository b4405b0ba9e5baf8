#include "actors/policy/gavel/packed_alike.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "actors/policy/solvers/group_program.hpp"

namespace hadar::gavel {
namespace {

constexpr std::size_t kManyJobs = 40;
constexpr std::size_t kMostKinds = 80;
constexpr double kAlike = 1e-12;  // relative difference of speeds that counts as none
constexpr double kGap = 1e-7;     // of the program, to Clp's tolerance
constexpr std::size_t kNoKind = static_cast<std::size_t>(-1);

bool same(double a, double b) {
  return std::abs(a - b) <= kAlike * std::max(std::abs(a), std::abs(b));
}

class Kinds {
 public:
  Kinds(const ShareProblem& problem, const Question& asked, const std::vector<double>& factor)
      : problem_(problem), asked_(asked), factor_(factor), types_(asked.types.size()) {}

  // False when there are too many kinds, or a pair is missing or unlike its kinds' others.
  bool read() {
    const auto& market = asked_.market;
    if (market.jobs() < kManyJobs || !group()) return false;
    market_.types = types_;
    market_.capacity = market.capacity;
    for (const auto& members : members_) {
      market_.size.push_back(static_cast<double>(members.size()));
      market_.gpus.push_back(market.gpus[members.front()]);
      market_.alone.insert(market_.alone.end(), market.row(members.front()), market.row(members.front()) + types_);
    }
    return read_pairs();
  }

  std::optional<TimeShares> solve() {
    scale_to_cap();
    const auto solved = solvers::solve_groups(market_);
    if (!solved) return std::nullopt;
    auto out = no_shares(problem_);
    out.notes = asked_.notes;
    for (std::size_t kind = 0; kind < members_.size(); ++kind)
      for (const auto i : members_[kind])
        for (std::size_t j = 0; j < types_; ++j)
          out.alone[asked_.jobs[i]][asked_.types[j]] = solved->alone[kind * types_ + j] / market_.size[kind];
    share_out(*solved, out);
    fit(out);
    if (solved->level * cap_ - out.objective > kGap * out.objective) return std::nullopt;
    return out;
  }

 private:
  bool group() {
    const auto& market = asked_.market;
    std::map<std::vector<double>, std::size_t> kinds;
    kind_of_.assign(problem_.jobs.size(), kNoKind);
    for (std::size_t i = 0; i < market.jobs(); ++i) {
      std::vector<double> key(market.row(i), market.row(i) + types_);
      key.push_back(market.gpus[i]);
      const auto [kind, fresh] = kinds.try_emplace(std::move(key), members_.size());
      if (fresh) members_.emplace_back();
      if (members_.size() > kMostKinds) return false;
      members_[kind->second].push_back(i);
      kind_of_[asked_.jobs[i]] = kind->second;
    }
    return true;
  }

  bool read_pairs() {
    const auto kinds = members_.size();
    market_.beside.assign(kinds * kinds, {});
    std::vector<std::size_t> pairs(kinds * kinds, 0);
    std::vector<double> factor(problem_.jobs.size(), 0.0);
    for (std::size_t i = 0; i < factor_.size(); ++i) factor[asked_.jobs[i]] = factor_[i];
    for (const auto& pair : problem_.pairs) {
      auto a = kind_of_[pair.a];
      auto b = kind_of_[pair.b];
      if (a == kNoKind || b == kNoKind) continue;
      const std::size_t swapped = a > b ? 1 : 0;
      if (swapped != 0) std::swap(a, b);
      auto& cell = market_.beside[market_.at(a, b)];
      const bool fresh = cell.empty();
      if (fresh && !check_pair_speeds(pair)) return false;
      if (fresh) cell.resize(types_);
      for (std::size_t j = 0; j < types_; ++j) {
        const auto& speed = pair.steps_per_s[asked_.types[j]];
        const double first = speed[0] * factor[pair.a];
        const double second = speed[1] * factor[pair.b];
        auto& mine = cell[j][swapped];
        auto& other = cell[j][1 - swapped];
        if (fresh) {
          mine = first;
          other = second;
        }
        if (!same(mine, first) || !same(other, second) || (a == b && !same(first, second))) return false;
      }
      ++pairs[market_.at(a, b)];
    }
    for (std::size_t a = 0; a < kinds; ++a)
      for (std::size_t b = a; b < kinds; ++b) {
        const auto left = members_[a].size();
        const auto all = a == b ? left * (left - 1) / 2 : left * members_[b].size();
        if (pairs[market_.at(a, b)] != 0 && pairs[market_.at(a, b)] != all) return false;
      }
    return true;
  }

  // Levels near 1 suit the program: utilities in parts of the largest level that every job alone could reach.
  void scale_to_cap() {
    const auto kinds = members_.size();
    std::vector<double> best(kinds, 0.0);
    for (std::size_t kind = 0; kind < kinds; ++kind)
      for (std::size_t j = 0; j < types_; ++j) best[kind] = std::max(best[kind], market_.alone[kind * types_ + j]);
    for (std::size_t a = 0; a < kinds; ++a)
      for (std::size_t b = a; b < kinds; ++b)
        for (const auto& speed : market_.beside[market_.at(a, b)]) {
          best[a] = std::max(best[a], speed[0]);
          best[b] = std::max(best[b], speed[1]);
        }
    cap_ = *std::min_element(best.begin(), best.end());
    for (auto& utility : market_.alone) utility /= cap_;
    for (auto& cell : market_.beside)
      for (auto& speed : cell)
        for (auto& utility : speed) utility /= cap_;
  }

  void share_out(const solvers::GroupAnswer& solved, TimeShares& out) const {
    std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> together;
    for (std::size_t a = 0; a < members_.size(); ++a)
      for (std::size_t b = a; b < members_.size(); ++b)
        for (std::size_t j = 0; j < types_; ++j) {
          const double mass = solved.beside[market_.at(a, b) * types_ + j];
          if (mass <= 0) continue;
          solvers::spread_mass(members_[a].size(), members_[b].size(), a == b,
                               [&](std::size_t i, std::size_t k, double part) {
                                 const auto left = asked_.jobs[members_[a][i]];
                                 const auto right = asked_.jobs[members_[b][k]];
                                 auto& share = together[std::minmax(left, right)];
                                 share.resize(problem_.types.size(), 0.0);
                                 share[asked_.types[j]] += mass * part;
                               });
        }
    for (auto& [jobs, share] : together) out.together.push_back({jobs.first, jobs.second, std::move(share)});
  }

  // Takes rounding away: everyone's time and every type's GPUs kept; then the level that is reached.
  void fit(TimeShares& out) const {
    std::vector<double> time(problem_.jobs.size(), 0.0);
    std::vector<double> used(problem_.types.size(), 0.0);
    std::vector<double> utility(problem_.jobs.size(), 0.0);
    const auto add = [&](std::size_t i, double share, double reached) {
      time[i] += share;
      utility[i] += reached * share;
    };
    for (std::size_t kind = 0; kind < members_.size(); ++kind)
      for (const auto i : members_[kind])
        for (std::size_t j = 0; j < types_; ++j) {
          const double share = out.alone[asked_.jobs[i]][asked_.types[j]];
          used[asked_.types[j]] += market_.gpus[kind] * share;
          add(asked_.jobs[i], share, market_.alone[kind * types_ + j]);
        }
    for (const auto& pair : out.together) {
      auto a = kind_of_[pair.a];
      auto b = kind_of_[pair.b];
      const std::size_t swapped = a > b ? 1 : 0;
      if (swapped != 0) std::swap(a, b);
      for (std::size_t j = 0; j < types_; ++j) {
        const double share = pair.share[asked_.types[j]];
        const auto& speed = market_.beside[market_.at(a, b)][j];
        used[asked_.types[j]] += market_.gpus[a] * share;
        add(pair.a, share, speed[swapped]);
        add(pair.b, share, speed[1 - swapped]);
      }
    }
    double excess = *std::max_element(time.begin(), time.end());
    for (std::size_t j = 0; j < types_; ++j)
      excess = std::max(excess, used[asked_.types[j]] / asked_.market.capacity[j]);
    excess = std::max(excess, 1.0);
    for (auto& row : out.alone)
      for (auto& share : row) share /= excess;
    for (auto& pair : out.together)
      for (auto& share : pair.share) share /= excess;
    out.objective = HUGE_VAL;
    for (const auto i : asked_.jobs) out.objective = std::min(out.objective, utility[i] * cap_ / excess);
  }

  const ShareProblem& problem_;
  const Question& asked_;
  const std::vector<double>& factor_;
  std::size_t types_;
  std::vector<std::size_t> kind_of_;               // by job of the problem
  std::vector<std::vector<std::size_t>> members_;  // by kind: jobs of the market
  solvers::GroupMarket market_;
  double cap_ = 1;
};

}  // namespace

std::optional<TimeShares> alike_max_min(const ShareProblem& problem, const Question& asked,
                                        const std::vector<double>& factor) {
  Kinds kinds(problem, asked, factor);
  if (!kinds.read()) return std::nullopt;
  return kinds.solve();
}

}  // namespace hadar::gavel
