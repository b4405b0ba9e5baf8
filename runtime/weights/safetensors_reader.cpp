#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "messages/types/check.hpp"
#include "runtime/weights/safetensors.hpp"
#include "runtime/weights/utf8.hpp"

namespace hadar {
namespace {

static_assert(std::endian::native == std::endian::little, "tensor data is little-endian");

constexpr std::uint64_t kPrefix = 8;

std::string shape_text(const TensorShape& shape) {
  std::string text = "[";
  for (const auto extent : shape) text += (text.size() > 1 ? "," : "") + std::to_string(extent);
  return text + "]";
}

// The header's text. Nothing is allocated before its length is known to fit both the format and the file.
Result<std::string> read_header(const FileHandle& file, std::uint64_t file_size) {
  if (file_size < kPrefix)
    return fail(ErrorCode::kCorrupt, "a file has at least 8 bytes; this one has " + std::to_string(file_size));
  std::uint64_t length = 0;
  if (auto good = file.read_at(0, std::as_writable_bytes(std::span(&length, 1))); !good) return fail(std::move(good));
  if (length > kMaxSafetensorsHeader)
    return fail(ErrorCode::kCorrupt, "header length " + std::to_string(length) + " is above the limit of " +
                                         std::to_string(kMaxSafetensorsHeader));
  if (length > file_size - kPrefix)
    return fail(ErrorCode::kCorrupt, "header length " + std::to_string(length) + " passes the end of the file at " +
                                         std::to_string(file_size));
  char first = 0;
  if (length > 0)
    if (auto good = file.read_at(kPrefix, std::as_writable_bytes(std::span(&first, 1))); !good)
      return fail(std::move(good));
  if (first != '{') return fail(ErrorCode::kCorrupt, "the header must start with '{'");
  std::string text(length, '\0');
  if (auto good = file.read_at(kPrefix, std::as_writable_bytes(std::span(text))); !good) return fail(std::move(good));
  return text;
}

}  // namespace

SafetensorsFile::SafetensorsFile(FileHandle file, std::filesystem::path path, SafetensorsHeader header,
                                 std::uint64_t data_start)
    : file_(std::move(file)),
      path_(std::move(path)),
      header_(std::move(header)),
      by_name_(header_.tensors.size()),
      data_start_(data_start) {
  std::iota(by_name_.begin(), by_name_.end(), 0U);
  std::sort(by_name_.begin(), by_name_.end(),
            [this](std::uint32_t a, std::uint32_t b) { return header_.tensors[a].name < header_.tensors[b].name; });
}

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
  auto file = FileHandle::open_for_reading(path);
  if (!file) return fail(std::move(file));
  const auto size = file->size();
  if (!size) return tl::unexpected(at_file(path, size.error()));
  const auto text = read_header(*file, *size);
  if (!text) return tl::unexpected(at_file(path, text.error()));
  const auto data_start = kPrefix + text->size();
  auto header = parse_safetensors_header(*text, *size - data_start);
  if (!header) return tl::unexpected(at_file(path, std::move(header.error())));
  return SafetensorsFile(std::move(*file), path, std::move(*header), data_start);
}

const TensorInfo* SafetensorsFile::find(std::string_view name) const {
  const auto at = std::lower_bound(by_name_.begin(), by_name_.end(), name, [this](std::uint32_t index, auto wanted) {
    return header_.tensors[index].name < wanted;
  });
  if (at == by_name_.end() || header_.tensors[*at].name != name) return nullptr;
  return &header_.tensors[*at];
}

Status SafetensorsFile::read(const TensorInfo& tensor, std::uint64_t from, std::span<std::byte> out) const {
  HADAR_REQUIRE(from <= tensor.size() && out.size() <= tensor.size() - from);
  auto good = file_.read_at(data_start_ + tensor.begin + from, out);
  if (!good) return tl::unexpected(at_file(path_, std::move(good.error())));
  return good;
}

Result<std::vector<float>> SafetensorsFile::read_f32(std::string_view name, const TensorShape& shape) const {
  const auto* tensor = find(name);
  if (tensor == nullptr)
    return fail(ErrorCode::kNotFound, path_.string() + ": has no tensor '" + printable(name) + "'");
  if (tensor->dtype != Dtype::kF32 || tensor->shape != shape)
    return fail(ErrorCode::kInvalidArgument, path_.string() + ": tensor '" + printable(name) + "' is " +
                                                 std::string(name_of(tensor->dtype)) + shape_text(tensor->shape) +
                                                 ", not F32" + shape_text(shape));
  std::vector<float> values(tensor->size() / sizeof(float));
  if (auto good = read(*tensor, 0, std::as_writable_bytes(std::span(values))); !good) return fail(std::move(good));
  return values;
}

}  // namespace hadar
