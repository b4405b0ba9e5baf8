#include "actors/policy/hadare/fork_forecast.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "actors/pricing/makespan_shares.hpp"

namespace hadar {
namespace {

constexpr std::uint32_t kNoType = UINT32_MAX;
constexpr std::size_t kSteps = 512;    // about the most
constexpr double kOverBound = 1.07;    // `hadar`'s makespan over the bound where jobs queue, measured on 480 of them
constexpr std::size_t kTogether = 16;  // of so many that run one ends in a step
constexpr double kSpreadGang = 0.9;    // speed of a gang over several types or nodes, against its slowest member

bool empty(const std::vector<double>& pool) {
  return std::all_of(pool.begin(), pool.end(), [](double gpus) { return gpus <= 0; });
}

}  // namespace

ForkForecaster::ForkForecaster(const PlanBuilder& plan, const Valuation& value, const ForkTerms& terms)
    : plan_(plan), value_(value), terms_(terms) {
  for (std::uint32_t type = 0; type < plan.cluster().types(); ++type) gpus_.push_back(plan.cluster().installed(type));
  for (std::size_t j = 0; j < plan.jobs(); ++j) {
    double full = value.speeds(j).best();
    if (terms.forks(j)) {
      auto pool = gpus_;
      ForkSpeeds speeds;
      take_forks(j, 0, pool, speeds, 0, kNoType);
      full = std::max(full, terms.forked(j, speeds));
    }
    full_.push_back(full);
  }
}

// The whole gang on the type worth most, else over types, the fastest first. 0 when there are too few GPUs.
double ForkForecaster::lone(std::size_t j, bool priced, Pool& pool, std::uint32_t& chosen) const {
  const double gpus = plan_.job(j).gpus;
  double best = 0;
  chosen = kNoType;
  for (const auto type : value_.speeds(j).order()) {
    if (pool[type] < gpus) continue;
    const double gain =
        value_.utility_at(j, value_.speeds(j).member(type)) - (priced ? value_.prices().of_type(type) * gpus : 0);
    if (chosen != kNoType && gain <= best) continue;
    chosen = type;
    best = gain;
  }
  if (chosen != kNoType) {
    pool[chosen] -= gpus;
    return value_.speeds(j).member(chosen);
  }
  double missing = gpus;
  for (const auto type : value_.speeds(j).order()) missing -= std::min(missing, pool[type]);
  if (missing > 0) return 0;
  double slowest = 0;
  missing = gpus;
  for (const auto type : value_.speeds(j).order()) {
    const double taken = std::min(missing, pool[type]);
    if (taken <= 0) continue;
    pool[type] -= taken;
    missing -= taken;
    slowest = value_.speeds(j).member(type);
  }
  return slowest * kSpreadGang;
}

// Fastest types first, until the rest of the job would not fill the least window. `left` 0: all there are.
void ForkForecaster::take_forks(std::size_t j, double left, Pool& pool, ForkSpeeds& speeds, std::uint32_t forks,
                                std::uint32_t own_type) const {
  const double gpus = plan_.job(j).gpus;
  for (const auto type : value_.speeds(j).order()) {
    auto nodes = terms_.hosts(j, type);
    if (type == own_type && nodes > 0) --nodes;
    for (; nodes > 0 && pool[type] >= gpus && forks < terms_.settings().max_forks; --nodes, ++forks) {
      if (left > 0 && speeds.sum() > 0 && left / speeds.sum() <= terms_.least_s(j)) return;
      pool[type] -= gpus;
      speeds.add(value_.speeds(j).member(type));
    }
  }
}

// The order of a rule does not change while it is played: who runs gets shorter, who waits stays behind.
std::vector<ForkForecaster::Runner> ForkForecaster::line_up(ForkRule rule) const {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t j = 0; j < plan_.jobs(); ++j) {
    if (full_[j] <= 0) continue;
    const double time = value_.steps_left(j) / full_[j] / value_.weight(j);
    order.emplace_back(rule == ForkRule::kGather ? time : -value_.density(j), j);
  }
  std::stable_sort(order.begin(), order.end());
  std::vector<Runner> runners;
  for (const auto& [rank, j] : order) runners.push_back({j, value_.steps_left(j), 0});
  return runners;
}

