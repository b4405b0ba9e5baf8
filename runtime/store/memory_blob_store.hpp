// Blobs in memory, for the simulation and for tests.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "runtime/store/blob_store.hpp"

namespace hadar {

// Keeps the contract of BlobStore without a disk. path_of() writes the blob to a folder of its own under the system's
// temporary folder, made on first use and removed with the store.
class MemoryBlobStore final : public BlobStore {
 public:
  MemoryBlobStore() = default;
  ~MemoryBlobStore() override;
  MemoryBlobStore(const MemoryBlobStore&) = delete;
  MemoryBlobStore& operator=(const MemoryBlobStore&) = delete;

  Result<BlobRef> adopt_file(const std::filesystem::path& file) override;
  bool has(const BlobRef& blob) const override;
  Result<std::filesystem::path> path_of(const BlobRef& blob) const override;
  std::uint64_t have(const BlobRef& blob) const override;
  Status put_chunk(const BlobRef& blob, std::uint64_t offset, std::uint64_t checksum,
                   std::span<const std::byte> bytes) override;
  Result<Payload> get_chunk(const BlobRef& blob, std::uint64_t offset, std::uint32_t max_bytes) const override;
  // Has no clock: with a minimal age nothing goes.
  std::size_t collect(const std::set<std::string>& keep, double min_age_s) override;

  // Stores bytes under their content. Never fails.
  BlobRef put(std::span<const std::byte> bytes);

 private:
  using Bytes = std::vector<std::byte>;

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Bytes>> blobs_;
  std::map<std::string, Bytes> partials_;
  mutable std::filesystem::path folder_;  // empty until path_of() needs it
};

// The blob of these bytes, without storing them.
BlobRef ref_of(std::span<const std::byte> bytes);

}  // namespace hadar
