// Blobs by content hash, in one folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "messages/types/model.hpp"
#include "messages/types/payload.hpp"
#include "messages/types/result.hpp"

namespace hadar {

// Thread-safe. A blob is visible only when complete and verified: temporary name, fsync, rename. Partial transfers live
// beside the blobs and resume.
class BlobStore {
 public:
  virtual ~BlobStore() = default;

  // Takes a finished file over (it is moved or copied, then fsynced) and names it by its content. Errors: kIo.
  virtual Result<BlobRef> adopt_file(const std::filesystem::path& file) = 0;

  // Whether the whole blob is here.
  virtual bool has(const BlobRef& blob) const = 0;

  // The blob's file for reading in place. Errors: kNotFound; kCorrupt when its size differs.
  virtual Result<std::filesystem::path> path_of(const BlobRef& blob) const = 0;

  // Bytes of an incomplete or complete blob that are here, counted from its start.
  virtual std::uint64_t have(const BlobRef& blob) const = 0;

  // Appends a chunk at `offset` (must equal have()); the last chunk verifies the hash and makes the blob visible.
  // Errors: kInvalidArgument (gap, beyond the end), kCorrupt (checksum or hash; the partial file is dropped), kIo.
  virtual Status put_chunk(const BlobRef& blob, std::uint64_t offset, std::uint64_t checksum,
                           std::span<const std::byte> bytes) = 0;

  // Up to max_bytes from offset, not copied more than once. Errors: kNotFound, kInvalidArgument, kIo.
  virtual Result<Payload> get_chunk(const BlobRef& blob, std::uint64_t offset, std::uint32_t max_bytes) const = 0;

  // Removes every blob, partial and temporary file whose hash is not in `keep` and that has not changed for
  // `min_age_s`: younger ones may belong to a report that is on its way. Returns how many went.
  virtual std::size_t collect(const std::set<std::string>& keep, double min_age_s) = 0;
};

// XXH3-64 of bytes, as sent beside a chunk.
std::uint64_t chunk_checksum(std::span<const std::byte> bytes);

// XXH3-128 of a whole file as BlobRef. Errors: kIo.
Result<BlobRef> hash_file(const std::filesystem::path& file);

}  // namespace hadar
