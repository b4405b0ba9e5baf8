#include "runtime/store/folder_blob_store.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "runtime/store/content_hash.hpp"
#include "runtime/store/file_io.hpp"
#include "runtime/store/posix_file.hpp"

namespace hadar {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kOpenPartials = 32;  // transfers whose file and hash stay at hand; others are read again
constexpr std::size_t kCopyBytes = std::size_t{1} << 20;

Status check_ref(const BlobRef& blob) {
  if (is_content_hash(blob.hash)) return {};
  return fail(ErrorCode::kInvalidArgument, "blob hash: got '" + blob.hash + "', must be 32 lower-case hex digits");
}

std::string missing(const BlobRef& blob) {
  return "no blob " + blob.hash + " here";
}

Result<fs::path> copy_beside(const fs::path& from, const fs::path& folder) {
  const auto in = PosixFile::open(from, O_RDONLY);
  if (!in) return tl::unexpected(in.error());
  const auto to = folder / (".adopted.tmp-" + std::to_string(::getpid()));
  const auto out = PosixFile::open(to, O_WRONLY | O_CREAT | O_TRUNC);
  if (!out) return tl::unexpected(out.error());
  std::vector<std::byte> buffer(kCopyBytes);
  for (std::uint64_t at = 0;;) {
    const auto got = in->read_at(at, buffer);
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) return to;
    if (auto written = out->write_at(at, std::span(buffer).first(*got)); !written) {
      ::unlink(to.c_str());
      return tl::unexpected(written.error());
    }
    at += *got;
  }
}

Status sync_file(const fs::path& file) {
  const auto handle = PosixFile::open(file, O_RDONLY);
  if (!handle) return tl::unexpected(handle.error());
  return handle->sync();
}

}  // namespace

struct FolderBlobStore::Partial {
  PosixFile file;
  ContentHash hash;        // of the first `size` bytes
  std::uint64_t size = 0;  // bytes that count
};

FolderBlobStore::FolderBlobStore(fs::path folder, FolderBlobOptions options)
    : folder_(std::move(folder)), options_(options) {}
FolderBlobStore::~FolderBlobStore() = default;

Result<std::unique_ptr<FolderBlobStore>> FolderBlobStore::open(const fs::path& folder, FolderBlobOptions options) {
  for (const char* part : {"blobs", "partial", "corrupt"})
    if (auto made = make_folders(folder / part); !made) return tl::unexpected(made.error());
  remove_temporaries(folder / "partial");
  std::unique_ptr<FolderBlobStore> store(new FolderBlobStore(folder, options));
  store->find_blobs();
  store->make_room();
  return store;
}

// Blobs of earlier processes count as used when they were written.
void FolderBlobStore::find_blobs() {
  std::multimap<std::int64_t, BlobRef> by_age;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder_ / "blobs", error), end; !error && entry != end;
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    const auto seen = look_at(entry->path());
    if (seen && is_content_hash(name)) by_age.emplace(seen->changed_ns, BlobRef{name, seen->size});
  }
  for (const auto& [age, blob] : by_age) uses_.use(blob.hash, blob.size);
}

void FolderBlobStore::make_room() {
  if (options_.cache_bytes == 0) return;
  while (const auto oldest = uses_.to_drop(options_.cache_bytes)) {
    ::unlink(blob_path(*oldest).c_str());
    checked_.erase(*oldest);
    uses_.forget(*oldest);
  }
}

fs::path FolderBlobStore::blob_path(const std::string& hash) const {
  return folder_ / "blobs" / hash.substr(0, 2) / hash;
}

fs::path FolderBlobStore::partial_path(const std::string& hash) const {
  return folder_ / "partial" / hash;
}

Result<FolderBlobStore::Seen> FolderBlobStore::look_at(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) {
    if (errno == ENOENT) return fail(ErrorCode::kNotFound, "no such file: " + file.string());
    return fail_errno("cannot stat", file);
  }
  return Seen{static_cast<std::uint64_t>(info.st_ino), static_cast<std::uint64_t>(info.st_size),
              static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec};
}

Status FolderBlobStore::move_in(const fs::path& file, const BlobRef& blob) {
  const auto target = blob_path(blob.hash);
  if (!fs::exists(target.parent_path())) {
    if (auto made = make_folders(target.parent_path()); !made) return made;
    if (auto synced = sync_folder(folder_ / "blobs"); !synced) return synced;
  }
  if (auto moved = rename_durably(file, target); !moved) return moved;
  if (const auto seen = look_at(target)) checked_[blob.hash] = *seen;
  uses_.use(blob.hash, blob.size);
  make_room();
  return {};
}

