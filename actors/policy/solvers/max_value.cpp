#include "actors/policy/solvers/max_value.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "actors/policy/solvers/cheapest_mix.hpp"
#include "actors/policy/solvers/demand_pass.hpp"
#include "actors/policy/solvers/price_master.hpp"

namespace hadar::solvers {
namespace {

constexpr double kGap = 1e-11;     // where a search ends, relative
constexpr double kGoodGap = 1e-9;  // what counts as settled when rounding allows no more progress
constexpr int kMaxStall = 100;
constexpr int kMaxIterations = 5000;
constexpr int kMaxRatioSteps = 100;

// The best mixture of a job without a floor: its best positive net type, else nothing.
template <std::size_t R>
inline Mix best_free(const double* value, const double* price, double gpus, std::size_t types) {
  const std::size_t n = R == 0 ? types : R;
  Mix mix;
  double best = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double net = value[j] - gpus * price[j];
    if (net <= best) continue;
    best = net;
    mix.first = j;
    mix.first_share = 1;
  }
  mix.second = mix.first;
  return mix;
}

// With a floor: a whole type at or above it, a part of such a type, or a pair of types around it. When no net gain is
// positive the floor is met as cheaply as can be.
template <std::size_t R>
inline Mix best_floored(const double* value, const double* price, const double* utility, double gpus, double floor,
                        std::size_t types) {
  const std::size_t n = R == 0 ? types : R;
  Mix mix;
  double best = 0;
  bool found = false;
  std::array<double, 64> kept;
  std::vector<double> more;
  double* net = kept.data();
  if (n > kept.size()) {
    more.resize(n);
    net = more.data();
  }
  for (std::size_t j = 0; j < n; ++j) net[j] = value[j] - gpus * price[j];
  const auto offer = [&](double gain, std::size_t j, double share, std::size_t k, double other) {
    if (found && gain <= best) return;
    found = true;
    best = gain;
    mix = {j, k, share, other, 0};
  };
  std::size_t top = 0;
  for (std::size_t j = 0; j < n; ++j) {
    if (utility[j] > utility[top] || (utility[j] == utility[top] && net[j] > net[top])) top = j;
    if (utility[j] < floor || utility[j] <= 0) continue;
    offer(net[j], j, 1, j, 0);
    const double part = floor / utility[j];
    offer(net[j] * part, j, part, j, 0);
    for (std::size_t k = 0; k < n; ++k) {
      if (utility[k] >= floor || utility[j] <= floor) continue;
      const double share = (floor - utility[k]) / (utility[j] - utility[k]);
      offer(net[j] * share + net[k] * (1 - share), j, share, k, 1 - share);
    }
  }
  if (!found) mix = {top, top, 1, 0, 0};  // the floor is the cap, missed by rounding
  return mix;
}

struct ValuePass {
  double value = 0;
  std::vector<double> usage;
};

template <std::size_t R>
Mix best_mix(const Market& market, const double* value, const double* price, const std::vector<double>& floors,
             std::size_t i) {
  if (floors.empty() || floors[i] <= 0) return best_free<R>(value, price, market.gpus[i], market.types);
  return best_floored<R>(value, price, market.row(i), market.gpus[i], floors[i], market.types);
}

template <std::size_t R>
void pass(const Market& market, const std::vector<double>& value, const std::vector<double>& floors,
          const double* price, ValuePass& out) {
  double sum = 0;
  for (std::size_t i = 0; i < market.jobs(); ++i) {
    const double* v = value.data() + i * market.types;
    const auto mix = best_mix<R>(market, v, price, floors, i);
    sum += mix.first_share * v[mix.first] + mix.second_share * v[mix.second];
    out.usage[mix.first] += market.gpus[i] * mix.first_share;
    out.usage[mix.second] += market.gpus[i] * mix.second_share;
  }
  out.value = sum;
}

using PassFunction = void (*)(const Market&, const std::vector<double>&, const std::vector<double>&, const double*,
                              ValuePass&);
constexpr std::array<PassFunction, 9> kPasses = {pass<0>, pass<1>, pass<2>, pass<3>, pass<4>,
                                                 pass<5>, pass<6>, pass<7>, pass<8>};

void value_pass(const Market& market, const std::vector<double>& value, const std::vector<double>& floors,
                const std::vector<double>& prices, ValuePass& out) {
  out.usage.assign(market.types, 0.0);
  kPasses[market.types < kPasses.size() ? market.types : 0](market, value, floors, prices.data(), out);
}

void add_value_plan(const Market& market, const std::vector<double>& value, const std::vector<double>& floors,
                    const std::vector<double>& prices, double weight, Shares& shares) {
  for (std::size_t i = 0; i < market.jobs(); ++i) {
    const auto mix = best_mix<0>(market, value.data() + i * market.types, prices.data(), floors, i);
    double* x = shares.data() + i * market.types;
    x[mix.first] += weight * mix.first_share;
    x[mix.second] += weight * mix.second_share;
  }
}

// A plan that just meets all floors, or nothing when there is none: the usage of the best mixture must not exceed 1.
std::optional<Shares> meet_floors(const Market& market, const std::vector<double>& floors) {
  Shares shares(market.jobs() * market.types, 0.0);
  if (floors.empty()) return shares;
  for (std::size_t i = 0; i < market.jobs(); ++i)
    if (floors[i] > market.best(i)) return std::nullopt;
  PriceMaster master(std::vector<char>(market.types, 0), std::vector<double>(market.types, 0.0));
  std::vector<std::vector<double>> plans;
  std::vector<double> prices(market.types);
  for (std::size_t j = 0; j < market.types; ++j)
    prices[j] = 1 / (static_cast<double>(market.types) * market.capacity[j]);
  PassResult result;
  double least = HUGE_VAL;
  int stall = 0;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    demand_pass(market, floors, {}, prices, result);
    if (result.cost > 1 + 1e-10) return std::nullopt;
    for (std::size_t j = 0; j < market.types; ++j) result.usage[j] /= market.capacity[j];
    master.add(result.usage, 0);
    plans.push_back(prices);
    master.optimize();
    stall = master.objective() < least * (1 - 1e-14) ? 0 : stall + 1;
    least = std::min(least, master.objective());
    if (least <= 1 || (stall > kMaxStall && least <= 1 + 1e-10)) {
      for (const auto& [index, weight] : master.weights()) add_plan(market, floors, plans[index], weight, shares);
      return shares;
    }
    for (std::size_t j = 0; j < market.types; ++j) prices[j] = master.prices()[j] / market.capacity[j];
  }
  return std::nullopt;
}

