#include "tools/trainer/weights_file.hpp"

#include <algorithm>
#include <span>

#include "messages/types/check.hpp"
#include "runtime/weights/safetensors.hpp"

namespace hadar::trainer {

Status save_weights(const std::filesystem::path& path, const Layout& layout, const Vector& weights) {
  HADAR_REQUIRE(static_cast<std::size_t>(weights.size()) == layout.size());
  std::vector<TensorView> views;
  for (const auto& tensor : layout.tensors()) {
    const std::span<const float> values(weights.data() + tensor.offset, tensor.count);
    views.push_back({{tensor.name, Dtype::kF32, tensor.shape}, std::as_bytes(values)});
  }
  // A crash that loses this file costs the steps since the last model version, which are then trained again.
  return write_safetensors(path, views, {{"format", "pt"}}, Durability::kCached);
}

Result<Vector> load_weights(const std::filesystem::path& path, const Layout& layout) {
  auto file = SafetensorsFile::open(path);
  if (!file) return fail(std::move(file));
  if (file->tensors().size() != layout.tensors().size())
    return fail(ErrorCode::kInvalidArgument, path.string() + ": holds " + std::to_string(file->tensors().size()) +
                                                 " tensors, the model has " + std::to_string(layout.tensors().size()));
  Vector weights(static_cast<Eigen::Index>(layout.size()));
  for (const auto& tensor : layout.tensors()) {
    auto values = file->read_f32(tensor.name, tensor.shape);
    if (!values) return fail(std::move(values));
    std::copy(values->begin(), values->end(), weights.data() + tensor.offset);
  }
  return weights;
}

}  // namespace hadar::trainer
