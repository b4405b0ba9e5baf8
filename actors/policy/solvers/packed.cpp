#include "actors/policy/solvers/packed.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "actors/policy/solvers/job_groups.hpp"
#include "actors/policy/solvers/linear_program.hpp"
#include "actors/policy/solvers/packed_start.hpp"

namespace hadar::solvers {
namespace {

constexpr double kGap = 1e-9;
constexpr double kGain = 1e-10;
constexpr int kMaxRounds = 200;
constexpr int kMaxRatioSteps = 60;
constexpr std::size_t kGroups = 26;

// Shrinks a plan into the rules, and reads its level.
void finish(const PackedMarket& market, const std::vector<double>& demands, PackedPlan& plan) {
  const double excess = 1 + violation_of(market, plan);
  for (auto& share : plan.alone) share /= excess;
  for (auto& share : plan.together) share.share /= excess;
  const auto utility = utility_of(market, plan);
  plan.level = HUGE_VAL;
  for (std::size_t i = 0; i < utility.size(); ++i) plan.level = std::min(plan.level, utility[i] / demands[i]);
}

// The program, with its columns so far. Levels are in parts of the cap, the largest level any single job allows.
class PackedSearch {
 public:
  explicit PackedSearch(const PackedMarket& market)
      : market_(market),
        jobs_(market.alone.jobs()),
        types_(market.alone.types),
        best_(market.best()),
        made_(market.pairs.size() * types_, 0),
        program_(LinearProgram::Sense::kMaximise) {
    for (std::size_t i = 0; i < jobs_; ++i) program_.add_row(0, HUGE_VAL);
    for (std::size_t i = 0; i < jobs_; ++i) program_.add_row(-HUGE_VAL, 1);
    for (const double gpus : market.alone.capacity) program_.add_row(-HUGE_VAL, gpus);
    for (std::size_t i = 0; i < jobs_; ++i)
      for (std::size_t j = 0; j < types_; ++j)
        program_.add_column(
            0, 0, HUGE_VAL,
            {{i, market.alone.row(i)[j] / best_[i]}, {jobs_ + i, 1}, {2 * jobs_ + j, market.alone.gpus[i]}});
    first_pair_ = jobs_ * types_;
  }

  // The largest t with utility_i >= t * demands[i].
  Result<PackedPlan> run(const std::vector<double>& demands) {
    set_level_column(demands);
    if (groups_.members.empty()) start(demands);
    PackedPlan plan;
    plan.upper = cap_;
    double best_bound = 1;  // in parts of the cap
    for (plan.rounds = 1; plan.rounds <= kMaxRounds; ++plan.rounds) {
      auto answer = program_.solve();
      if (!answer) return fail(std::move(answer));
      plan.iterations += answer->iterations;
      last_ = std::move(*answer);
      const double reached = last_.columns[level_column_];
      const double bound = price();
      best_bound = std::min(best_bound, bound);
      if (best_bound - reached <= kGap * best_bound) {
        plan.settled = true;
        break;
      }
      if (!add_candidates()) break;
    }
    plan.upper = best_bound * cap_;
    read(plan, demands);
    return plan;
  }

  // The duals of the last program, per unit of utility; what they are worth in all of the time and capacity.
  [[nodiscard]] std::vector<double> utility_prices() const {
    std::vector<double> out(jobs_);
    for (std::size_t i = 0; i < jobs_; ++i) out[i] = std::max(-last_.row_duals[i], 0.0) / best_[i];
    return out;
  }
  [[nodiscard]] double worth() const { return worth_; }
  [[nodiscard]] const std::vector<double>& best() const { return best_; }

 private:
  void set_level_column(const std::vector<double>& demands) {
    cap_ = HUGE_VAL;
    for (std::size_t i = 0; i < jobs_; ++i) cap_ = std::min(cap_, best_[i] / demands[i]);
    std::vector<LpEntry> entries;
    level_.resize(jobs_);
    for (std::size_t i = 0; i < jobs_; ++i) {
      level_[i] = demands[i] * cap_ / best_[i];
      entries.push_back({i, -level_[i]});
    }
    if (has_level_) program_.set_cost(level_column_, 0);
    has_level_ = true;
    // The factor n keeps the duals near 1, above Clp's tolerance.
    level_column_ = program_.add_column(static_cast<double>(jobs_), 0, 1, entries);
    place_of_.resize(level_column_ + 1);
  }

  void start(const std::vector<double>& demands) {
    groups_ = group_jobs(market_.alone, kGroups);
    std::vector<double> unit(jobs_);
    for (std::size_t i = 0; i < jobs_; ++i) unit[i] = demands[i] * cap_;
    for (const auto& column : packed_start(market_, groups_, unit)) make(column);
  }

