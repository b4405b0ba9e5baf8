// Small safetensors files for tests.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/weights/safetensors.hpp"

namespace hadar::test {

// A tensor with its own bytes.
struct OwnedTensor {
  TensorSpec spec;
  std::vector<std::byte> bytes;
};

template <class T>
OwnedTensor a_tensor(std::string name, Dtype dtype, TensorShape shape, const std::vector<T>& values) {
  OwnedTensor tensor{{std::move(name), dtype, std::move(shape)}, std::vector<std::byte>(values.size() * sizeof(T))};
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

inline void write_weights(const std::filesystem::path& path, const std::vector<OwnedTensor>& tensors,
                          const TensorMetadata& metadata = {}) {
  std::vector<TensorView> views;
  for (const auto& tensor : tensors) views.push_back({tensor.spec, tensor.bytes});
  const auto good = write_safetensors(path, views, metadata, Durability::kCached);
  ASSERT_TRUE(good) << good.error().message;
}

template <class T>
std::vector<T> values_of(const SafetensorsFile& file, const std::string& name) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto* tensor = file.find(name);
  if (tensor == nullptr) {
    ADD_FAILURE() << "no tensor '" << name << "'";
    return {};
  }
  std::vector<T> values(tensor->size() / sizeof(T));
  const auto good = file.read(*tensor, 0, std::as_writable_bytes(std::span(values)));
  EXPECT_TRUE(good) << good.error().message;
  return values;
}

template <class T>
std::vector<T> values_of(const std::filesystem::path& path, const std::string& name) {
  const auto file = SafetensorsFile::open(path);
  if (!file) {
    ADD_FAILURE() << file.error().message;
    return {};
  }
  return values_of<T>(*file, name);
}

inline std::string bytes_of_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A file by hand: the length prefix `length` (when 2^64-1: that of the header), the header, the data.
inline void write_raw(const std::filesystem::path& path, const std::string& header, const std::string& data = {},
                      std::uint64_t length = ~std::uint64_t{0}) {
  if (length == ~std::uint64_t{0}) length = header.size();
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out << header << data;
}

}  // namespace hadar::test