std::size_t ForkForecaster::gather(std::span<Runner> runners) const {
  auto pool = gpus_;
  std::size_t reached = 0;
  for (; reached < runners.size() && !empty(pool); ++reached) {
    auto& runner = runners[reached];
    std::uint32_t type = kNoType;
    if (terms_.forks(runner.job)) {
      ForkSpeeds speeds;
      take_forks(runner.job, runner.left, pool, speeds, 0, kNoType);
      runner.rate = terms_.forked(runner.job, speeds);
    } else {
      runner.rate = lone(runner.job, false, pool, type);
    }
  }
  return reached;
}

std::size_t ForkForecaster::spread(std::span<Runner> runners, double wanted) const {
  auto pool = gpus_;
  const bool priced = wanted > std::accumulate(pool.begin(), pool.end(), 0.0);
  std::vector<std::uint32_t> types;
  std::vector<std::pair<double, std::size_t>> forkable;  // seconds left
  std::size_t reached = 0;
  for (; reached < runners.size() && !empty(pool); ++reached) {
    auto& runner = runners[reached];
    runner.rate = lone(runner.job, priced, pool, types.emplace_back(kNoType));
    if (runner.rate > 0 && types.back() != kNoType && terms_.forks(runner.job))
      forkable.emplace_back(runner.left / runner.rate, reached);
  }
  if (empty(pool)) return reached;
  std::stable_sort(forkable.begin(), forkable.end());
  for (const auto& [time, i] : forkable) {
    auto& runner = runners[i];
    ForkSpeeds speeds;
    speeds.add(runner.rate);
    auto rest = pool;
    take_forks(runner.job, runner.left, rest, speeds, 1, types[i]);
    const double forked = terms_.forked(runner.job, speeds);
    if (forked <= runner.rate) continue;
    runner.rate = forked;
    pool = std::move(rest);
  }
  return reached;
}

ForkForecast ForkForecaster::play(ForkRule rule) const {
  auto all = line_up(rule);
  std::span<Runner> runners(all);  // those not done yet
  const auto least_together = runners.size() / kSteps;
  ForkForecast forecast;
  double now = 0;
  double weights = 0;
  double wanted = 0;
  for (const auto& runner : runners) wanted += plan_.job(runner.job).gpus;
  std::vector<double> times;
  while (!runners.empty()) {
    const auto reached = runners.first(rule == ForkRule::kGather ? gather(runners) : spread(runners, wanted));
    times.clear();
    for (const auto& runner : reached)
      if (runner.rate > 0) times.push_back(runner.left / runner.rate);
    if (times.empty()) break;
    const auto together = std::min(std::max(times.size() / kTogether, 1 + least_together), times.size());
    const auto last = times.begin() + static_cast<std::ptrdiff_t>(together - 1);
    std::nth_element(times.begin(), last, times.end());
    const double step = *last;
    const auto done = [&](Runner& runner) {
      if (runner.rate <= 0) return false;
      const double time = runner.left / runner.rate;
      runner.left -= runner.rate * step;
      if (time > step) return false;
      forecast.mean_completion_s += value_.weight(runner.job) * (now + time);
      weights += value_.weight(runner.job);
      forecast.makespan_s = std::max(forecast.makespan_s, now + time);
      wanted -= plan_.job(runner.job).gpus;
      return true;
    };
    // From the back, so that who goes on ends up beside those that wait, which stay where they are.
    const auto kept = std::remove_if(reached.rbegin(), reached.rend(), done) - reached.rbegin();
    runners = runners.subspan(reached.size() - static_cast<std::size_t>(kept));
    now += step;
  }
  if (weights > 0) forecast.mean_completion_s /= weights;
  if (rule == ForkRule::kSpread) forecast.makespan_s = std::min(forecast.makespan_s, kOverBound * bound_s());
  return forecast;
}

// Of the makespan, however gangs are laid out without forks; infinite while there are GPUs for all of them.
double ForkForecaster::bound_s() const {
  solvers::Market work;
  work.types = gpus_.size();
  work.capacity = gpus_;
  const double supply = std::accumulate(gpus_.begin(), gpus_.end(), 0.0);
  double wanted = 0;
  for (std::size_t j = 0; j < plan_.jobs(); ++j) {
    work.gpus.push_back(plan_.job(j).gpus);
    wanted += work.gpus.back();
    for (std::uint32_t type = 0; type < gpus_.size(); ++type)
      work.utility.push_back(value_.speeds(j).member(type) / value_.steps_left(j));
  }
  return supply > 0 && wanted > supply ? least_makespan(work) : std::numeric_limits<double>::infinity();
}

}  // namespace hadar