  bool make(const PackedColumn& column) {
    auto& made = made_[column.pair * types_ + column.type];
    if (made != 0) return false;
    const auto& speed = market_.pair_utility[column.pair * types_ + column.type];
    if (speed[0] <= 0 && speed[1] <= 0) return false;
    made = 1;
    const auto a = market_.pairs[column.pair].a;
    const auto b = market_.pairs[column.pair].b;
    const auto index = program_.add_column(0, 0, HUGE_VAL,
                                           {{a, speed[0] / best_[a]},
                                            {b, speed[1] / best_[b]},
                                            {jobs_ + a, 1},
                                            {jobs_ + b, 1},
                                            {2 * jobs_ + column.type, market_.alone.gpus[a]}});
    place_of_.resize(index + 1);
    place_of_[index] = column;
    pair_columns_.push_back(index);
    return true;
  }

  // A job's best columns that are not in the program, with partners of different groups.
  struct Candidate {
    double gain = 0;
    std::size_t group = 0;
    PackedColumn column;
  };

  // Prices every pair at the duals. Returns the Lagrangian bound of the level: raising each job's time price by its
  // largest gain (half of it for a pair) makes the duals feasible.
  double price() {
    const auto y = utility_prices();
    const auto& dual = last_.row_duals;
    std::vector<double> time(jobs_);
    std::vector<double> gpu(types_);
    for (std::size_t i = 0; i < jobs_; ++i) time[i] = std::max(dual[jobs_ + i], 0.0);
    for (std::size_t j = 0; j < types_; ++j) gpu[j] = std::max(dual[2 * jobs_ + j], 0.0);
    std::vector<double> raise(jobs_, 0.0);
    for (std::size_t i = 0; i < jobs_; ++i)
      for (std::size_t j = 0; j < types_; ++j)
        raise[i] = std::max(raise[i], y[i] * market_.alone.row(i)[j] - time[i] - market_.alone.gpus[i] * gpu[j]);
    candidates_.assign(jobs_ * 2, {});
    for (std::size_t p = 0; p < market_.pairs.size(); ++p) {
      const auto a = market_.pairs[p].a;
      const auto b = market_.pairs[p].b;
      const double paid = time[a] + time[b];
      const double gpus = market_.alone.gpus[a];
      const auto* speed = market_.pair_utility.data() + p * types_;
      for (std::size_t j = 0; j < types_; ++j) {
        const double gain = y[a] * speed[j][0] + y[b] * speed[j][1] - paid - gpus * gpu[j];
        if (gain <= kGain) continue;
        raise[a] = std::max(raise[a], gain / 2);
        raise[b] = std::max(raise[b], gain / 2);
        if (made_[p * types_ + j] != 0) continue;
        offer(a, {gain, groups_.group_of[b], {p, j}});
        offer(b, {gain, groups_.group_of[a], {p, j}});
      }
    }
    double sum = 0;
    double normal = 0;
    for (std::size_t j = 0; j < types_; ++j) sum += gpu[j] * market_.alone.capacity[j];
    for (std::size_t i = 0; i < jobs_; ++i) {
      sum += time[i] + raise[i];
      normal += y[i] * best_[i] * level_[i];
    }
    worth_ = sum;
    return normal > 0 ? std::min(1.0, sum / normal) : 1.0;
  }

  void offer(std::size_t job, const Candidate& fresh) {
    auto* kept = candidates_.data() + job * 2;
    std::size_t slot = kept[0].gain <= kept[1].gain ? 0 : 1;
    for (std::size_t s = 0; s < 2; ++s)
      if (kept[s].gain > 0 && kept[s].group == fresh.group) slot = s;
    if (fresh.gain > kept[slot].gain) kept[slot] = fresh;
  }

  bool add_candidates() {
    bool any = false;
    for (const auto& candidate : candidates_)
      if (candidate.gain > 0) any = make(candidate.column) || any;
    return any;
  }

  void read(PackedPlan& plan, const std::vector<double>& demands) const {
    plan.columns = pair_columns_.size();
    plan.alone.assign(last_.columns.begin(), last_.columns.begin() + static_cast<std::ptrdiff_t>(first_pair_));
    for (auto& share : plan.alone) share = std::max(share, 0.0);
    for (const auto index : pair_columns_)
      if (index < last_.columns.size() && last_.columns[index] > 1e-14)
        plan.together.push_back({place_of_[index].pair, place_of_[index].type, last_.columns[index]});
    std::sort(plan.together.begin(), plan.together.end(), [](const PackedShare& l, const PackedShare& r) {
      return std::pair(l.pair, l.type) < std::pair(r.pair, r.type);
    });
    finish(market_, demands, plan);
  }

