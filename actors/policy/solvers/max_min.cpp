#include "actors/policy/solvers/max_min.hpp"

#include <algorithm>
#include <cmath>

#include "actors/policy/solvers/demand_pass.hpp"
#include "actors/policy/solvers/price_master.hpp"

namespace hadar::solvers {
namespace {

constexpr double kGap = 1e-11;     // where a search ends
constexpr double kGoodGap = 1e-9;  // what counts as settled when rounding allows no more progress
constexpr int kMaxStall = 100;
constexpr int kMaxIterations = 5000;

// A plan of the past: the prices it was cheapest at and the level it was made for.
struct Plan {
  std::vector<double> prices;
  double level = 0;
};

// What both searches share: the passes, the master, the plans.
class Search {
 public:
  explicit Search(const Market& market)
      : market_(market),
        master_(std::vector<char>(market.types, 0), std::vector<double>(market.types, 0.0)),
        prices_(market.types),
        usage_(market.types) {
    for (std::size_t j = 0; j < market.types; ++j)
      prices_[j] = 1 / (static_cast<double>(market.types) * market.capacity[j]);
  }

  // The cheapest plan at the current prices joins the master, scaled by 1 / level.
  const PassResult& pass(const std::vector<double>& demands, const std::vector<double>& rates, double level) {
    demand_pass(market_, demands, rates, prices_, pass_);
    for (std::size_t j = 0; j < market_.types; ++j) usage_[j] = pass_.usage[j] / (market_.capacity[j] * level);
    plans_.push_back({prices_, level});
    master_.add(usage_, 0);
    sound_ = master_.optimize();
    return pass_;
  }

  [[nodiscard]] double usage_per_level() const { return master_.columns() == 0 ? 0 : master_.objective(); }
  [[nodiscard]] bool sound() const { return sound_; }

  void take_prices() {
    for (std::size_t j = 0; j < market_.types; ++j) prices_[j] = master_.prices()[j] / market_.capacity[j];
  }
  [[nodiscard]] const std::vector<double>& prices() const { return prices_; }

  // The master's mixture with each plan scaled to `level`; demands_at(level) gives what the plan was made for.
  template <class DemandsAt>
  [[nodiscard]] Shares mixture(double level, const DemandsAt& demands_at) const {
    Shares shares(market_.jobs() * market_.types, 0.0);
    for (const auto& [index, weight] : master_.weights()) {
      const auto& plan = plans_[index];
      add_plan(market_, demands_at(index), plan.prices, weight * level / plan.level, shares);
    }
    fit(market_, shares);
    return shares;
  }
  [[nodiscard]] const Plan& plan(std::size_t index) const { return plans_[index]; }

 private:
  const Market& market_;
  PriceMaster master_;
  std::vector<double> prices_;
  std::vector<double> usage_;
  std::vector<Plan> plans_;
  PassResult pass_;
  bool sound_ = true;
};

}  // namespace

LevelPlan max_min(const Market& market) {
  LevelPlan out;
  if (market.jobs() == 0) {
    out.settled = true;
    return out;
  }
  double cap = market.best(0);
  for (std::size_t i = 1; i < market.jobs(); ++i) cap = std::min(cap, market.best(i));
  Search search(market);
  const std::vector<double> ones(market.jobs(), 1.0);
  std::vector<double> demands(market.jobs(), cap);
  double level = cap;
  double lower = 0;
  int stall = 0;
  while (out.iterations < kMaxIterations && stall < kMaxStall) {
    const double before = level * search.usage_per_level();
    ++out.iterations;
    const auto& pass = search.pass(demands, ones, level);
    if (pass.cost > 1 && pass.slope > 0) level = std::min(level, level - (pass.cost - 1) / pass.slope);
    lower = 1 / search.usage_per_level();
    if (lower >= level * (1 - kGap)) break;
    stall = level * search.usage_per_level() < before * (1 - 1e-14) || out.iterations == 1 ? 0 : stall + 1;
    search.take_prices();
    std::fill(demands.begin(), demands.end(), level);
  }
  out.upper = level;
  out.level = std::min(level, lower);
  out.settled = lower >= level * (1 - kGoodGap);
  out.capped = out.level >= cap * (1 - 1e-9);
  out.prices = search.prices();
  out.shares = search.mixture(
      out.level, [&](std::size_t index) { return std::vector<double>(market.jobs(), search.plan(index).level); });
  return out;
}

LevelPlan min_finish_ratio(const Market& market, const FinishTerms& terms) {
  LevelPlan out;
  const std::size_t jobs = market.jobs();
  if (jobs == 0) {
    out.settled = true;
    return out;
  }
  double rho = 0;
  for (std::size_t i = 0; i < jobs; ++i) rho = std::max(rho, (terms.age[i] + 1 / market.best(i)) / terms.fair[i]);
  const double least = rho;
  Search search(market);
  std::vector<double> demands(jobs);
  std::vector<double> rates(jobs);
  const auto set_demands = [&] {
    for (std::size_t i = 0; i < jobs; ++i) {
      demands[i] = std::min(1 / (rho * terms.fair[i] - terms.age[i]), market.best(i));
      rates[i] = -terms.fair[i] * demands[i] * demands[i];
    }
  };
  set_demands();
  double scale = 1;  // earlier plans scaled down by it still meet the demands
  std::vector<double> rhos;
  int stall = 0;
  double usage = 0;  // of the best mixture at the demands of now; 1 = all capacity
  while (out.iterations < kMaxIterations && stall < kMaxStall) {
    ++out.iterations;
    const double before = usage;
    const double rho_before = rho;
    rhos.push_back(rho);
    const auto& pass = search.pass(demands, rates, scale);
    if (pass.cost > 1 + 1e-12 && pass.slope < 0) {
      const auto old = demands;
      rho += (pass.cost - 1) / -pass.slope;
      set_demands();
      double worst = 0;
      for (std::size_t i = 0; i < jobs; ++i) worst = std::max(worst, demands[i] / old[i]);
      scale *= worst;
    }
    usage = scale * search.usage_per_level();
    if (usage <= 1 + kGap) break;
    stall = rho > rho_before * (1 + 1e-14) || usage < before * (1 - 1e-14) || out.iterations == 1 ? 0 : stall + 1;
    search.take_prices();
  }
  out.settled = usage <= 1 + kGoodGap;
  out.upper = rho;
  out.capped = rho <= least * (1 + 1e-9);
  out.prices = search.prices();
  out.shares = search.mixture(scale, [&](std::size_t index) {
    std::vector<double> then(jobs);
    for (std::size_t i = 0; i < jobs; ++i)
      then[i] = std::min(1 / (rhos[index] * terms.fair[i] - terms.age[i]), market.best(i));
    return then;
  });
  const auto reached = utility_of(market, out.shares);
  for (std::size_t i = 0; i < jobs; ++i)
    out.level = std::max(out.level, (terms.age[i] + 1 / reached[i]) / terms.fair[i]);
  return out;
}

}  // namespace hadar::solvers
