#include "actors/pricing/makespan_shares.hpp"

#include <algorithm>
#include <array>

#include "actors/policy/solvers/max_min.hpp"
#include "actors/pricing/central_path.hpp"

namespace hadar {
namespace {

// The jobs that fit some type and the types that have GPUs, utilities in units of `unit`.
struct Runnable {
  solvers::Market market;
  std::vector<std::size_t> places;  // of its jobs among all
  double unit = 0;                  // the best utility of the job with the worst one
};

Runnable runnable(const solvers::Market& market) {
  Runnable out;
  std::vector<std::size_t> types;
  for (std::size_t j = 0; j < market.types; ++j)
    if (market.capacity[j] > 0) types.push_back(j);
  out.market.types = types.size();
  for (const auto j : types) out.market.capacity.push_back(market.capacity[j]);
  for (std::size_t i = 0; i < market.jobs(); ++i) {
    double best = 0;
    for (const auto j : types) best = std::max(best, market.row(i)[j]);
    if (!(best > 0)) continue;
    out.places.push_back(i);
    out.market.gpus.push_back(market.gpus[i]);
    for (const auto j : types) out.market.utility.push_back(market.row(i)[j]);
    out.unit = out.unit == 0 ? best : std::min(out.unit, best);
  }
  for (auto& utility : out.market.utility) utility /= out.unit;
  return out;
}

template <std::size_t R>
void walk(const Runnable& jobs, double gap, double grain_s, MakespanShares& out) {
  CentralPath<R> path(jobs.market);
  out.steps = path.walk(gap, grain_s * jobs.unit);
  out.makespan_s = 1 / (path.level() * jobs.unit);
  double sum = 0;
  for (std::size_t k = 0; k < jobs.places.size(); ++k) sum += path.share(k);
  for (std::size_t k = 0; k < jobs.places.size(); ++k) out.shares[jobs.places[k]] = path.share(k) / sum;
}

using Walk = void (*)(const Runnable&, double, double, MakespanShares&);
constexpr std::array<Walk, 9> kWalks = {walk<0>, walk<1>, walk<2>, walk<3>, walk<4>,
                                        walk<5>, walk<6>, walk<7>, walk<8>};

}  // namespace

MakespanShares makespan_shares(const solvers::Market& market, double gap, double grain_s) {
  MakespanShares out;
  out.shares.assign(market.jobs(), 0.0);
  const auto jobs = runnable(market);
  if (jobs.places.empty()) return out;
  kWalks[jobs.market.types < kWalks.size() ? jobs.market.types : 0](jobs, gap, grain_s, out);
  return out;
}

double least_makespan(const solvers::Market& market) {
  const auto jobs = runnable(market);
  return jobs.places.empty() ? 0 : 1 / (solvers::max_min(jobs.market).upper * jobs.unit);
}

}  // namespace hadar
