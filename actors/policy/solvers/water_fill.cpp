#include "actors/policy/solvers/water_fill.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "actors/policy/solvers/demand_pass.hpp"
#include "actors/policy/solvers/price_master.hpp"

namespace hadar::solvers {
namespace {

constexpr double kTolerance = 1e-12;
constexpr double kDeadShare = 1e-3;       // a type dies when its normalised price is above this, or is the largest
constexpr double kGoodTolerance = 1e-10;  // what is settled when rounding allows no more progress
constexpr double kProgress = 1e-13;
constexpr int kMaxStageIterations = 2000;
constexpr int kMaxStall = 40;
constexpr int kMaxRootSteps = 200;
constexpr double kRootPart = 0.03;  // a root this close to its target is as good: the next prices move it again

struct Part {
  double weight = 0;
  std::vector<double> prices;
};

class Filling {
 public:
  Filling(const Market& market, LevelPath& path)
      : market_(market), path_(path), dead_(market.types, 0), limit_(market.types, 1.0) {
    const std::size_t jobs = market.jobs();
    state_.level = path.first_level();
    state_.demands.assign(jobs, 0.0);
    state_.frozen.assign(jobs, 0);
    for (std::size_t i = 0; i < jobs; ++i) state_.caps.push_back(market.best(i));
    std::vector<double> uniform;
    for (std::size_t j = 0; j < market.types; ++j)
      uniform.push_back(1 / (static_cast<double>(market.types) * market.capacity[j]));
    composite_ = {{1.0, std::move(uniform)}};
  }

  WaterPlan run() {
    bool sound = true;
    for (std::size_t stage = 0; stage <= market_.types; ++stage) {
      path_.rebuild(state_);
      sound = fill_stage() && sound;
      if (finished_) break;
      ++out_.events;
      close_types();
      if (std::all_of(dead_.begin(), dead_.end(), [](char dead) { return dead != 0; })) {
        finished_ = true;
        break;
      }
    }
    out_.settled = sound && finished_;
    out_.shares.assign(market_.jobs() * market_.types, 0.0);
    for (const auto& part : composite_) add_plan(market_, state_.demands, part.prices, part.weight, out_.shares);
    fit(market_, out_.shares);
    out_.utility = utility_of(market_, out_.shares);
    return std::move(out_);
  }

 private:
  // Raises the level until the prices or the caps stop it. False when the search had to be given up.
  bool fill_stage() {
    double level = path_.last_level();
    const double top = level;
    certificate_.clear();
    path_.demands(level, demands_);
    restart({});
    double best = master_->objective();
    int stall = 0;
    int rounds = 0;
    bool sound = true;
    while (master_->objective() > 1 + 2 * kTolerance) {
      ++out_.iterations;
      if (++rounds > kMaxStageIterations || stall > kMaxStall) {
        sound = master_->objective() <= 1 + kGoodTolerance;
        break;
      }
      const auto prices = price_vector();
      if (open_cost(prices) <= 1 + kTolerance) {
        add_plan_column(prices);
        stall = master_->objective() < best * (1 - kProgress) ? 0 : stall + 1;
        best = std::min(best, master_->objective());
        continue;
      }
      certificate_ = prices;
      const double before = level;
      level = root(prices, level);
      path_.demands(level, demands_);
      auto kept = basic_prices();
      kept.push_back(prices);
      restart(kept);
      best = master_->objective();
      stall = before - level > kProgress * std::abs(before) ? 0 : stall + 1;
    }
    take_composite();
    state_.level = level;
    state_.demands = demands_;
    if (level >= top) finished_ = true;
    if (!finished_ && certificate_.empty()) certificate_ = price_vector();
    return sound;
  }

  // Cost of the cheapest plan, less what the dead types are worth: at most z.
  double open_cost(const std::vector<double>& prices) {
    demand_pass(market_, demands_, {}, prices, pass_);
    double cost = 0;
    for (std::size_t j = 0; j < market_.types; ++j)
      cost += prices[j] * (dead_[j] != 0 ? pass_.usage[j] - market_.capacity[j] * limit_[j] : pass_.usage[j]);
    return cost;
  }

  // The highest level at which these prices still allow the demands: bracketed false position with bisection.
  double root(const std::vector<double>& prices, double high) {
    const double target = 1 + kTolerance;
    double low = state_.level;
    path_.demands(low, demands_);
    double low_cost = open_cost(prices) - target;
    path_.demands(high, demands_);
    double high_cost = open_cost(prices) - target;
    if (low_cost >= 0) return low;
    if (high_cost <= 0) return high;
    const double close = std::max(kTolerance / 10, kRootPart * high_cost);
    int side = 0;  // which end moved last: the Illinois rule halves the other's value when it stays
    for (int step = 0; step < kMaxRootSteps; ++step) {
      double middle = low + (high - low) * (low_cost / (low_cost - high_cost));
      if (step % 8 == 7 || !(middle > low && middle < high)) middle = low + (high - low) / 2;
      if (!(middle > low && middle < high)) break;
      path_.demands(middle, demands_);
      const double cost = open_cost(prices) - target;
      if (cost > 0) {
        high = middle;
        high_cost = cost;
        if (side == 1) low_cost /= 2;
        side = 1;
        if (cost <= close) break;
      } else {
        low = middle;
        low_cost = cost;
        if (side == -1) high_cost /= 2;
        side = -1;
        if (cost == 0) return middle;
      }
    }
    return high;
  }

