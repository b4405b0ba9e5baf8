// Random numbers that are the same everywhere; the standard library's distributions are not.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "messages/types/split_mix.hpp"

namespace hadar::traces {

// xoshiro256** (Blackman and Vigna 2018) begun by SplitMix64, as its authors advise. Streams of one seed do not meet.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) {
    std::uint64_t state = seed ^ (stream * 0xd1342543de82ef95);
    for (auto& word : state_) word = split_mix(state);
  }

  std::uint64_t next() {
    const auto result = std::rotl(state_[1] * 5, 7) * 9;
    const auto shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // 0 <= u < 1, multiples of 2^-53.
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  double uniform(double low, double high) { return low + (high - low) * unit(); }
  // 0, 1, …, end - 1; end >= 1 and below 2^53.
  std::uint64_t below(std::uint64_t end) { return static_cast<std::uint64_t>(unit() * static_cast<double>(end)); }
  // Exponential with this mean.
  double exponential(double mean) { return -mean * std::log1p(-unit()); }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace hadar::traces
