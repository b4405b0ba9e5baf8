#include <algorithm>
#include <cstdio>
#include <utility>

#include "runtime/weights/safetensors.hpp"
#include "runtime/weights/utf8.hpp"

namespace hadar {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 10;

void append_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[7];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_tensor(std::string& out, const TensorInfo& tensor) {
  append_string(out, tensor.name);
  out += ":{\"dtype\":\"";
  out += name_of(tensor.dtype);
  out += "\",\"shape\":[";
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) out += (i > 0 ? "," : "") + std::to_string(tensor.shape[i]);
  out += "],\"data_offsets\":[" + std::to_string(tensor.begin) + "," + std::to_string(tensor.end) + "]}";
}

std::string header_text(const std::vector<TensorInfo>& tensors, const TensorMetadata& metadata) {
  std::string out = "{";
  const auto separate = [&out] { out += out.back() == '{' ? "" : ","; };
  if (!metadata.empty()) {
    out += "\"__metadata__\":{";
    for (const auto& [key, value] : metadata) {
      separate();
      append_string(out, key);
      out += ':';
      append_string(out, value);
    }
    out += '}';
  }
  for (const auto& tensor : tensors) {
    separate();
    append_tensor(out, tensor);
  }
  out += '}';
  out.resize((out.size() + 7) / 8 * 8, ' ');
  return out;
}

Status check_text(std::string_view text, const char* what) {
  if (find_bad_utf8(text) == std::string_view::npos) return {};
  return fail(ErrorCode::kInvalidArgument, std::string(what) + " '" + printable(text) + "' must be UTF-8");
}

Status check_header_size(std::uint64_t bytes) {
  if (bytes <= kMaxSafetensorsHeader) return {};
  return fail(ErrorCode::kInvalidArgument, "the header would take " + std::to_string(bytes) +
                                               " bytes or more, above the format's limit of " +
                                               std::to_string(kMaxSafetensorsHeader));
}

Status check_metadata(const TensorMetadata& metadata) {
  std::uint64_t bytes = 0;
  for (const auto& [key, value] : metadata) bytes += key.size() + value.size();
  if (auto good = check_header_size(bytes); !good) return good;
  for (const auto& [key, value] : metadata) {
    if (auto good = check_text(key, "metadata key"); !good) return good;
    if (auto good = check_text(value, "metadata value"); !good) return good;
  }
  return {};
}

