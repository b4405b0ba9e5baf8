// A model's flat weights to and from a safetensors file: one F32 tensor for each of the layout's.
#pragma once

#include <filesystem>

#include "messages/types/result.hpp"
#include "tools/trainer/layout.hpp"

namespace hadar::trainer {

// Writes a new file. Errors: kIo.
Status save_weights(const std::filesystem::path& path, const Layout& layout, const Vector& weights);

// Errors: kNotFound (no such file), kIo, kCorrupt, kInvalidArgument when the file's tensors are not exactly the
// layout's.
Result<Vector> load_weights(const std::filesystem::path& path, const Layout& layout);

}  // namespace hadar::trainer
