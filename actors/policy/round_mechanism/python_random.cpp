#include "actors/policy/round_mechanism/python_random.hpp"

#include <algorithm>
#include <bit>

#include "messages/types/check.hpp"

namespace hadar {

// std::mt19937 has the same generator, but cannot be seeded by key.
void PythonRandom::start(std::uint32_t seed) {
  words_[0] = seed;
  for (std::uint32_t i = 1; i < kWords; ++i) words_[i] = 1812433253U * (words_[i - 1] ^ (words_[i - 1] >> 30U)) + i;
}

PythonRandom::PythonRandom(std::uint64_t seed) {
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

void PythonRandom::twist() {
  constexpr std::size_t kMiddle = 397;
  for (std::size_t i = 0; i < kWords; ++i) {
    const auto y = (words_[i] & 0x80000000U) | (words_[(i + 1) % kWords] & 0x7fffffffU);
    words_[i] = words_[(i + kMiddle) % kWords] ^ (y >> 1U) ^ ((y & 1U) ? 0x9908b0dfU : 0U);
  }
  at_ = 0;
}

std::uint32_t PythonRandom::next() {
  if (at_ == kWords) twist();
  auto y = words_[at_++];
  y ^= y >> 11U;
  y ^= (y << 7U) & 0x9d2c5680U;
  y ^= (y << 15U) & 0xefc60000U;
  return y ^ (y >> 18U);
}

std::uint32_t PythonRandom::below(std::uint32_t n) {
  HADAR_REQUIRE(n > 0);
  const auto bits = static_cast<std::uint32_t>(std::bit_width(n));
  for (;;)
    if (const auto drawn = next() >> (32U - bits); drawn < n) return drawn;
}

}  // namespace hadar
