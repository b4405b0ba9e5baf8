// Random small markets with everything that troubles a solver.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "actors/policy/solvers/market.hpp"

namespace hadar::solvers {

// The same numbers on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  double unit() { return static_cast<double>(engine_() >> 11U) * 0x1.0p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(engine_() % bound); }
  bool chance(double part) { return unit() < part; }

 private:
  std::mt19937_64 engine_;
};

struct MarketShape {
  std::size_t most_jobs = 8;
  double most_weight = 1e6;  // utilities of different jobs may lie this far apart
};

// Speeds with zeros, ties and small whole numbers; identical jobs; gangs; scarce, ample and fractional capacity.
inline Market random_market(Dice& dice, const MarketShape& shape = {}) {
  constexpr std::size_t kTypes[] = {1, 2, 3, 3, 6, 10};
  Market market;
  market.types = kTypes[dice.below(6)];
  const auto jobs = 1 + dice.below(shape.most_jobs);
  const bool whole = dice.chance(0.3);
  const bool alike = dice.chance(0.2);
  const bool weighted = dice.chance(0.3);
  for (std::size_t j = 0; j < market.types; ++j)
    market.capacity.push_back(dice.chance(0.3) ? dice.between(0.1, 4) : static_cast<double>(1 + dice.below(8)));
  for (std::size_t i = 0; i < jobs; ++i) {
    if (alike && i > 0 && dice.chance(0.7)) {
      market.gpus.push_back(market.gpus.back());
      market.utility.insert(market.utility.end(), market.utility.end() - static_cast<std::ptrdiff_t>(market.types),
                            market.utility.end());
      continue;
    }
    market.gpus.push_back(static_cast<double>(std::size_t{1} << dice.below(4)));
    const double weight = weighted && dice.chance(0.3) ? dice.between(1, shape.most_weight) : 1;
    const auto first = market.utility.size();
    for (std::size_t j = 0; j < market.types; ++j) {
      const double speed = whole ? static_cast<double>(dice.below(5)) : dice.chance(0.15) ? 0 : dice.between(0.05, 10);
      market.utility.push_back(speed / weight);
    }
    if (*std::max_element(market.utility.begin() + static_cast<std::ptrdiff_t>(first), market.utility.end()) <= 0)
      market.utility[first + dice.below(market.types)] = 1 / weight;
  }
  return market;
}

}  // namespace hadar::solvers
