#include "runtime/weights/merge_pass.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "messages/types/check.hpp"
#include "runtime/weights/utf8.hpp"

namespace hadar::detail {
namespace {

Dtype momentum_dtype(Dtype number) {
  return number == Dtype::kF64 ? Dtype::kF64 : Dtype::kF32;
}

std::size_t momentum_bytes(Dtype number) {
  return bits_of(momentum_dtype(number)) / 8;
}

std::vector<TensorSpec> momentum_specs(const std::vector<TensorInfo>& weights) {
  std::vector<TensorSpec> specs;
  for (const auto& tensor : weights) {
    if (merge_rule(tensor.dtype) != MergeRule::kAverage) continue;
    auto shape = tensor.shape;
    if (tensor.dtype == Dtype::kC64) shape.push_back(2);
    specs.push_back({tensor.name, momentum_dtype(number_layout(tensor.dtype).dtype), std::move(shape)});
  }
  return specs;
}

Error with_prefix(std::string prefix, Error error) {
  return {error.code, std::move(prefix) + error.message};
}

}  // namespace

MergePass::MergePass(const MergePlan& plan, const MergeSettings& settings, MergeReport& report)
    : plan_(plan), settings_(settings), report_(report), coefficients_(plan.shares()), inputs_(plan.copies.size()) {
  uses_base_ = plan.base.has_value() && settings.outer.kind != OuterKind::kAverage;
  nesterov_ = uses_base_ && settings.outer.kind == OuterKind::kNesterov;
  if (uses_base_ && !nesterov_) use_fednova_coefficients();
  for (auto& buffer : inputs_) buffer.resize(settings.chunk_bytes);
  output_.resize(settings.chunk_bytes);
  if (uses_base_) base_.resize(settings.chunk_bytes);
  if (nesterov_) momentum_.resize(settings.chunk_bytes);
}

// theta - t_eff sum p_i (theta - theta_i) / t_i is one linear combination of the base and the copies.
void MergePass::use_fednova_coefficients() {
  double effective_steps = 0;
  for (std::size_t i = 0; i < coefficients_.size(); ++i)
    effective_steps += coefficients_[i] * static_cast<double>(plan_.copies[i].copy->steps);
  base_coefficient_ = 1;
  for (std::size_t i = 0; i < coefficients_.size(); ++i) {
    coefficients_[i] *= effective_steps / static_cast<double>(plan_.copies[i].copy->steps);
    base_coefficient_ -= coefficients_[i];
  }
}

Status MergePass::run(const std::filesystem::path& output) {
  std::vector<TensorSpec> specs;
  for (const auto& tensor : plan_.copies[0].file.tensors()) specs.push_back({tensor.name, tensor.dtype, tensor.shape});
  auto writer = SafetensorsWriter::create(output, std::move(specs), plan_.heaviest().file.metadata());
  if (!writer) return fail(std::move(writer));
  if (nesterov_)
    if (auto good = open_momentum(writer->tensors()); !good) return good;
  for (const auto& tensor : writer->tensors()) {
    if (auto good = merge_tensor(tensor, *writer); !good) return good;
    report_.bytes_written += tensor.size();
  }
  if (momentum_writer_)
    if (auto good = momentum_writer_->finish(settings_.durability); !good) return good;
  return writer->finish(settings_.durability);
}

Status MergePass::open_momentum(const std::vector<TensorInfo>& weights) {
  auto specs = momentum_specs(weights);
  if (!settings_.momentum_in.empty()) {
    auto file = SafetensorsFile::open(settings_.momentum_in);
    if (!file) return tl::unexpected(with_prefix("merge: momentum: ", file.error()));
    for (const auto& spec : specs) {
      const auto* found = file->find(spec.name);
      if (found == nullptr || found->dtype != spec.dtype || found->shape != spec.shape)
        return fail(ErrorCode::kCorrupt, "merge: momentum: " + settings_.momentum_in.string() + ": tensor '" +
                                             printable(spec.name) + "' is missing or has another dtype or shape");
    }
    momentum_file_.emplace(std::move(*file));
  }
  // In the order of the weights, so that both files can be streamed at once.
  auto writer = SafetensorsWriter::create(settings_.momentum_out, std::move(specs), {}, TensorOrder::kAsGiven);
  if (!writer) return fail(std::move(writer));
  momentum_writer_.emplace(std::move(*writer));
  return {};
}

Status MergePass::merge_tensor(const TensorInfo& tensor, SafetensorsWriter& writer) {
  switch (merge_rule(tensor.dtype)) {
    case MergeRule::kAverage: return average(tensor, writer);
    case MergeRule::kLargest: return largest(tensor, writer);
    case MergeRule::kHeaviest: return heaviest(tensor, writer);
  }
  return {};
}

Status MergePass::average(const TensorInfo& tensor, SafetensorsWriter& writer) {
  Stretch stretch{.tensor = &tensor, .number = number_layout(tensor.dtype)};
  const auto widest = std::max(stretch.number.bytes, nesterov_ ? momentum_bytes(stretch.number.dtype) : 0);
  const std::uint64_t total = tensor.size() / stretch.number.bytes;
  while (stretch.first < total) {
    stretch.count =
        static_cast<std::size_t>(std::min<std::uint64_t>(settings_.chunk_bytes / widest, total - stretch.first));
    if (auto good = average_stretch(stretch, writer); !good) return good;
    stretch.first += stretch.count;
  }
  return {};
}

Status MergePass::read_stretch(const Stretch& stretch) {
  const auto& name = stretch.tensor->name;
  const auto from = stretch.first * stretch.number.bytes;
  const auto bytes = stretch.count * stretch.number.bytes;
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (auto good = read_copy(i, name, from, std::span(inputs_[i]).first(bytes)); !good) return good;
  if (uses_base_)
    if (auto good = read_beside(*plan_.base, name, from, std::span(base_).first(bytes)); !good) return good;
  if (!nesterov_) return {};
  const auto momentum_size = momentum_bytes(stretch.number.dtype);
  const auto momentum = std::span(momentum_).first(stretch.count * momentum_size);
  if (momentum_file_) return read_beside(*momentum_file_, name, stretch.first * momentum_size, momentum);
  std::fill(momentum.begin(), momentum.end(), std::byte{0});
  return {};
}

Status MergePass::average_stretch(const Stretch& stretch, SafetensorsWriter& writer) {
  if (auto good = check_stop(); !good) return good;
  if (auto good = read_stretch(stretch); !good) return good;
  const auto [number, bytes] = stretch.number;
  alignas(64) std::array<double, kSumBlock> block;
  bool finite = true;
  for (std::size_t at = 0; at < stretch.count; at += kSumBlock) {
    const auto sum = std::span(block).first(std::min(kSumBlock, stretch.count - at));
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      add_scaled(number, inputs_[i].data() + at * bytes, coefficients_[i], i == 0, sum);
    if (nesterov_) {
      finite &= nesterov_step(stretch, at, sum);
    } else if (uses_base_) {
      add_scaled(number, base_.data() + at * bytes, base_coefficient_, false, sum);
    }
    finite &= round_sums(number, sum, output_.data() + at * bytes);
  }
  if (!finite) {
    not_finite_ = true;
    return fail(ErrorCode::kInvalidArgument, "merge: tensor '" + printable(stretch.tensor->name) +
                                                 "' leaves the range of " + std::string(name_of(number)));
  }
  if (momentum_writer_) {
    const auto size = stretch.count * momentum_bytes(number);
    if (auto good = momentum_writer_->append(std::span(momentum_).first(size)); !good) return good;
  }
  return writer.append(std::span(output_).first(stretch.count * bytes));
}

// sum holds the average; it becomes theta - lr (g + mu m) with g = theta - average and m = mu m + g.
bool MergePass::nesterov_step(const Stretch& stretch, std::size_t from, std::span<double> average) {
  const auto number = stretch.number.dtype;
  const auto kept = momentum_dtype(number);
  auto* momentum_at = momentum_.data() + from * momentum_bytes(number);
  alignas(64) std::array<double, kSumBlock> theta;
  alignas(64) std::array<double, kSumBlock> momentum;
  add_scaled(number, base_.data() + from * stretch.number.bytes, 1, true, std::span(theta).first(average.size()));
  add_scaled(kept, momentum_at, 1, true, std::span(momentum).first(average.size()));
  const auto& outer = settings_.outer;
  for (std::size_t i = 0; i < average.size(); ++i) {
    const double gradient = theta[i] - average[i];
    momentum[i] = outer.momentum * momentum[i] + gradient;
    average[i] = theta[i] - outer.learning_rate * (gradient + outer.momentum * momentum[i]);
  }
  return round_sums(kept, std::span(momentum).first(average.size()), momentum_at);
}

Status MergePass::largest(const TensorInfo& tensor, SafetensorsWriter& writer) {
  const std::size_t bytes = bits_of(tensor.dtype) / 8;
  const std::uint64_t chunk = settings_.chunk_bytes / bytes * bytes;
  for (std::uint64_t from = 0; from < tensor.size(); from += chunk) {
    if (auto good = check_stop(); !good) return good;
    const auto size = static_cast<std::size_t>(std::min(chunk, tensor.size() - from));
    if (auto good = read_copy(0, tensor.name, from, std::span(output_).first(size)); !good) return good;
    for (std::size_t i = 1; i < inputs_.size(); ++i) {
      if (auto good = read_copy(i, tensor.name, from, std::span(inputs_[i]).first(size)); !good) return good;
      take_larger(tensor.dtype, inputs_[i].data(), size / bytes, output_.data());
    }
    if (auto good = writer.append(std::span(output_).first(size)); !good) return good;
  }
  return {};
}

Status MergePass::heaviest(const TensorInfo& tensor, SafetensorsWriter& writer) {
  const auto heavy = static_cast<std::size_t>(&plan_.heaviest() - plan_.copies.data());
  for (std::uint64_t from = 0; from < tensor.size(); from += settings_.chunk_bytes) {
    if (auto good = check_stop(); !good) return good;
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(settings_.chunk_bytes, tensor.size() - from));
    if (auto good = read_copy(heavy, tensor.name, from, std::span(output_).first(size)); !good) return good;
    if (auto good = writer.append(std::span(output_).first(size)); !good) return good;
  }
  return {};
}

Status MergePass::read_copy(std::size_t at, const std::string& name, std::uint64_t from, std::span<std::byte> out) {
  auto good = read_beside(plan_.copies[at].file, name, from, out);
  if (!good) culprit_ = at;
  return good;
}

Status MergePass::read_beside(const SafetensorsFile& file, const std::string& name, std::uint64_t from,
                              std::span<std::byte> out) {
  const auto* tensor = file.find(name);
  HADAR_REQUIRE(tensor != nullptr);
  report_.bytes_read += out.size();
  return file.read(*tensor, from, out);
}

Status MergePass::check_stop() const {
  if (!settings_.stop.stop_requested()) return {};
  return fail(ErrorCode::kTimedOut, "merge: stopped before its end, as asked");
}

}  // namespace hadar::detail
