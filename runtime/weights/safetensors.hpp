// Reading and writing safetensors files: 8 bytes of header length, a JSON header, then the tensors' bytes without a
// hole. Data is little-endian and so is every machine this builds for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "messages/types/result.hpp"
#include "runtime/weights/dtype.hpp"
#include "runtime/weights/file_handle.hpp"

namespace hadar {

using TensorShape = std::vector<std::uint64_t>;  // empty: a scalar; a 0 in it: no bytes
using TensorMetadata = std::map<std::string, std::string>;

// The longest header the format allows, in bytes.
inline constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;

// A tensor in a file. Offsets are bytes from the start of the data, not of the file.
struct TensorInfo {
  std::string name;
  Dtype dtype = Dtype::kF32;
  TensorShape shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] std::uint64_t size() const { return end - begin; }
  friend bool operator==(const TensorInfo&, const TensorInfo&) = default;
};

struct SafetensorsHeader {
  std::vector<TensorInfo> tensors;  // rising offsets
  TensorMetadata metadata;
};

// Bytes of a tensor. Errors: kInvalidArgument when the product overflows or is no whole number of bytes.
Result<std::uint64_t> tensor_bytes(Dtype dtype, const TensorShape& shape);

// Parses and checks a header (the JSON text) of a file that holds `data_bytes` bytes after it. Every rule of the format
// is checked. Errors: kCorrupt, naming the rule and the tensor. Never throws; work and memory grow with the text only.
Result<SafetensorsHeader> parse_safetensors_header(std::string_view json, std::uint64_t data_bytes);

// A checked file, open for reading. Only the header is held in memory; data is read where asked for.
// Reading is thread-safe: the file's position is not used.
class SafetensorsFile {
 public:
  // Errors: kNotFound (no such file), kIo, kCorrupt (a broken rule; the message names file, rule and tensor).
  static Result<SafetensorsFile> open(const std::filesystem::path& path);

  [[nodiscard]] const std::vector<TensorInfo>& tensors() const { return header_.tensors; }
  [[nodiscard]] const TensorMetadata& metadata() const { return header_.metadata; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // The tensor of that name; nullptr when there is none. Lives as long as this object.
  [[nodiscard]] const TensorInfo* find(std::string_view name) const;

  // Fills `out` with the tensor's bytes from byte `from` on. `tensor` must be one of tensors(), and from + out.size()
  // must not pass its end. Errors: kIo; kCorrupt when the file shrank since it was opened.
  [[nodiscard]] Status read(const TensorInfo& tensor, std::uint64_t from, std::span<std::byte> out) const;

  // A whole F32 tensor. Errors: kNotFound (no such name), kInvalidArgument (other dtype or shape), and those of read.
  [[nodiscard]] Result<std::vector<float>> read_f32(std::string_view name, const TensorShape& shape) const;

 private:
  SafetensorsFile(FileHandle file, std::filesystem::path path, SafetensorsHeader header, std::uint64_t data_start);

  FileHandle file_;
  std::filesystem::path path_;
  SafetensorsHeader header_;
  std::vector<std::uint32_t> by_name_;  // indices of tensors, rising names
  std::uint64_t data_start_ = 0;
};

// What a tensor to be written is.
struct TensorSpec {
  std::string name;
  Dtype dtype = Dtype::kF32;
  TensorShape shape;
};

// In which order a file holds its tensors.
enum class TensorOrder : bool {
  kByAlignment,  // falling size of an element, then by name, as the format's reference writer does
  kAsGiven,
};

// Whether a finished file is forced to the disk before finish() returns.
enum class Durability : bool { kCached = false, kSynced = true };

// Writes a file as a stream: the tensors' bytes one after the other, in the order of tensors(). A writer that goes away
// unfinished removes its file. To replace a file, write beside it and rename.
class SafetensorsWriter {
 public:
  // Orders the tensors and writes a header padded to a multiple of 8. Errors: kInvalidArgument (a name twice,
  // "__metadata__" as a name, text that is not UTF-8, a size that overflows, a header above the format's limit), kIo.
  static Result<SafetensorsWriter> create(const std::filesystem::path& path, std::vector<TensorSpec> tensors,
                                          const TensorMetadata& metadata = {},
                                          TensorOrder order = TensorOrder::kByAlignment);

  SafetensorsWriter(SafetensorsWriter&& other) noexcept;
  SafetensorsWriter& operator=(SafetensorsWriter&& other) = delete;
  ~SafetensorsWriter();

  // Every tensor, in the order in which its bytes are expected.
  [[nodiscard]] const std::vector<TensorInfo>& tensors() const { return tensors_; }

  // The next bytes; any cut is fine. Errors: kInvalidArgument (more than declared), kIo.
  [[nodiscard]] Status append(std::span<const std::byte> bytes);

  // Ends the file. Errors: kInvalidArgument (bytes are missing), kIo.
  [[nodiscard]] Status finish(Durability durability);

 private:
  SafetensorsWriter(FileHandle file, std::filesystem::path path, std::vector<TensorInfo> tensors);
  Status flush();

  FileHandle file_;
  std::filesystem::path path_;  // empty once finished or moved from
  std::vector<TensorInfo> tensors_;
  std::uint64_t left_ = 0;
  std::vector<std::byte> buffer_;
};

// A tensor in memory.
struct TensorView {
  TensorSpec spec;
  std::span<const std::byte> bytes;
};

// Writes a whole file from memory. Errors: those of SafetensorsWriter; kInvalidArgument when bytes and shape disagree.
Status write_safetensors(const std::filesystem::path& path, const std::vector<TensorView>& tensors,
                         const TensorMetadata& metadata, Durability durability);

}  // namespace hadar