  const PackedMarket& market_;
  std::size_t jobs_;
  std::size_t types_;
  std::vector<double> best_;
  std::vector<char> made_;
  LinearProgram program_;
  JobGroups groups_;
  double cap_ = 0;
  std::vector<double> level_;  // a job's demand at the cap, in parts of its best
  std::size_t level_column_ = 0;
  bool has_level_ = false;
  std::size_t first_pair_ = 0;
  std::vector<PackedColumn> place_of_;  // by column of the program
  std::vector<std::size_t> pair_columns_;
  std::vector<Candidate> candidates_;
  LpAnswer last_;
  double worth_ = 0;
};

PackedPlan nothing() {
  PackedPlan plan;
  plan.settled = true;
  return plan;
}

}  // namespace

std::vector<double> PackedMarket::best() const {
  std::vector<double> out(alone.jobs());
  for (std::size_t i = 0; i < alone.jobs(); ++i) out[i] = alone.best(i);
  for (std::size_t p = 0; p < pairs.size(); ++p)
    for (std::size_t j = 0; j < alone.types; ++j) {
      const auto& speed = pair_utility[p * alone.types + j];
      out[pairs[p].a] = std::max(out[pairs[p].a], speed[0]);
      out[pairs[p].b] = std::max(out[pairs[p].b], speed[1]);
    }
  return out;
}

std::vector<double> utility_of(const PackedMarket& market, const PackedPlan& plan) {
  auto out = utility_of(market.alone, plan.alone);
  for (const auto& share : plan.together) {
    const auto& speed = market.pair_utility[share.pair * market.alone.types + share.type];
    out[market.pairs[share.pair].a] += speed[0] * share.share;
    out[market.pairs[share.pair].b] += speed[1] * share.share;
  }
  return out;
}

double violation_of(const PackedMarket& market, const PackedPlan& plan) {
  double worst = 0;
  const auto types = market.alone.types;
  std::vector<double> time(market.alone.jobs(), 0.0);
  for (std::size_t i = 0; i < time.size(); ++i)
    for (std::size_t j = 0; j < types; ++j) {
      worst = std::max(worst, -plan.alone[i * types + j]);
      time[i] += plan.alone[i * types + j];
    }
  auto used = usage_of(market.alone, plan.alone);
  for (const auto& share : plan.together) {
    const auto& pair = market.pairs[share.pair];
    worst = std::max(worst, -share.share);
    time[pair.a] += share.share;
    time[pair.b] += share.share;
    used[share.type] += market.alone.gpus[pair.a] * share.share;
  }
  for (const double sum : time) worst = std::max(worst, sum - 1);
  for (std::size_t j = 0; j < types; ++j) worst = std::max(worst, used[j] / market.alone.capacity[j] - 1);
  return worst;
}

Result<PackedPlan> packed_max_min(const PackedMarket& market, const std::vector<double>& demands) {
  if (market.alone.jobs() == 0) return nothing();
  return PackedSearch(market).run(demands);
}

Result<PackedPlan> packed_min_ratio(const PackedMarket& market, double first,
                                    const std::function<void(double, std::vector<double>&)>& demands) {
  if (market.alone.jobs() == 0) return nothing();
  PackedSearch search(market);
  std::vector<double> wanted(market.alone.jobs());
  double rho = first;
  PackedPlan plan;
  for (int step = 0; step < kMaxRatioSteps; ++step) {
    demands(rho, wanted);
    auto solved = search.run(wanted);
    if (!solved) return solved;
    solved->rounds += plan.rounds;
    solved->iterations += plan.iterations;
    plan = std::move(*solved);
    const bool reached = plan.level >= 1 - 1e-9;
    // These duals allow the demands of a larger ratio only: the next lower bound, by bisection on a falling function.
    const auto y = search.utility_prices();
    const auto asked = [&](double at) {
      demands(at, wanted);
      return std::inner_product(y.begin(), y.end(), wanted.begin(), 0.0);
    };
    double low = rho;
    double high = rho;
    if (!reached && asked(low) > search.worth()) {
      double width = std::max(rho, 1e-9) * 1e-6;
      while (asked(high) > search.worth() && width < HUGE_VAL) high += width *= 2;
      for (int cut = 0; cut < 200 && high - low > 1e-15 * high; ++cut)
        (asked(low + (high - low) / 2) > search.worth() ? low : high) = low + (high - low) / 2;
    }
    if (reached || !(low > rho)) {
      plan.settled = plan.settled && reached;
      break;
    }
    rho = low;
  }
  plan.level = plan.upper = rho;
  return plan;
}

}  // namespace hadar::solvers