Result<BlobRef> FolderBlobStore::adopt_file(const fs::path& file) {
  const auto blob = hash_file(file);
  if (!blob) {
    return fail(ErrorCode::kIo, blob.error().message);
  }
  if (auto synced = sync_file(file); !synced) return tl::unexpected(synced.error());
  const std::lock_guard lock(mutex_);
  auto source = file;
  struct stat from {};
  struct stat to {};
  const bool far = ::stat(file.c_str(), &from) == 0 && ::stat(folder_.c_str(), &to) == 0 && from.st_dev != to.st_dev;
  if (far) {
    const auto copy = copy_beside(file, folder_ / "partial");
    if (!copy) return tl::unexpected(copy.error());
    if (auto synced = sync_file(*copy); !synced) return tl::unexpected(synced.error());
    source = *copy;
  }
  if (auto moved = move_in(source, *blob); !moved) return tl::unexpected(moved.error());
  if (far) ::unlink(file.c_str());
  return *blob;
}

bool FolderBlobStore::has(const BlobRef& blob) const {
  if (!is_content_hash(blob.hash)) return false;
  const auto seen = look_at(blob_path(blob.hash));
  return seen && seen->size == blob.size;
}

Status FolderBlobStore::check_content(const BlobRef& blob, const fs::path& file) const {
  const auto before = look_at(file);
  if (!before) return fail(ErrorCode::kNotFound, missing(blob));
  {
    const std::lock_guard lock(mutex_);
    const auto known = checked_.find(blob.hash);
    if (known != checked_.end() && known->second == *before && before->size == blob.size) {
      uses_.use(blob.hash, blob.size);
      return {};
    }
  }
  const auto real = hash_file(file);
  if (!real) return tl::unexpected(real.error());
  const std::lock_guard lock(mutex_);
  if (real->hash == blob.hash && real->size == blob.size) {
    checked_[blob.hash] = *before;
    uses_.use(blob.hash, blob.size);
    return {};
  }
  if (real->hash == blob.hash)
    return fail(ErrorCode::kCorrupt, "blob " + blob.hash + " was asked for with " + std::to_string(blob.size) +
                                         " bytes, it has " + std::to_string(real->size));
  checked_.erase(blob.hash);
  uses_.forget(blob.hash);
  const auto aside = folder_ / "corrupt" / blob.hash;
  if (auto moved = rename_durably(file, aside); !moved) return moved;
  return fail(ErrorCode::kCorrupt, "blob file " + file.string() + " has " + std::to_string(real->size) +
                                       " bytes with hash " + real->hash + ", must have " + std::to_string(blob.size) +
                                       " with the hash it is named by; moved to " + aside.string());
}

Result<fs::path> FolderBlobStore::path_of(const BlobRef& blob) const {
  if (!is_content_hash(blob.hash)) return fail(ErrorCode::kNotFound, missing(blob));
  auto file = blob_path(blob.hash);
  if (auto right = check_content(blob, file); !right) return tl::unexpected(right.error());
  return file;
}

std::uint64_t FolderBlobStore::partial_size(const BlobRef& blob) const {
  const auto open = partials_.find(blob.hash);
  if (open != partials_.end()) return open->second->size;
  const auto seen = look_at(partial_path(blob.hash));
  if (!seen || blob.size == 0 || seen->size > blob.size) return 0;
  // All bytes are there but were never verified: the last one is asked for again, which verifies them.
  return std::min(seen->size, blob.size - 1);
}

std::uint64_t FolderBlobStore::have(const BlobRef& blob) const {
  if (!is_content_hash(blob.hash)) return 0;
  if (has(blob)) return blob.size;
  const std::lock_guard lock(mutex_);
  return partial_size(blob);
}

Result<FolderBlobStore::Partial*> FolderBlobStore::open_partial(const BlobRef& blob) {
  const auto open = partials_.find(blob.hash);
  if (open != partials_.end()) return open->second.get();
  const auto keep = partial_size(blob);
  auto file = PosixFile::open(partial_path(blob.hash), O_RDWR | O_CREAT);
  if (!file) return fail(std::move(file));
  if (auto cut = file->truncate(keep); !cut) return tl::unexpected(cut.error());
  Partial partial{std::move(*file), {}, 0};
  std::vector<std::byte> buffer(std::min<std::uint64_t>(keep, kCopyBytes));
  while (partial.size < keep) {
    const auto want = std::min<std::uint64_t>(keep - partial.size, buffer.size());
    const auto got = partial.file.read_at(partial.size, std::span(buffer).first(want));
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) return fail(ErrorCode::kIo, "partial blob " + blob.hash + " shrank while it was read");
    partial.hash.add(std::span(buffer).first(*got));
    partial.size += *got;
  }
  if (partials_.size() >= kOpenPartials) partials_.erase(partials_.begin());
  return (partials_[blob.hash] = std::make_unique<Partial>(std::move(partial))).get();
}

