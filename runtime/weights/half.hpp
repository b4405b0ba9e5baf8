// 16-bit floats by hand: the compilers of Debian 12 offer no portable type for them. All loops over these vectorise.
#pragma once

#include <bit>
#include <cstdint>

namespace hadar {

// Exact.
inline double double_from_f16(std::uint16_t half) {
  // Shifted into a double's places the exponent is too small by 1023 - 15; the multiplication mends it, denormals too.
  const std::uint64_t magnitude = static_cast<std::uint64_t>(half & 0x7FFFU) << 42;
  const double scaled = std::bit_cast<double>(magnitude) * 0x1p1008;
  const std::uint64_t special = (half & 0x7C00U) == 0x7C00U ? 0x7FF0000000000000ULL : 0;
  const std::uint64_t sign = static_cast<std::uint64_t>(half & 0x8000U) << 48;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(scaled) | special | sign);
}

// Rounds once, to nearest, ties to even; beyond the largest half it gives an infinity, and NaN stays NaN.
inline std::uint16_t f16_from_double(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 48) & 0x8000U);
  const std::uint64_t magnitude = bits & 0x7FFFFFFFFFFFFFFFULL;
  // 2^28 has its last bit at 2^-24, the step of half denormals: the addition rounds to it.
  const double denormal = std::bit_cast<double>(magnitude) + 0x1p28;
  const auto small = static_cast<std::uint16_t>(std::bit_cast<std::uint64_t>(denormal) & 0xFFFFU);
  const std::uint64_t rounded = magnitude + 0x1FFFFFFFFFFULL + ((magnitude >> 42) & 1U);
  const auto normal = static_cast<std::uint16_t>((rounded >> 42) - (std::uint64_t{1008} << 10));
  std::uint16_t result = magnitude < 0x3F10000000000000ULL ? small : normal;      // below 2^-14
  result = magnitude >= 0x40EFFE0000000000ULL ? std::uint16_t{0x7C00U} : result;  // from 65520 on
  result = magnitude > 0x7FF0000000000000ULL ? std::uint16_t{0x7E00U} : result;   // NaN
  return static_cast<std::uint16_t>(result | sign);
}

// Exact.
inline double double_from_bf16(std::uint16_t brain) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(brain) << 16));
}

// Rounds once, to nearest, ties to even.
inline std::uint16_t bf16_from_double(double value) {
  // Through a float rounded to odd: its last bit remembers what was cut off, so the second rounding is the only one.
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<double>(nearest);
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  const bool exact = back == value || value != value;
  const bool away = std::bit_cast<std::uint64_t>(back) << 1 > std::bit_cast<std::uint64_t>(value) << 1;
  bits -= !exact && away ? 1U : 0U;  // towards zero
  bits |= exact ? 0U : 1U;
  const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
  return static_cast<std::uint16_t>(value != value ? (bits >> 16) | 0x40U : rounded);
}

}  // namespace hadar
