// The inner loops of a merge, on blocks of elements in memory. Pure; the same bits on every machine.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/weights/dtype.hpp"

namespace hadar {

// How a dtype is merged.
enum class MergeRule : std::uint8_t {
  kAverage,   // F16, BF16, F32, F64, and C64 as pairs of F32
  kLargest,   // integers: element by element
  kHeaviest,  // BOOL and floats of 8 bits and fewer: the bytes of the copy with the largest coefficient
};

MergeRule merge_rule(Dtype dtype);

// Numbers in one element of an averaged dtype and the bytes of one number: C64 holds two F32.
struct NumberLayout {
  Dtype dtype = Dtype::kF32;  // F16, BF16, F32 or F64
  std::size_t bytes = 4;      // of one number
};
NumberLayout number_layout(Dtype averaged);

// Numbers handled per call at most.
inline constexpr std::size_t kSumBlock = 2048;

// sum[i] = coefficient * x[i], or += when `first` is false, in double. `in` holds sum.size() numbers of `number`,
// aligned to their size.
void add_scaled(Dtype number, const std::byte* in, double coefficient, bool first, std::span<double> sum);

// Rounds each sum once to `number`, to nearest even. Returns whether every result is finite.
bool round_sums(Dtype number, std::span<const double> sum, std::byte* out);

// Whether all `count` numbers are finite.
bool all_finite(Dtype number, const std::byte* in, std::size_t count);

// out[i] = max(out[i], in[i]) over integers of `dtype`.
void take_larger(Dtype dtype, const std::byte* in, std::size_t count, std::byte* out);

}  // namespace hadar
