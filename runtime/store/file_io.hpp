// Files that are either whole or not there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "messages/types/result.hpp"

namespace hadar {

// The whole file. Errors: kNotFound, kIo (also when it is larger than max_bytes).
Result<std::string> read_file(const std::filesystem::path& file, std::uint64_t max_bytes = std::uint64_t{1} << 30);

// Replaces `file` by `bytes`: temporary name beside it, fsync, rename, fsync of the folder. When it fails, or the
// process dies at any moment, the old file is still whole. The folder must exist. Errors: kIo.
Status write_file_atomic(const std::filesystem::path& file, std::string_view bytes);
Status write_file_atomic(const std::filesystem::path& file, std::span<const std::byte> bytes);

// Makes a folder and its parents. Errors: kIo.
Status make_folders(const std::filesystem::path& folder);

// Makes renames and removals in a folder durable. Errors: kIo.
Status sync_folder(const std::filesystem::path& folder);

// Moves a file into place and makes the move durable; both names must be on one file system. Errors: kIo.
Status rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

// Removes what write_file_atomic left in a folder when a process died in the middle. Only the folder's one owner may
// call it. Returns how many went.
std::size_t remove_temporaries(const std::filesystem::path& folder);

// What one process may use at a time: held until destruction, given up by the system when the process dies. Also holds
// against a second taker in the same process.
class FileLock {
 public:
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  friend Result<std::unique_ptr<FileLock>> take_lock(const std::filesystem::path& lock_file);
  explicit FileLock(int fd) : fd_(fd) {}

  int fd_;
};

// Takes the lock that `lock_file` stands for; the file and its folder are made when missing, and stay.
// Errors: kAlreadyExists "state folder … in use by pid N", kIo.
Result<std::unique_ptr<FileLock>> take_lock(const std::filesystem::path& lock_file);

}  // namespace hadar
