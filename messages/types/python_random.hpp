// Python's random.Random for integer seeds, as far as its public definition matters here.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "messages/types/check.hpp"

namespace hadar {

// For answers that must equal those of programs written in it.
// Draws what `random.Random(seed)` of CPython 3 draws: MT19937 seeded by key (Matsumoto and Nishimura's init_by_array
// with the seed's 32-bit words), `getrandbits` as the upper bits, `shuffle` by rejection sampling from the last place
// down.
class PythonRandom {
 public:
  explicit PythonRandom(std::uint64_t seed);

  // The next 32 bits.
  [[nodiscard]] std::uint32_t next();
  // `random()`: 53 bits in [0, 1).
  [[nodiscard]] double unit() {
    const auto high = next() >> 5U;
    const auto low = next() >> 6U;
    return (high * 67108864.0 + low) / 9007199254740992.0;
  }
  // Uniform in [0, n), n > 0: `choice` draws its place so.
  [[nodiscard]] std::uint32_t below(std::uint32_t n);

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (auto i = static_cast<std::uint32_t>(items.size()); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  static constexpr std::size_t kWords = 624;
  void start(std::uint32_t seed);
  void twist();

  std::array<std::uint32_t, kWords> words_{};
  std::size_t at_ = kWords;
};

// std::mt19937 has the same generator, but cannot be seeded by key.
inline void PythonRandom::start(std::uint32_t seed) {
  words_[0] = seed;
  for (std::uint32_t i = 1; i < kWords; ++i) words_[i] = 1812433253U * (words_[i - 1] ^ (words_[i - 1] >> 30U)) + i;
}

inline PythonRandom::PythonRandom(std::uint64_t seed) {
  std::vector<std::uint32_t> key{static_cast<std::uint32_t>(seed)};
  if (seed >> 32U) key.push_back(static_cast<std::uint32_t>(seed >> 32U));
  start(19650218U);
  std::size_t i = 1;
  std::uint32_t j = 0;
  const auto step = [&] {
    if (++i < kWords) return;
    words_[0] = words_[kWords - 1];
    i = 1;
  };
  for (std::size_t k = std::max(kWords, key.size()); k > 0; --k) {
    words_[i] = (words_[i] ^ ((words_[i - 1] ^ (words_[i - 1] >> 30U)) * 1664525U)) + key[j] + j;
    step();
    if (++j == key.size()) j = 0;
  }
  for (std::size_t k = kWords - 1; k > 0; --k) {
    words_[i] = (words_[i] ^ ((words_[i - 1] ^ (words_[i - 1] >> 30U)) * 1566083941U)) - static_cast<std::uint32_t>(i);
    step();
  }
  words_[0] = 0x80000000U;
}

inline void PythonRandom::twist() {
  constexpr std::size_t kMiddle = 397;
  for (std::size_t i = 0; i < kWords; ++i) {
    const auto y = (words_[i] & 0x80000000U) | (words_[(i + 1) % kWords] & 0x7fffffffU);
    words_[i] = words_[(i + kMiddle) % kWords] ^ (y >> 1U) ^ ((y & 1U) ? 0x9908b0dfU : 0U);
  }
  at_ = 0;
}

inline std::uint32_t PythonRandom::next() {
  if (at_ == kWords) twist();
  auto y = words_[at_++];
  y ^= y >> 11U;
  y ^= (y << 7U) & 0x9d2c5680U;
  y ^= (y << 15U) & 0xefc60000U;
  return y ^ (y >> 18U);
}

inline std::uint32_t PythonRandom::below(std::uint32_t n) {
  HADAR_REQUIRE(n > 0);
  const auto bits = static_cast<std::uint32_t>(std::bit_width(n));
  for (;;)
    if (const auto drawn = next() >> (32U - bits); drawn < n) return drawn;
}

}  // namespace hadar