double value_of(const std::vector<double>& value, const Shares& shares) {
  double sum = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) sum += value[k] * shares[k];
  return sum;
}

class ValueSearch {
 public:
  ValueSearch(const Market& market, const std::vector<double>& floors, Shares start)
      : market_(market), floors_(floors), start_(std::move(start)) {}

  // `prices` is where to begin; afterwards the best prices found.
  ValuePlan run(const std::vector<double>& value, std::vector<double>& prices, double scale) {
    ValuePlan out;
    const std::size_t types = market_.types;
    auto usage = usage_of(market_, start_);
    std::vector<double> limit(types, 1.0);
    for (std::size_t j = 0; j < types; ++j) limit[j] = std::max(1.0, usage[j] /= market_.capacity[j]);
    PriceMaster master(std::vector<char>(types, 1), limit);
    master.add(usage, -value_of(value, start_));
    std::vector<std::vector<double>> plans(1);
    out.upper = HUGE_VAL;
    for (double& price : prices) price = std::max(price, 0.0);
    ValuePass result;
    int stall = 0;
    double gap = HUGE_VAL;
    while (out.iterations < kMaxIterations && stall < kMaxStall) {
      ++out.iterations;
      value_pass(market_, value, floors_, prices, result);
      double bound = result.value;
      for (std::size_t j = 0; j < types; ++j) {
        bound += prices[j] * (market_.capacity[j] * limit[j] - result.usage[j]);
        usage[j] = result.usage[j] / market_.capacity[j];
      }
      if (bound < out.upper) {
        out.upper = bound;
        out.prices = prices;
      }
      master.add(usage, -result.value);
      plans.push_back(prices);
      master.optimize();
      out.value = -master.objective();
      const double now = (out.upper - out.value) / std::max({std::abs(out.upper), scale, 1e-300});
      stall = now < gap * (1 - 1e-9) ? 0 : stall + 1;
      gap = std::min(gap, now);
      if (gap <= kGap) break;
      for (std::size_t j = 0; j < types; ++j) prices[j] = master.prices()[j] / market_.capacity[j];
    }
    out.settled = gap <= kGoodGap;
    prices = out.prices;
    out.shares.assign(market_.jobs() * types, 0.0);
    for (const auto& [index, weight] : master.weights()) {
      if (index == 0)
        for (std::size_t k = 0; k < start_.size(); ++k) out.shares[k] += weight * start_[k];
      else
        add_value_plan(market_, value, floors_, plans[index], weight, out.shares);
    }
    fit(market_, out.shares);
    out.value = value_of(value, out.shares);
    return out;
  }

