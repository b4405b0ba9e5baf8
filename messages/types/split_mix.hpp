// SplitMix64 (Steele, Lea, Flood, OOPSLA'14): 64 mixed bits, the same on every machine and library.
#pragma once

#include <cstdint>

namespace hadar {

// Its output function: every bit of the answer hangs on every bit of `z`.
constexpr std::uint64_t mix_bits(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

// The next number; moves `state` on.
constexpr std::uint64_t split_mix(std::uint64_t& state) {
  return mix_bits(state += 0x9e3779b97f4a7c15ULL);
}

}  // namespace hadar
