// Who takes part in a merge, and with which coefficient. Inside of weighted_sum; not for other rooms.
#pragma once

#include <optional>
#include <vector>

#include "runtime/weights/weighted_sum.hpp"

namespace hadar::detail {

// A copy that opened and fits so far.
struct OpenCopy {
  std::size_t index = 0;  // into the copies as given
  const WeightedCopy* copy = nullptr;
  SafetensorsFile file;
};

struct MergePlan {
  std::vector<OpenCopy> copies;  // rising keys: the order of summation
  std::optional<SafetensorsFile> base;
  std::vector<LeftOutCopy> left_out;

  // The copy with the largest coefficient; ties go to the smallest key. Requires a copy.
  [[nodiscard]] const OpenCopy& heaviest() const;
  // Takes copies[at] out, naming the reason.
  void leave_out(std::size_t at, std::string reason);
  // p_i of copies, summing to 1.
  [[nodiscard]] std::vector<double> shares() const;
};

// Checks arguments, opens base and copies, leaves out those that do not fit. Errors as merge_weights.
Result<MergePlan> plan_merge(const std::vector<WeightedCopy>& copies, const MergeSettings& settings);

// The error of a merge without a copy left.
Error nothing_left(const MergePlan& plan, const std::vector<WeightedCopy>& copies);

// The first difference in names, dtypes or shapes, in words; empty when both hold the same tensors.
std::string layout_difference(const SafetensorsFile& wanted, const SafetensorsFile& found);

}  // namespace hadar::detail