 private:
  const Market& market_;
  const std::vector<double>& floors_;
  Shares start_;
};

// Where the search for prices begins: the jobs' mean value per GPU.
std::vector<double> first_prices(const Market& market, const std::vector<double>& value) {
  std::vector<double> prices(market.types, 0.0);
  for (std::size_t i = 0; i < market.jobs(); ++i)
    for (std::size_t j = 0; j < market.types; ++j)
      prices[j] += value[i * market.types + j] / (market.gpus[i] * static_cast<double>(market.jobs()));
  return prices;
}

ValuePlan nothing_to_do() {
  ValuePlan plan;
  plan.settled = true;
  return plan;
}

double scale_of(const std::vector<double>& value) {
  double scale = 0;
  for (const double v : value) scale = std::max(scale, std::abs(v));
  return scale;
}

}  // namespace

std::optional<ValuePlan> max_value(const Market& market, const std::vector<double>& value,
                                   const std::vector<double>& floors) {
  if (market.jobs() == 0) return nothing_to_do();
  auto start = meet_floors(market, floors);
  if (!start) return std::nullopt;
  auto prices = first_prices(market, value);
  return ValueSearch(market, floors, std::move(*start)).run(value, prices, 1e-6 * scale_of(value));
}

std::optional<ValuePlan> max_ratio(const Market& market, const std::vector<double>& value,
                                   const std::vector<double>& cost, const std::vector<double>& floors) {
  if (market.jobs() == 0) return nothing_to_do();
  auto start = meet_floors(market, floors);
  if (!start) return std::nullopt;
  ValueSearch search(market, floors, *start);
  double ratio = 0;
  auto prices = first_prices(market, value);
  auto net = value;
  ValuePlan plan;
  int iterations = 0;
  for (int step = 0; step < kMaxRatioSteps; ++step) {
    for (std::size_t k = 0; k < net.size(); ++k) net[k] = value[k] - ratio * cost[k];
    // The optimum of the net value tends to 0, so the gap is measured against the throughput.
    plan = search.run(net, prices, std::max(value_of(value, plan.shares), step == 0 ? scale_of(value) : 0.0));
    iterations += plan.iterations;
    const double top = value_of(value, plan.shares);
    const double bottom = value_of(cost, plan.shares);
    if (!(bottom > 0)) break;
    const double next = top / bottom;
    const bool same = std::abs(next - ratio) <= 1e-12 * next;
    const double slack = (plan.upper - std::min(plan.value, plan.upper)) / bottom;
    ratio = std::max(ratio, next);
    plan.value = ratio;
    plan.upper = ratio + slack;
    if (same) break;
  }
  plan.iterations = iterations;
  return plan;
}

}  // namespace hadar::solvers
