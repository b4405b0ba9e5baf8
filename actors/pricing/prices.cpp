#include "actors/pricing/prices.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "actors/policy/solvers/max_value.hpp"
#include "actors/pricing/price_curve.hpp"
#include "actors/pricing/utility_jobs.hpp"
#include "actors/throughput/job_speeds.hpp"

namespace hadar {
namespace {

std::vector<GpuType> types_of(const RoundInput& input) {
  std::vector<GpuType> types;
  for (const auto& node : input.nodes)
    for (const auto& group : node.gpus)
      if (group.count > 0) types.push_back(group.type);
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  return types;
}

// What a round on one type is worth to each job, per GPU of its gang.
struct Market {
  std::vector<double> capacity;            // per type
  std::vector<double> gpus;                // per job
  std::vector<std::vector<double>> worth;  // per job and type, per GPU; 0 = not allowed

  // GPUs asked for at these prices: every job takes the type that pays it most, if any does. The stock of a type does
  // not limit a job, that is what the price is for; a gang larger than the stock does not ask for it.
  [[nodiscard]] std::vector<double> demand(const std::vector<double>& price) const {
    std::vector<double> asked(price.size(), 0);
    for (std::size_t j = 0; j < worth.size(); ++j) {
      double best = 0;
      std::size_t at = price.size();
      for (std::size_t type = 0; type < price.size(); ++type) {
        const double payoff = worth[j][type] - price[type];
        if (worth[j][type] <= 0 || payoff <= best || gpus[j] > capacity[type]) continue;
        best = payoff;
        at = type;
      }
      if (at < price.size()) asked[at] += gpus[j];
    }
    return asked;
  }
};

Market market_of(const RoundInput& input, const UtilitySettings& settings, const std::vector<GpuType>& types) {
  Market market;
  market.capacity.assign(types.size(), 0);
  for (const auto& node : input.nodes)
    for (const auto& group : node.gpus)
      if (group.count > 0)
        market.capacity[static_cast<std::size_t>(std::lower_bound(types.begin(), types.end(), group.type) -
                                                 types.begin())] += group.count;
  std::vector<JobSpeeds> speeds;
  for (const auto& job : input.jobs) speeds.emplace_back(*job, types);
  const auto jobs = utility_jobs(input, settings, types, speeds);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const double gpus = std::max(1.0, static_cast<double>(input.jobs[j]->gpus));
    auto& row = market.worth.emplace_back();
    for (std::uint32_t type = 0; type < types.size(); ++type)
      row.push_back(utility(settings, jobs[j], speeds[j].member(type), input.round_s) / gpus);
    market.gpus.push_back(gpus);
  }
  return market;
}

PriceCurve curve_of(const Market& market, std::size_t type) {
  double u_max = 0;
  double u_min = 0;
  for (const auto& row : market.worth) {
    if (row[type] <= 0) continue;
    double least = row[type];
    for (const double value : row)
      if (value > 0) least = std::min(least, value);
    u_min = u_max == 0 ? least : std::min(u_min, least);
    u_max = std::max(u_max, row[type]);
  }
  return bounded_curve(u_min, u_max, market.capacity[type]);
}

double found_or(const std::map<GpuType, double>& values, const GpuType& type, double fallback) {
  const auto it = values.find(type);
  return it != values.end() && it->second > 0 ? it->second : fallback;
}

// The prices at which the jobs' best choices fill the types and no more: the dual of giving whole rounds of GPUs to
// those who value them most, gangs divisible.
std::vector<double> clear(const Market& market) {
  solvers::Market shares;
  shares.types = market.capacity.size();
  shares.capacity = market.capacity;
  std::vector<double> value;
  for (std::size_t j = 0; j < market.worth.size(); ++j) {
    shares.gpus.push_back(market.gpus[j]);
    for (const double worth : market.worth[j]) value.push_back(worth * market.gpus[j]);
  }
  shares.utility = value;
  if (shares.jobs() == 0) return std::vector<double>(shares.types, 0.0);
  return solvers::max_value(shares, value)->prices;
}

}  // namespace

PriceBoard make_prices(const RoundInput& input, const PriceSettings& settings, const PriceBoard& previous) {
  PriceBoard board;
  board.round = input.round;
  const auto types = types_of(input);
  if (types.empty()) return board;
  const auto market = market_of(input, settings.utility, types);
  std::vector<PriceCurve> curves;
  for (std::size_t type = 0; type < types.size(); ++type) {
    auto curve = curve_of(market, type);
    curve = bounded_curve(smoothed(found_or(previous.u_min, types[type], curve.u_min), curve.u_min, settings.smoothing),
                          smoothed(found_or(previous.u_max, types[type], curve.u_max), curve.u_max, settings.smoothing),
                          curve.capacity);
    curves.push_back(curve);
  }
  auto price = settings.method == PriceMethod::kClearing ? clear(market) : std::vector<double>(types.size());
  if (settings.method == PriceMethod::kExponential) {
    board.exponential = true;
    for (std::size_t type = 0; type < types.size(); ++type) price[type] = curves[type].u_min;
    const auto asked = market.demand(price);
    for (std::size_t type = 0; type < types.size(); ++type)
      price[type] = price_at(curves[type], std::min(asked[type], curves[type].capacity));
  }
  for (std::size_t type = 0; type < types.size(); ++type) {
    board.price[types[type]] = std::max(0.0, price[type]);
    board.u_min[types[type]] = curves[type].u_min;
    board.u_max[types[type]] = curves[type].u_max;
  }
  return board;
}

}  // namespace hadar
