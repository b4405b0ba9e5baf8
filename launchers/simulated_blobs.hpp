// Weights that nobody wrote: their content follows from a file's name.
#pragma once

#include "runtime/store/memory_blob_store.hpp"

namespace hadar {

// Names the weights of a fork after so many steps from a base: as many bytes, the same for the same words. Nothing is
// written.
std::filesystem::path simulated_weights(const std::string& words, std::uint64_t bytes);

// A blob store that takes such names for files, and gives names where real stores give files. Never touches a disk.
class SimulatedBlobs final : public BlobStore {
 public:
  // kNotFound unless the name is simulated_weights'.
  Result<BlobRef> adopt_file(const std::filesystem::path& file) override;
  bool has(const BlobRef& blob) const override { return blobs_.has(blob); }
  Result<std::filesystem::path> path_of(const BlobRef& blob) const override;
  std::uint64_t have(const BlobRef& blob) const override { return blobs_.have(blob); }
  Status put_chunk(const BlobRef& blob, std::uint64_t offset, std::uint64_t checksum,
                   std::span<const std::byte> bytes) override {
    return blobs_.put_chunk(blob, offset, checksum, bytes);
  }
  Result<Payload> get_chunk(const BlobRef& blob, std::uint64_t offset, std::uint32_t max_bytes) const override {
    return blobs_.get_chunk(blob, offset, max_bytes);
  }
  // Ages mean nothing in virtual time, and reports under way are few: nothing goes.
  std::size_t collect(const std::set<std::string>&, double) override { return 0; }

  BlobRef put(std::span<const std::byte> bytes) { return blobs_.put(bytes); }

 private:
  MemoryBlobStore blobs_;
};

}  // namespace hadar
