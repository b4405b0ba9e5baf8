// Random numbers for the policies that draw: the same on every machine and library.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "messages/types/split_mix.hpp"

namespace hadar::gavel {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() { return split_mix(state_); }

  // A number below `bound`, which is above 0; every one equally likely.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t least = (0 - bound) % bound;  // drop the first 2^64 mod bound values
    for (;;)
      if (const auto value = next(); value >= least) return value % bound;
  }

 private:
  std::uint64_t state_;
};

// Fisher-Yates.
template <class T>
void shuffle(std::vector<T>& values, Random& random) {
  for (std::size_t k = values.size(); k > 1; --k) std::swap(values[k - 1], values[random.below(k)]);
}

}  // namespace hadar::gavel
