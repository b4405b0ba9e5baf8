// One pass over the tensors of a merge. Inside of weighted_sum; not for other rooms.
#pragma once

#include <optional>
#include <vector>

#include "runtime/weights/merge_plan.hpp"
#include "runtime/weights/sum_kernels.hpp"

namespace hadar::detail {

// Reads every copy once and writes the output (and Nesterov's momentum). Buffers: one chunk per input and output.
class MergePass {
 public:
  // All three must outlive the pass. Adds to report's byte counts.
  MergePass(const MergePlan& plan, const MergeSettings& settings, MergeReport& report);

  // Errors as merge_weights. When one copy is to blame, culprit() names it; when a result was not finite, not_finite()
  // is true and nobody is named yet. The output file exists only on success.
  Status run(const std::filesystem::path& output);

  // Index into plan.copies of the copy that could not be read to its end.
  [[nodiscard]] std::optional<std::size_t> culprit() const { return culprit_; }
  [[nodiscard]] bool not_finite() const { return not_finite_; }

 private:
  // Numbers `first` to first + count of an averaged tensor.
  struct Stretch {
    const TensorInfo* tensor = nullptr;
    NumberLayout number;
    std::uint64_t first = 0;
    std::size_t count = 0;
  };

  void use_fednova_coefficients();
  Status open_momentum(const std::vector<TensorInfo>& weights);
  Status merge_tensor(const TensorInfo& tensor, SafetensorsWriter& writer);
  Status average(const TensorInfo& tensor, SafetensorsWriter& writer);
  Status read_stretch(const Stretch& stretch);
  Status average_stretch(const Stretch& stretch, SafetensorsWriter& writer);
  bool nesterov_step(const Stretch& stretch, std::size_t from, std::span<double> average);
  Status largest(const TensorInfo& tensor, SafetensorsWriter& writer);
  Status heaviest(const TensorInfo& tensor, SafetensorsWriter& writer);
  Status read_copy(std::size_t at, const std::string& name, std::uint64_t from, std::span<std::byte> out);
  Status read_beside(const SafetensorsFile& file, const std::string& name, std::uint64_t from,
                     std::span<std::byte> out);
  [[nodiscard]] Status check_stop() const;

  const MergePlan& plan_;
  const MergeSettings& settings_;
  MergeReport& report_;
  std::vector<double> coefficients_;  // of plan.copies
  double base_coefficient_ = 0;       // FedNova's
  bool uses_base_ = false;
  bool nesterov_ = false;
  std::vector<std::vector<std::byte>> inputs_;
  std::vector<std::byte> base_;
  std::vector<std::byte> momentum_;
  std::vector<std::byte> output_;
  std::optional<SafetensorsFile> momentum_file_;
  std::optional<SafetensorsWriter> momentum_writer_;
  std::optional<std::size_t> culprit_;
  bool not_finite_ = false;
};

}  // namespace hadar::detail
