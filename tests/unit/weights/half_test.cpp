#include "runtime/weights/half.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace hadar {
namespace {

double slow_f16(std::uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const int mantissa = half & 1023;
  const double sign = (half & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return mantissa == 0 ? sign * HUGE_VAL : NAN;
  return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25));
}

double slow_bf16(std::uint16_t brain) {
  const int exponent = (brain >> 7) & 255;
  const int mantissa = brain & 127;
  const double sign = (brain & 0x8000) != 0 ? -1 : 1;
  if (exponent == 255) return mantissa == 0 ? sign * HUGE_VAL : NAN;
  return sign * (exponent == 0 ? std::ldexp(mantissa, -133) : std::ldexp(128 + mantissa, exponent - 134));
}

// Equal with the sign of zero, or both NaN.
bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

TEST(Half, WidensEveryValueExactly) {
  for (unsigned bits = 0; bits <= 0xFFFF; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double f16 = slow_f16(half);
    const double bf16 = slow_bf16(half);
    ASSERT_TRUE(same(double_from_f16(half), f16)) << bits;
    ASSERT_TRUE(same(double_from_bf16(half), bf16)) << bits;
  }
}

TEST(Half, NarrowsEveryExactValueToItself) {
  for (unsigned bits = 0; bits <= 0xFFFF; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if (!std::isnan(slow_f16(half))) {
      ASSERT_EQ(f16_from_double(slow_f16(half)), half);
    }
    if (!std::isnan(slow_bf16(half))) {
      ASSERT_EQ(bf16_from_double(slow_bf16(half)), half);
    }
  }
  EXPECT_TRUE(std::isnan(double_from_f16(f16_from_double(NAN))));
  EXPECT_TRUE(std::isnan(double_from_bf16(bf16_from_double(NAN))));
}

// Between neighbours: below the middle goes down, above goes up, the middle to the even one.
template <class Widen, class Narrow>
void check_rounding(std::uint16_t largest, Widen widen, Narrow narrow) {
  for (std::uint16_t low = 0; low < largest; ++low) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const double middle = (widen(low) + widen(high)) / 2;
    const auto even = (low & 1) == 0 ? low : high;
    ASSERT_EQ(narrow(middle), even) << low;
    ASSERT_EQ(narrow(std::nextafter(middle, 0)), low) << low;
    ASSERT_EQ(narrow(std::nextafter(middle, HUGE_VAL)), high) << low;
    ASSERT_EQ(narrow(-middle), even | 0x8000) << low;
  }
}

TEST(Half, RoundsOnceToNearestEven) {
  check_rounding(0x7BFF, double_from_f16, f16_from_double);
  check_rounding(0x7F7F, double_from_bf16, bf16_from_double);
}

TEST(Half, BeyondTheRangeIsInfinite) {
  EXPECT_EQ(f16_from_double(65519.999), 0x7BFF);
  EXPECT_EQ(f16_from_double(65520), 0x7C00);
  EXPECT_EQ(f16_from_double(-1e300), 0xFC00);
  EXPECT_EQ(bf16_from_double(1e300), 0x7F80);
  EXPECT_EQ(f16_from_double(1e-300), 0);
  EXPECT_EQ(bf16_from_double(-1e-300), 0x8000);
}

}  // namespace
}  // namespace hadar
