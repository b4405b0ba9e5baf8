#include "runtime/store/content_hash.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <xxhash.h>

#include "messages/types/check.hpp"
#include "runtime/store/blob_store.hpp"
#include "runtime/store/posix_file.hpp"

namespace hadar {
namespace {

constexpr std::size_t kHashDigits = 32;
constexpr std::size_t kReadBytes = std::size_t{1} << 20;

void append_hex(std::string& text, std::uint64_t value) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  for (int shift = 60; shift >= 0; shift -= 4) text += kHex[(value >> shift) & 15];
}

}  // namespace

void ContentHash::Free::operator()(XXH3_state_s* state) const {
  XXH3_freeState(state);
}

ContentHash::ContentHash() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  HADAR_ENSURE(XXH3_128bits_reset(state_.get()) == XXH_OK);
}
ContentHash::ContentHash(ContentHash&&) noexcept = default;
ContentHash& ContentHash::operator=(ContentHash&&) noexcept = default;
ContentHash::~ContentHash() = default;

void ContentHash::add(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  HADAR_ENSURE(XXH3_128bits_update(state_.get(), bytes.data(), bytes.size()) == XXH_OK);
}

std::string ContentHash::text() const {
  const auto hash = XXH3_128bits_digest(state_.get());
  std::string text;
  append_hex(text, hash.high64);
  append_hex(text, hash.low64);
  return text;
}

bool is_content_hash(std::string_view text) {
  return text.size() == kHashDigits &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::uint64_t chunk_checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

Result<BlobRef> hash_file(const std::filesystem::path& file) {
  const auto in = PosixFile::open(file, O_RDONLY);
  if (!in) return tl::unexpected(in.error());
  ContentHash hash;
  std::vector<std::byte> buffer(kReadBytes);
  std::uint64_t size = 0;
  for (;;) {
    const auto got = in->read_at(size, buffer);
    if (!got) return tl::unexpected(got.error());
    hash.add(std::span(buffer).first(*got));
    size += *got;
    if (*got < buffer.size()) return BlobRef{hash.text(), size};
  }
}

}  // namespace hadar
