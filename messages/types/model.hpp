// Blobs and model versions. A model version is a content hash; the bytes are a safetensors file.
#pragma once

#include <cstdint>
#include <string>

namespace hadar {

// A blob by content: 32 lower-case hex digits of XXH3-128 over its bytes. An empty hash means "no blob".
struct BlobRef {
  std::string hash;
  std::uint64_t size = 0;  // bytes

  [[nodiscard]] bool empty() const { return hash.empty(); }
  friend bool operator==(const BlobRef&, const BlobRef&) = default;
};

// Version 0 is the state before any training; its blob is empty: the trainer starts from its seed.
struct ModelVersion {
  std::uint64_t version = 0;
  BlobRef weights;

  friend bool operator==(const ModelVersion&, const ModelVersion&) = default;
};

}  // namespace hadar
