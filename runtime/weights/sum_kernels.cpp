#include "runtime/weights/sum_kernels.hpp"

#include <bit>
#include <cstdint>
#include <type_traits>

#include "messages/types/check.hpp"
#include "runtime/weights/half.hpp"

namespace hadar {
namespace {

struct F16 {
  using Bits = std::uint16_t;
  static constexpr Bits kExponent = 0x7C00U;
  static double widen(Bits bits) { return double_from_f16(bits); }
  static Bits narrow(double value) { return f16_from_double(value); }
};

struct Bf16 {
  using Bits = std::uint16_t;
  static constexpr Bits kExponent = 0x7F80U;
  static double widen(Bits bits) { return double_from_bf16(bits); }
  static Bits narrow(double value) { return bf16_from_double(value); }
};

struct F32 {
  using Bits = std::uint32_t;
  static constexpr Bits kExponent = 0x7F800000U;
  static double widen(Bits bits) { return static_cast<double>(std::bit_cast<float>(bits)); }
  static Bits narrow(double value) { return std::bit_cast<Bits>(static_cast<float>(value)); }
};

struct F64 {
  using Bits = std::uint64_t;
  static constexpr Bits kExponent = 0x7FF0000000000000ULL;
  static double widen(Bits bits) { return std::bit_cast<double>(bits); }
  static Bits narrow(double value) { return std::bit_cast<Bits>(value); }
};

template <class Use>
auto with_number(Dtype number, Use use) {
  switch (number) {
    case Dtype::kF16: return use(F16{});
    case Dtype::kBf16: return use(Bf16{});
    case Dtype::kF64: return use(F64{});
    default: HADAR_REQUIRE(number == Dtype::kF32); return use(F32{});
  }
}

// Adding the exponent's last place carries into the sign's place exactly when the exponent is all ones: unlike a
// comparison it needs no mask and works on whole vectors of any width.
template <class Number>
typename Number::Bits not_finite(typename Number::Bits bits) {
  using Bits = typename Number::Bits;
  constexpr Bits kLastPlace = static_cast<Bits>(Number::kExponent & (~Number::kExponent + 1U));
  return static_cast<Bits>((bits & Number::kExponent) + kLastPlace);
}

template <class Bits>
bool has_top_bit(Bits bits) {
  return (bits >> (8 * sizeof(Bits) - 1)) != 0;
}

template <class Number>
void add_block(const typename Number::Bits* in, double coefficient, bool first, double* sum, std::size_t count) {
  if (first) {
    for (std::size_t i = 0; i < count; ++i) sum[i] = coefficient * Number::widen(in[i]);
  } else {
    for (std::size_t i = 0; i < count; ++i) sum[i] += coefficient * Number::widen(in[i]);
  }
}

template <class Int>
void larger_block(const Int* in, std::size_t count, Int* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = in[i] > out[i] ? in[i] : out[i];
}

template <class Int>
void larger_bytes(const std::byte* in, std::size_t count, std::byte* out) {
  larger_block(reinterpret_cast<const Int*>(in), count, reinterpret_cast<Int*>(out));
}

}  // namespace

MergeRule merge_rule(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF16:
    case Dtype::kBf16:
    case Dtype::kF32:
    case Dtype::kF64:
    case Dtype::kC64: return MergeRule::kAverage;
    case Dtype::kU8:
    case Dtype::kI8:
    case Dtype::kU16:
    case Dtype::kI16:
    case Dtype::kU32:
    case Dtype::kI32:
    case Dtype::kU64:
    case Dtype::kI64: return MergeRule::kLargest;
    default: return MergeRule::kHeaviest;
  }
}

NumberLayout number_layout(Dtype averaged) {
  HADAR_REQUIRE(merge_rule(averaged) == MergeRule::kAverage);
  if (averaged == Dtype::kC64) return {Dtype::kF32, sizeof(float)};
  return {averaged, bits_of(averaged) / 8};
}

void add_scaled(Dtype number, const std::byte* in, double coefficient, bool first, std::span<double> sum) {
  HADAR_REQUIRE(sum.size() <= kSumBlock);
  with_number(number, [&](auto kind) {
    using Number = decltype(kind);
    add_block<Number>(reinterpret_cast<const typename Number::Bits*>(in), coefficient, first, sum.data(), sum.size());
  });
}

bool round_sums(Dtype number, std::span<const double> sum, std::byte* out) {
  return with_number(number, [&](auto kind) {
    using Number = decltype(kind);
    auto* results = reinterpret_cast<typename Number::Bits*>(out);
    typename Number::Bits bad = 0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      results[i] = Number::narrow(sum[i]);
      bad |= not_finite<Number>(results[i]);
    }
    return !has_top_bit(bad);
  });
}

bool all_finite(Dtype number, const std::byte* in, std::size_t count) {
  return with_number(number, [&](auto kind) {
    using Number = decltype(kind);
    const auto* values = reinterpret_cast<const typename Number::Bits*>(in);
    typename Number::Bits bad = 0;
    for (std::size_t i = 0; i < count; ++i) bad |= not_finite<Number>(values[i]);
    return !has_top_bit(bad);
  });
}

void take_larger(Dtype dtype, const std::byte* in, std::size_t count, std::byte* out) {
  switch (dtype) {
    case Dtype::kU8: return larger_bytes<std::uint8_t>(in, count, out);
    case Dtype::kI8: return larger_bytes<std::int8_t>(in, count, out);
    case Dtype::kU16: return larger_bytes<std::uint16_t>(in, count, out);
    case Dtype::kI16: return larger_bytes<std::int16_t>(in, count, out);
    case Dtype::kU32: return larger_bytes<std::uint32_t>(in, count, out);
    case Dtype::kI32: return larger_bytes<std::int32_t>(in, count, out);
    case Dtype::kU64: return larger_bytes<std::uint64_t>(in, count, out);
    default: HADAR_REQUIRE(dtype == Dtype::kI64); return larger_bytes<std::int64_t>(in, count, out);
  }
}

}  // namespace hadar
