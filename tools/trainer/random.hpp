// Random numbers that are the same on every machine and library: std's distributions are not.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "messages/types/split_mix.hpp"

namespace hadar::trainer {

// A value; no thread may share one.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  // 64 uniform bits.
  std::uint64_t next() { return split_mix(state_); }

  // Uniform in [-bound, bound).
  float symmetric(float bound) {
    const auto unit = static_cast<float>(next() >> 40) * 0x1p-24F;
    return (2 * unit - 1) * bound;
  }

  // Uniform in [0, limit), limit > 0; the modulo's bias is below 2^-40 for the row counts here.
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }

  // Puts the items into a random order.
  void shuffle(std::span<std::uint32_t> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_;
};

// One seed out of several numbers; a change in any of them changes it.
inline std::uint64_t mix_seeds(std::initializer_list<std::uint64_t> parts) {
  std::uint64_t mixed = 0;
  for (const auto part : parts) mixed = Random(mixed ^ part).next();
  return mixed;
}

}  // namespace hadar::trainer