void FolderBlobStore::drop_partial(const std::string& hash) {
  partials_.erase(hash);
  ::unlink(partial_path(hash).c_str());
}

Status FolderBlobStore::finish(const BlobRef& blob) {
  const auto& partial = *partials_.at(blob.hash);
  if (const auto real = partial.hash.text(); real != blob.hash) {
    drop_partial(blob.hash);
    return fail(ErrorCode::kCorrupt, "received blob hashes to " + real + ", must be " + blob.hash + "; dropped");
  }
  if (auto synced = partial.file.sync(); !synced) return synced;
  if (auto moved = move_in(partial_path(blob.hash), blob); !moved) return moved;
  partials_.erase(blob.hash);
  return {};
}

Status FolderBlobStore::put_chunk(const BlobRef& blob, std::uint64_t offset, std::uint64_t checksum,
                                  std::span<const std::byte> bytes) {
  if (auto right = check_ref(blob); !right) return right;
  if (has(blob)) return {};  // a chunk sent again after its answer was lost
  const std::lock_guard lock(mutex_);
  const auto opened = open_partial(blob);
  if (!opened) return tl::unexpected(opened.error());
  auto& partial = **opened;
  if (offset != partial.size)
    return fail(ErrorCode::kInvalidArgument, "chunk of blob " + blob.hash + " at " + std::to_string(offset) +
                                                 ", must continue at " + std::to_string(partial.size));
  if (partial.size > blob.size || bytes.size() > blob.size - partial.size)
    return fail(ErrorCode::kInvalidArgument, "chunk of blob " + blob.hash + " ends at " +
                                                 std::to_string(offset + bytes.size()) + ", beyond its " +
                                                 std::to_string(blob.size) + " bytes");
  if (chunk_checksum(bytes) != checksum) {
    drop_partial(blob.hash);
    return fail(ErrorCode::kCorrupt,
                "chunk of blob " + blob.hash + " at " + std::to_string(offset) + " breaks its checksum; dropped");
  }
  if (auto written = partial.file.write_at(offset, bytes); !written) return written;
  partial.hash.add(bytes);
  partial.size += bytes.size();
  if (partial.size < blob.size) return {};
  auto finished = finish(blob);
  // Not durable yet: the last chunk is asked for again, so that a later try can finish.
  if (!finished && partials_.erase(blob.hash) > 0)
    ::truncate(partial_path(blob.hash).c_str(), static_cast<off_t>(offset));
  return finished;
}

Result<Payload> FolderBlobStore::get_chunk(const BlobRef& blob, std::uint64_t offset, std::uint32_t max_bytes) const {
  const auto path = path_of(blob);
  if (!path) return tl::unexpected(path.error());
  if (offset > blob.size)
    return fail(ErrorCode::kInvalidArgument, "chunk of blob " + blob.hash + " at " + std::to_string(offset) +
                                                 ", beyond its " + std::to_string(blob.size) + " bytes");
  const auto file = PosixFile::open(*path, O_RDONLY);
  if (!file) return tl::unexpected(file.error());
  const auto size = std::min<std::uint64_t>(max_bytes, blob.size - offset);
  const std::shared_ptr<std::byte[]> buffer(new std::byte[size]);  // not zeroed first
  const auto got = file->read_at(offset, {buffer.get(), size});
  if (!got) return tl::unexpected(got.error());
  if (*got != size) return fail(ErrorCode::kIo, "blob file " + path->string() + " shrank while it was read");
  return Payload(buffer, {buffer.get(), size});
}

// By the file system's own clock; a file whose time cannot be read counts as young.
static bool younger_than(const fs::directory_entry& entry, double seconds) {
  if (seconds <= 0) return false;
  std::error_code error;
  const auto written = entry.last_write_time(error);
  return error || std::chrono::duration<double>(fs::file_time_type::clock::now() - written).count() < seconds;
}

std::size_t FolderBlobStore::remove_all_but(const fs::path& folder, const std::set<std::string>& keep,
                                            double min_age_s) {
  std::size_t removed = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_directory()) continue;
    const auto name = entry->path().filename().string();
    if (keep.contains(name) || younger_than(*entry, min_age_s) || ::unlink(entry->path().c_str()) != 0) continue;
    checked_.erase(name);
    uses_.forget(name);
    partials_.erase(name);
    ++removed;
  }
  return removed;
}

std::size_t FolderBlobStore::collect(const std::set<std::string>& keep, double min_age_s) {
  const std::lock_guard lock(mutex_);
  std::size_t removed = 0;
  for (const char* part : {"blobs", "partial", "corrupt"}) removed += remove_all_but(folder_ / part, keep, min_age_s);
  return removed;
}

}  // namespace hadar
