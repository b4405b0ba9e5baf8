#include "actors/policy/solvers/market.hpp"

#include <algorithm>

namespace hadar::solvers {

double Market::best(std::size_t job) const {
  return *std::max_element(row(job), row(job) + types);
}

std::vector<double> usage_of(const Market& market, const Shares& shares) {
  std::vector<double> used(market.types, 0.0);
  for (std::size_t i = 0; i < market.jobs(); ++i)
    for (std::size_t j = 0; j < market.types; ++j) used[j] += market.gpus[i] * shares[i * market.types + j];
  return used;
}

std::vector<double> utility_of(const Market& market, const Shares& shares) {
  std::vector<double> out(market.jobs(), 0.0);
  for (std::size_t i = 0; i < market.jobs(); ++i)
    for (std::size_t j = 0; j < market.types; ++j) out[i] += market.row(i)[j] * shares[i * market.types + j];
  return out;
}

void fit(const Market& market, Shares& shares) {
  for (auto& share : shares) share = std::max(share, 0.0);
  for (std::size_t i = 0; i < market.jobs(); ++i) {
    double* x = shares.data() + i * market.types;
    double sum = 0;
    for (std::size_t j = 0; j < market.types; ++j) sum += x[j];
    if (sum > 1)
      for (std::size_t j = 0; j < market.types; ++j) x[j] /= sum;
  }
  double worst = 1;
  const auto used = usage_of(market, shares);
  for (std::size_t j = 0; j < market.types; ++j) worst = std::max(worst, used[j] / market.capacity[j]);
  if (worst > 1)
    for (auto& share : shares) share /= worst;
}

double violation_of(const Market& market, const Shares& shares) {
  double worst = 0;
  for (std::size_t i = 0; i < market.jobs(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < market.types; ++j) {
      worst = std::max(worst, -shares[i * market.types + j]);
      sum += shares[i * market.types + j];
    }
    worst = std::max(worst, sum - 1);
  }
  const auto used = usage_of(market, shares);
  for (std::size_t j = 0; j < market.types; ++j) worst = std::max(worst, used[j] / market.capacity[j] - 1);
  return worst;
}

}  // namespace hadar::solvers
