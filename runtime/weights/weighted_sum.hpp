// Merging the weights of a job's copies: a weighted average of safetensors files, streamed in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "messages/types/result.hpp"
#include "runtime/weights/outer_optimizer.hpp"
#include "runtime/weights/safetensors.hpp"

namespace hadar {

// One copy's weights.
struct WeightedCopy {
  std::string key;  // names the copy, unique among the copies of a merge: "fork 2"; fixes the order of summation
  std::filesystem::path file;
  double coefficient = 0;   // >= 0, finite; only ratios matter. 0 keeps the copy out
  std::uint64_t steps = 0;  // local steps since the base; used by FedNova only
};

// A copy that does not count, and why, in one line.
struct LeftOutCopy {
  std::size_t index = 0;  // into the copies as given
  std::string reason;

  friend bool operator==(const LeftOutCopy&, const LeftOutCopy&) = default;
};

struct MergeReport {
  std::vector<std::size_t> used;      // indices into the copies as given, rising
  std::vector<LeftOutCopy> left_out;  // rising indices
  std::vector<double> share;          // one per copy as given: its normalised coefficient, 0 when left out; sums to 1
  bool outer_applied = false;         // an outer optimiser other than the average was applied
  std::uint64_t bytes_read = 0;       // of tensors, all passes
  std::uint64_t bytes_written = 0;    // of tensors
};

struct MergeSettings {
  // The version the copies started from; empty = none. When given, its names, shapes and dtypes are the law.
  std::filesystem::path base;
  OuterOptimizer outer;
  // Nesterov's momentum (F32 tensors, F64 for F64 weights). `momentum_in` empty: zeros. `momentum_out` is needed with
  // Nesterov and a base; it is written beside the output and means something only when the merge succeeded.
  std::filesystem::path momentum_in;
  std::filesystem::path momentum_out;
  Durability durability = Durability::kSynced;
  std::size_t chunk_bytes = std::size_t{256} << 10;  // read ahead per input; memory is one chunk per input and output
  std::stop_token stop;                              // asked between chunks
};

// Writes the merge of `copies` to `output` (temporary name and rename are the caller's).
//
// Floats (F16, BF16, F32, F64, C64) are summed in double in the order of the keys and rounded once, so the result does
// not depend on the order of arrival. Integers take the largest element. BOOL and floats of 8 bits and fewer are those
// of the heaviest copy (ties: smallest key), as is the string metadata.
//
// A copy that cannot be read, that holds a NaN or an infinity, or whose names, shapes or dtypes differ (from the base,
// or without one from the layout with the largest total coefficient) is left out and named; the rest are renormalised.
// Non- finite numbers show in the sum, so the common case needs one pass; when they show, one more pass finds every bad
// copy and a last one merges without them.
//
// Errors, each leaving no output: kCorrupt (no copy is left; or the base or momentum is broken), kInvalidArgument
// (no copies, a key twice, a coefficient below 0 or not finite, wrong settings, an outer step that left the dtype's
// range), kIo, kTimedOut (stop was requested). Blocks; call it on a thread of its own. Thread-safe for different
// outputs.
Result<MergeReport> merge_weights(const std::vector<WeightedCopy>& copies, const std::filesystem::path& output,
                                  const MergeSettings& settings = {});

}  // namespace hadar