  void restart(const std::vector<std::vector<double>>& keep) {
    std::vector<double> usage(market_.types, 0.0);
    for (const auto& part : composite_) {
      demand_pass(market_, demands_, {}, part.prices, pass_);
      for (std::size_t j = 0; j < market_.types; ++j) usage[j] += part.weight * pass_.usage[j] / market_.capacity[j];
    }
    auto limit = limit_;
    for (std::size_t j = 0; j < market_.types; ++j) limit[j] = std::max(limit[j], usage[j]);
    master_.emplace(dead_, limit);
    plans_.assign(1, {});
    master_->add(usage, 0);
    for (const auto& prices : keep) {
      demand_pass(market_, demands_, {}, prices, pass_);
      push_column(prices);
    }
    master_->optimize();
  }

  void add_plan_column(const std::vector<double>& prices) {
    push_column(prices);
    master_->optimize();
  }
  void push_column(const std::vector<double>& prices) {
    std::vector<double> usage(market_.types);
    for (std::size_t j = 0; j < market_.types; ++j) usage[j] = pass_.usage[j] / market_.capacity[j];
    master_->add(usage, 0);
    plans_.push_back(prices);
  }

  [[nodiscard]] std::vector<double> price_vector() const {
    std::vector<double> prices = master_->prices();
    for (std::size_t j = 0; j < market_.types; ++j) prices[j] /= market_.capacity[j];
    return prices;
  }
  [[nodiscard]] std::vector<std::vector<double>> basic_prices() const {
    std::vector<std::vector<double>> out;
    for (const auto& [index, weight] : master_->weights())
      if (index != 0) out.push_back(plans_[index]);
    return out;
  }

  // The master's mixture, with the old composite spelled out, becomes the new composite.
  void take_composite() {
    std::vector<Part> next;
    const auto add = [&next](double weight, const std::vector<double>& prices) {
      for (auto& part : next)
        if (part.prices == prices) {
          part.weight += weight;
          return;
        }
      next.push_back({weight, prices});
    };
    for (const auto& [index, weight] : master_->weights()) {
      if (index != 0) {
        add(weight, plans_[index]);
        continue;
      }
      for (const auto& part : composite_) add(weight * part.weight, part.prices);
    }
    composite_ = std::move(next);
  }

  // The types whose prices stopped the level are full for good; who cannot go on without them is frozen.
  void close_types() {
    std::size_t largest = market_.types;
    const auto share = [this](std::size_t j) { return certificate_[j] * market_.capacity[j]; };
    for (std::size_t j = 0; j < market_.types; ++j)
      if (dead_[j] == 0 && (largest == market_.types || share(j) > share(largest))) largest = j;
    for (std::size_t j = 0; j < market_.types; ++j)
      if (dead_[j] == 0 && (j == largest || share(j) > kDeadShare)) dead_[j] = 1;
    for (std::size_t i = 0; i < market_.jobs(); ++i) {
      if (state_.frozen[i] != 0) continue;
      double cap = 0;
      for (std::size_t j = 0; j < market_.types; ++j)
        if (dead_[j] == 0) cap = std::max(cap, market_.row(i)[j]);
      if (state_.demands[i] >= cap * (1 - 1e-12)) {
        state_.frozen[i] = 1;
        continue;
      }
      state_.caps[i] = cap;
      for (std::size_t j = 0; j < market_.types; ++j)
        if (dead_[j] != 0) market_.row(i)[j] = 0;
    }
    std::vector<double> usage(market_.types, 0.0);
    for (const auto& part : composite_) {
      demand_pass(market_, state_.demands, {}, part.prices, pass_);
      for (std::size_t j = 0; j < market_.types; ++j) usage[j] += part.weight * pass_.usage[j] / market_.capacity[j];
    }
    for (std::size_t j = 0; j < market_.types; ++j)
      if (dead_[j] != 0) limit_[j] = std::max(1.0, usage[j]) + kTolerance;
  }

  Market market_;
  LevelPath& path_;
  WaterState state_;
  std::vector<char> dead_;
  std::vector<double> limit_;  // right side of a dead type's row
  std::vector<Part> composite_;
  std::optional<PriceMaster> master_;
  std::vector<std::vector<double>> plans_;  // prices of the master's columns; the composite is column 0
  std::vector<double> demands_;
  std::vector<double> certificate_;  // the prices that lowered the level last
  PassResult pass_;
  WaterPlan out_;
  bool finished_ = false;
};

}  // namespace

WaterPlan water_fill(const Market& market, LevelPath& path) {
  if (market.jobs() == 0) {
    WaterPlan out;
    out.settled = true;
    return out;
  }
  return Filling(market, path).run();
}

}  // namespace hadar::solvers
