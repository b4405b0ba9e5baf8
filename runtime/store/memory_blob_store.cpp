#include "runtime/store/memory_blob_store.hpp"

#include <algorithm>
#include <stdlib.h>
#include <system_error>
#include <unistd.h>

#include "runtime/store/content_hash.hpp"
#include "runtime/store/file_io.hpp"
#include "runtime/store/posix_file.hpp"

namespace hadar {

namespace fs = std::filesystem;

BlobRef ref_of(std::span<const std::byte> bytes) {
  ContentHash hash;
  hash.add(bytes);
  return {hash.text(), bytes.size()};
}

MemoryBlobStore::~MemoryBlobStore() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

BlobRef MemoryBlobStore::put(std::span<const std::byte> bytes) {
  auto blob = ref_of(bytes);
  const std::lock_guard lock(mutex_);
  blobs_[blob.hash] = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
  partials_.erase(blob.hash);
  return blob;
}

Result<BlobRef> MemoryBlobStore::adopt_file(const fs::path& file) {
  const auto text = read_file(file);
  if (!text) return fail(ErrorCode::kIo, text.error().message);
  auto blob = put(std::as_bytes(std::span(*text)));
  ::unlink(file.c_str());
  return blob;
}

bool MemoryBlobStore::has(const BlobRef& blob) const {
  const std::lock_guard lock(mutex_);
  const auto found = blobs_.find(blob.hash);
  return found != blobs_.end() && found->second->size() == blob.size;
}

Result<fs::path> MemoryBlobStore::path_of(const BlobRef& blob) const {
  const std::lock_guard lock(mutex_);
  const auto found = blobs_.find(blob.hash);
  if (found == blobs_.end()) return fail(ErrorCode::kNotFound, "no blob " + blob.hash + " here");
  if (found->second->size() != blob.size)
    return fail(ErrorCode::kCorrupt, "blob " + blob.hash + " was asked for with " + std::to_string(blob.size) +
                                         " bytes, it has " + std::to_string(found->second->size()));
  if (folder_.empty()) {
    auto name = (fs::temp_directory_path() / "hadar-blobs-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) return fail_errno("cannot make folder", name);
    folder_ = name;
  }
  auto file = folder_ / blob.hash;
  if (!fs::exists(file))
    if (auto written = write_file_atomic(file, *found->second); !written) return tl::unexpected(written.error());
  return file;
}

std::uint64_t MemoryBlobStore::have(const BlobRef& blob) const {
  if (has(blob)) return blob.size;
  const std::lock_guard lock(mutex_);
  const auto found = partials_.find(blob.hash);
  return found == partials_.end() ? 0 : found->second.size();
}

Status MemoryBlobStore::put_chunk(const BlobRef& blob, std::uint64_t offset, std::uint64_t checksum,
                                  std::span<const std::byte> bytes) {
  if (!is_content_hash(blob.hash))
    return fail(ErrorCode::kInvalidArgument, "blob hash: got '" + blob.hash + "', must be 32 lower-case hex digits");
  if (has(blob)) return {};
  std::unique_lock lock(mutex_);
  auto& partial = partials_[blob.hash];
  if (offset != partial.size() || offset > blob.size || bytes.size() > blob.size - offset)
    return fail(ErrorCode::kInvalidArgument, "chunk of blob " + blob.hash + " at " + std::to_string(offset) +
                                                 " must continue at " + std::to_string(partial.size()) +
                                                 " and end within its " + std::to_string(blob.size) + " bytes");
  if (chunk_checksum(bytes) != checksum) {
    partials_.erase(blob.hash);
    return fail(ErrorCode::kCorrupt,
                "chunk of blob " + blob.hash + " at " + std::to_string(offset) + " breaks its checksum; dropped");
  }
  partial.insert(partial.end(), bytes.begin(), bytes.end());
  if (partial.size() < blob.size) return {};
  const auto whole = std::move(partial);
  partials_.erase(blob.hash);
  if (const auto real = ref_of(whole); real.hash != blob.hash)
    return fail(ErrorCode::kCorrupt, "received blob hashes to " + real.hash + ", must be " + blob.hash + "; dropped");
  blobs_[blob.hash] = std::make_shared<const Bytes>(whole);
  return {};
}

Result<Payload> MemoryBlobStore::get_chunk(const BlobRef& blob, std::uint64_t offset, std::uint32_t max_bytes) const {
  const std::lock_guard lock(mutex_);
  const auto found = blobs_.find(blob.hash);
  if (found == blobs_.end() || found->second->size() != blob.size)
    return fail(ErrorCode::kNotFound, "no blob " + blob.hash + " here");
  if (offset > blob.size)
    return fail(ErrorCode::kInvalidArgument, "chunk of blob " + blob.hash + " at " + std::to_string(offset) +
                                                 ", beyond its " + std::to_string(blob.size) + " bytes");
  const auto size = std::min<std::uint64_t>(max_bytes, blob.size - offset);
  return Payload(found->second, std::span(*found->second).subspan(offset, size));
}

std::size_t MemoryBlobStore::collect(const std::set<std::string>& keep, double min_age_s) {
  if (min_age_s > 0) return 0;
  const std::lock_guard lock(mutex_);
  const auto gone = [&](const auto& entry) { return !keep.contains(entry.first); };
  return std::erase_if(blobs_, gone) + std::erase_if(partials_, gone);
}

}  // namespace hadar
