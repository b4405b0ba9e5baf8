#include "actors/pricing/makespan_shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hadar {
namespace {

constexpr int kPricePasses = 40;
constexpr double kTailBand = 0.8;       // jobs this close to the longest carry the tail
constexpr double kRegimeSharpness = 8;  // how fast the mix goes from work to tail around equal bounds

double fastest(const MakespanJob& job) {
  return job.speed.empty() ? 0 : *std::max_element(job.speed.begin(), job.speed.end());
}

void normalize(std::vector<double>& shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (sum <= 0) return;
  for (auto& share : shares) share /= sum;
}

// Where a job's work is cheapest at the given prices: GPU seconds' worth per step, and the type.
struct Cheapest {
  double cost = 0;
  std::size_t type = 0;
  bool found = false;
};

Cheapest cheapest(const MakespanJob& job, const std::vector<double>& price) {
  Cheapest best;
  for (std::size_t type = 0; type < price.size(); ++type) {
    if (job.speed[type] <= 0) continue;
    const double cost = price[type] * job.gpus / job.speed[type];
    if (!best.found || cost < best.cost) best = {cost, type, true};
  }
  return best;
}

// Maximises the dual sum_j rem_j min_r price_r gpus_j / speed_jr over prices with sum_r price_r capacity_r = 1.
void bound_by_work(const std::vector<MakespanJob>& jobs, const std::vector<double>& capacity, MakespanBound& bound) {
  std::vector<double> price(capacity.size(), 0);
  const double gpus = std::accumulate(capacity.begin(), capacity.end(), 0.0);
  for (std::size_t type = 0; type < price.size(); ++type) price[type] = capacity[type] > 0 ? 1 / gpus : 0;
  for (int pass = 0; pass < kPricePasses; ++pass) {
    std::vector<double> load(price.size(), 0);
    std::vector<double> shares(jobs.size(), 0);
    double value = 0;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const auto best = cheapest(jobs[j], price);
      if (!best.found) continue;
      shares[j] = jobs[j].steps_left * best.cost;
      value += shares[j];
      load[best.type] += jobs[j].steps_left * jobs[j].gpus / jobs[j].speed[best.type];
    }
    if (value > bound.work_s) {
      bound.work_s = value;
      bound.shares = std::move(shares);
    }
    const double step = 0.5 / std::sqrt(1.0 + pass);
    double sum = 0;
    for (std::size_t type = 0; type < price.size(); ++type) {
      if (capacity[type] <= 0 || value <= 0) continue;
      price[type] *= std::exp(step * std::clamp(load[type] / capacity[type] / value - 1, -1.0, 2.0));
      sum += price[type] * capacity[type];
    }
    for (auto& value_of_type : price) value_of_type /= sum > 0 ? sum : 1;
  }
}

std::vector<double> tail_shares(const std::vector<MakespanJob>& jobs, double tail_s) {
  std::vector<double> shares(jobs.size(), 0);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const double speed = fastest(jobs[j]);
    if (speed > 0) shares[j] = std::max(0.0, jobs[j].steps_left / speed / tail_s - kTailBand);
  }
  normalize(shares);
  return shares;
}

}  // namespace

MakespanBound makespan_bound(const std::vector<MakespanJob>& jobs, const std::vector<double>& capacity) {
  MakespanBound bound;
  bound.shares.assign(jobs.size(), 0);
  for (const auto& job : jobs)
    if (const double speed = fastest(job); speed > 0) bound.tail_s = std::max(bound.tail_s, job.steps_left / speed);
  if (bound.tail_s <= 0) return bound;
  bound_by_work(jobs, capacity, bound);
  normalize(bound.shares);
  const double lead = (bound.tail_s - bound.work_s) / std::max(bound.tail_s, bound.work_s);
  const double tail = 1 / (1 + std::exp(-kRegimeSharpness * lead));
  const auto shares = tail_shares(jobs, bound.tail_s);
  for (std::size_t j = 0; j < jobs.size(); ++j) bound.shares[j] = tail * shares[j] + (1 - tail) * bound.shares[j];
  return bound;
}

}  // namespace hadar
