#include "actors/policy/solvers/proportional_fair.hpp"

#include <algorithm>
#include <cmath>

#include "actors/policy/solvers/cheapest_mix.hpp"
#include "actors/policy/solvers/price_master.hpp"

namespace hadar::solvers {
namespace {

constexpr double kGapPerJob = 1e-11;
constexpr double kGoodGapPerJob = 1e-8;
constexpr int kMaxIterations = 1500;

// The utility a job buys when its gain is log(d) less what d costs: where the hull's slope passes 1 / d.
double demand_at(const double* a, const double* l, double gpus, std::size_t types) {
  const double top = *std::max_element(a, a + types);
  double demand = 0;
  for (std::size_t step = 0; step <= types; ++step) {
    // The slope just above `demand`, and where it ends.
    std::size_t at = types;
    double base = 0;
    double cost = 0;
    if (demand > 0) {
      const auto mix = cheapest_mix<0>(a, l, demand, types);
      base = demand;
      cost = mix.first_share * l[mix.first] + mix.second_share * l[mix.second];
    }
    double slope = HUGE_VAL;
    for (std::size_t j = 0; j < types; ++j) {
      if (a[j] <= base) continue;
      const double rise = (l[j] - cost) / (a[j] - base);
      if (at == types || rise < slope || (rise == slope && a[j] > a[at])) {
        at = j;
        slope = rise;
      }
    }
    if (at == types) return top;
    const double paid = gpus * slope;
    if (paid > 0 && 1 / paid <= base) return base;
    if (paid > 0 && 1 / paid < a[at]) return 1 / paid;
    demand = a[at];
  }
  return top;
}

struct Plan {
  std::vector<double> prices;
  std::vector<double> demands;
};

}  // namespace

ProductPlan max_product(const Market& market, const std::vector<double>& first) {
  ProductPlan out;
  const std::size_t jobs = market.jobs();
  const std::size_t types = market.types;
  if (jobs == 0) {
    out.settled = true;
    return out;
  }
  Shares start(jobs * types);
  for (std::size_t i = 0; i < jobs; ++i)
    for (std::size_t j = 0; j < types; ++j)
      start[i * types + j] =
          std::min(1 / static_cast<double>(types), market.capacity[j] / (static_cast<double>(jobs) * market.gpus[i]));
  fit(market, start);
  double value = 0;
  for (const double utility : utility_of(market, start)) value += std::log(utility);
  auto usage = usage_of(market, start);
  for (std::size_t j = 0; j < types; ++j) usage[j] /= market.capacity[j];
  PriceMaster master(std::vector<char>(types, 1), std::vector<double>(types, 1.0));
  master.add(usage, -value);
  std::vector<Plan> plans(1);
  auto prices = first;
  if (prices.empty())
    for (const double gpus : market.capacity)
      prices.push_back(static_cast<double>(jobs) / (static_cast<double>(types) * gpus));
  out.upper = HUGE_VAL;
  while (out.iterations < kMaxIterations) {
    ++out.iterations;
    Plan plan{prices, std::vector<double>(jobs)};
    std::fill(usage.begin(), usage.end(), 0.0);
    value = 0;
    for (std::size_t i = 0; i < jobs; ++i) {
      plan.demands[i] = demand_at(market.row(i), prices.data(), market.gpus[i], types);
      const auto mix = cheapest_mix<0>(market.row(i), prices.data(), plan.demands[i], types);
      value += std::log(plan.demands[i]);
      usage[mix.first] += market.gpus[i] * mix.first_share / market.capacity[mix.first];
      usage[mix.second] += market.gpus[i] * mix.second_share / market.capacity[mix.second];
    }
    double bound = value;
    for (std::size_t j = 0; j < types; ++j) bound += prices[j] * market.capacity[j] * (1 - usage[j]);
    if (bound < out.upper) {
      out.upper = bound;
      out.prices = prices;
    }
    master.add(usage, -value);
    plans.push_back(std::move(plan));
    master.optimize();
    if (out.upper + master.objective() <= kGapPerJob * static_cast<double>(jobs)) break;
    // Half way to the best prices so far: the master's own jump too far on a smooth function.
    for (std::size_t j = 0; j < types; ++j) prices[j] = (master.prices()[j] / market.capacity[j] + out.prices[j]) / 2;
  }
  out.shares.assign(jobs * types, 0.0);
  for (const auto& [index, weight] : master.weights()) {
    for (std::size_t i = 0; i < jobs; ++i) {
      double* x = out.shares.data() + i * types;
      if (index == 0) {
        for (std::size_t j = 0; j < types; ++j) x[j] += weight * start[i * types + j];
        continue;
      }
      const auto mix = cheapest_mix<0>(market.row(i), plans[index].prices.data(), plans[index].demands[i], types);
      x[mix.first] += weight * mix.first_share;
      x[mix.second] += weight * mix.second_share;
    }
  }
  fit(market, out.shares);
  out.utility = utility_of(market, out.shares);
  for (const double utility : out.utility) out.log_product += std::log(utility);
  out.settled = out.upper - out.log_product <= kGoodGapPerJob * static_cast<double>(jobs);
  return out;
}

}  // namespace hadar::solvers
