// Blobs as files: <folder>/blobs/<first 2 digits>/<hash>, incomplete ones in partial/, damaged ones moved to corrupt/.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include "runtime/store/blob_store.hpp"
#include "runtime/store/use_order.hpp"

namespace hadar {

struct FolderBlobOptions {
  // A cache: complete blobs beyond this many bytes go, the one used longest ago first, the latest never; a use is being
  // received, adopted or read. 0 = no limit, for a store whose blobs only collect() may remove.
  std::uint64_t cache_bytes = 0;
};

// One store per folder and process. Opening removes temporary files an earlier process left and keeps partial blobs.
// The first reading of a blob in a process's life, and each reading after the file changed, checks its content: a file
// that does not match is moved to corrupt/, reported as kCorrupt with its name, and the blob counts as missing.
class FolderBlobStore final : public BlobStore {
 public:
  // Errors: kIo.
  static Result<std::unique_ptr<FolderBlobStore>> open(const std::filesystem::path& folder,
                                                       FolderBlobOptions options = {});
  ~FolderBlobStore() override;

  Result<BlobRef> adopt_file(const std::filesystem::path& file) override;
  bool has(const BlobRef& blob) const override;
  Result<std::filesystem::path> path_of(const BlobRef& blob) const override;
  std::uint64_t have(const BlobRef& blob) const override;
  Status put_chunk(const BlobRef& blob, std::uint64_t offset, std::uint64_t checksum,
                   std::span<const std::byte> bytes) override;
  Result<Payload> get_chunk(const BlobRef& blob, std::uint64_t offset, std::uint32_t max_bytes) const override;
  std::size_t collect(const std::set<std::string>& keep, double min_age_s) override;

 private:
  struct Partial;
  // What a file looked like when its content was last found right.
  struct Seen {
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t changed_ns = 0;
    friend bool operator==(const Seen&, const Seen&) = default;
  };

  FolderBlobStore(std::filesystem::path folder, FolderBlobOptions options);

  std::filesystem::path blob_path(const std::string& hash) const;
  std::filesystem::path partial_path(const std::string& hash) const;
  std::uint64_t partial_size(const BlobRef& blob) const;
  static Result<Seen> look_at(const std::filesystem::path& file);
  Status check_content(const BlobRef& blob, const std::filesystem::path& file) const;
  Result<Partial*> open_partial(const BlobRef& blob);
  void drop_partial(const std::string& hash);
  Status finish(const BlobRef& blob);
  void find_blobs();
  void make_room();
  Status move_in(const std::filesystem::path& file, const BlobRef& blob);
  std::size_t remove_all_but(const std::filesystem::path& folder, const std::set<std::string>& keep, double min_age_s);

  std::filesystem::path folder_;
  FolderBlobOptions options_;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Partial>> partials_;  // transfers of this process, by hash
  mutable std::map<std::string, Seen> checked_;
  mutable UseOrder uses_;
};

}  // namespace hadar