// The tensors in file order with their places.
Result<std::vector<TensorInfo>> lay_out(std::vector<TensorSpec> specs, TensorOrder order) {
  if (order == TensorOrder::kByAlignment)
    std::sort(specs.begin(), specs.end(), [](const TensorSpec& a, const TensorSpec& b) {
      return bits_of(a.dtype) != bits_of(b.dtype) ? bits_of(a.dtype) > bits_of(b.dtype) : a.name < b.name;
    });
  std::vector<std::string_view> names;
  for (const auto& spec : specs) names.emplace_back(spec.name);
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
    return fail(ErrorCode::kInvalidArgument, "tensor '" + printable(*twice) + "': the name appears twice");
  std::vector<TensorInfo> tensors;
  std::uint64_t at = 0;
  for (auto& spec : specs) {
    if (auto good = check_text(spec.name, "tensor name"); !good) return fail(std::move(good));
    if (spec.name == "__metadata__")
      return fail(ErrorCode::kInvalidArgument, "tensor '__metadata__': the format keeps this name for itself");
    const auto bytes = tensor_bytes(spec.dtype, spec.shape);
    std::uint64_t end = 0;
    if (!bytes || __builtin_add_overflow(at, *bytes, &end))
      return fail(ErrorCode::kInvalidArgument, "tensor '" + printable(spec.name) + "': " +
                                                   (bytes ? "the file's size overflows" : bytes.error().message));
    tensors.push_back({std::move(spec.name), spec.dtype, std::move(spec.shape), at, end});
    at = end;
  }
  return tensors;
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(FileHandle file, std::filesystem::path path, std::vector<TensorInfo> tensors)
    : file_(std::move(file)),
      path_(std::move(path)),
      tensors_(std::move(tensors)),
      left_(tensors_.empty() ? 0 : tensors_.back().end) {
  buffer_.reserve(kBufferBytes);
}

SafetensorsWriter::SafetensorsWriter(SafetensorsWriter&& other) noexcept
    : file_(std::move(other.file_)),
      path_(std::exchange(other.path_, {})),
      tensors_(std::move(other.tensors_)),
      left_(other.left_),
      buffer_(std::move(other.buffer_)) {}

SafetensorsWriter::~SafetensorsWriter() {
  if (path_.empty()) return;
  std::error_code ignored;  // the file is of no use to anyone, and a destructor has nobody to tell
  std::filesystem::remove(path_, ignored);
}

Result<SafetensorsWriter> SafetensorsWriter::create(const std::filesystem::path& path, std::vector<TensorSpec> tensors,
                                                    const TensorMetadata& metadata, TensorOrder order) {
  if (auto good = check_metadata(metadata); !good) return tl::unexpected(at_file(path, std::move(good.error())));
  auto placed = lay_out(std::move(tensors), order);
  if (!placed) return tl::unexpected(at_file(path, std::move(placed.error())));
  const auto text = header_text(*placed, metadata);
  if (auto good = check_header_size(text.size()); !good) return tl::unexpected(at_file(path, std::move(good.error())));
  auto file = FileHandle::create(path);
  if (!file) return fail(std::move(file));
  SafetensorsWriter writer(std::move(*file), path, std::move(*placed));
  const std::uint64_t length = text.size();
  const auto prefix = std::as_bytes(std::span(&length, 1));
  writer.buffer_.assign(prefix.begin(), prefix.end());
  const auto body = std::as_bytes(std::span(text));
  writer.buffer_.insert(writer.buffer_.end(), body.begin(), body.end());
  if (auto good = writer.flush(); !good) return fail(std::move(good));
  return writer;
}

Status SafetensorsWriter::flush() {
  auto good = file_.write_all(buffer_);
  buffer_.clear();
  if (!good) return tl::unexpected(at_file(path_, std::move(good.error())));
  return good;
}

Status SafetensorsWriter::append(std::span<const std::byte> bytes) {
  if (bytes.size() > left_)
    return fail(ErrorCode::kInvalidArgument, path_.string() + ": " + std::to_string(bytes.size()) +
                                                 " bytes to append, but the tensors have room for " +
                                                 std::to_string(left_));
  left_ -= bytes.size();
  if (buffer_.size() + bytes.size() > kBufferBytes)
    if (auto good = flush(); !good) return good;
  if (bytes.size() >= kBufferBytes) {
    auto good = file_.write_all(bytes);
    if (!good) return tl::unexpected(at_file(path_, std::move(good.error())));
    return good;
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  return {};
}

Status SafetensorsWriter::finish(Durability durability) {
  if (left_ > 0)
    return fail(ErrorCode::kInvalidArgument,
                path_.string() + ": " + std::to_string(left_) + " bytes of tensors are missing");
  auto good = flush();
  if (good && durability == Durability::kSynced) good = file_.sync();
  if (good) good = file_.close();
  if (!good) return tl::unexpected(at_file(path_, std::move(good.error())));
  path_.clear();
  return {};
}

Status write_safetensors(const std::filesystem::path& path, const std::vector<TensorView>& tensors,
                         const TensorMetadata& metadata, Durability durability) {
  std::vector<TensorSpec> specs;
  std::map<std::string_view, std::span<const std::byte>> bytes_of;
  for (const auto& tensor : tensors) {
    const auto wanted = tensor_bytes(tensor.spec.dtype, tensor.spec.shape);
    if (wanted && *wanted != tensor.bytes.size())
      return fail(ErrorCode::kInvalidArgument, path.string() + ": tensor '" + printable(tensor.spec.name) + "' has " +
                                                   std::to_string(tensor.bytes.size()) +
                                                   " bytes but its shape and dtype need " + std::to_string(*wanted));
    specs.push_back(tensor.spec);
    bytes_of.emplace(tensor.spec.name, tensor.bytes);
  }
  auto writer = SafetensorsWriter::create(path, std::move(specs), metadata);
  if (!writer) return fail(std::move(writer));
  for (const auto& tensor : writer->tensors())
    if (auto good = writer->append(bytes_of.at(tensor.name)); !good) return good;
  return writer->finish(durability);
}

}  // namespace hadar
