#include "actors/policy/quotas.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "messages/types/check.hpp"

namespace hadar {

std::vector<std::uint64_t> largest_remainder(std::uint64_t total, const std::vector<double>& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  HADAR_REQUIRE(sum > 0);
  std::vector<std::uint64_t> shares;
  std::vector<double> remainders;
  std::uint64_t given = 0;
  for (const double weight : weights) {
    const double exact = static_cast<double>(total) * weight / sum;
    const auto share = std::min(static_cast<std::uint64_t>(std::floor(exact)), total - given);
    shares.push_back(share);
    remainders.push_back(exact - static_cast<double>(share));
    given += share;
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return remainders[a] > remainders[b]; });
  for (std::size_t i = 0; given < total; i = (i + 1) % order.size()) {
    if (weights[order[i]] <= 0) continue;
    ++shares[order[i]];
    ++given;
  }
  return shares;
}

std::vector<std::uint64_t> fork_quotas(std::uint64_t steps_left, const std::vector<double>& steps_per_s,
                                       const std::vector<double>& usable_s) {
  std::vector<std::uint64_t> quotas;
  double sum = 0;
  HADAR_REQUIRE(steps_per_s.size() == usable_s.size());
  for (std::size_t i = 0; i < steps_per_s.size(); ++i) {
    // Beyond 2^53 a double no longer counts single steps; no real quota comes near.
    const double steps = std::clamp(std::floor(steps_per_s[i] * usable_s[i] + 1e-9), 1.0, 9e15);
    quotas.push_back(static_cast<std::uint64_t>(steps));
    sum += steps;
  }
  if (sum <= static_cast<double>(steps_left)) return quotas;
  return largest_remainder(steps_left, steps_per_s);
}

}  // namespace hadar
