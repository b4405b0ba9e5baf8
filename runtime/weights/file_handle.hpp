// An open file that is closed with its owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "messages/types/result.hpp"

namespace hadar {

class FileHandle {
 public:
  FileHandle() = default;
  FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle();

  // An existing regular file, for reading. Errors: kNotFound, kIo (also for folders, pipes and devices).
  static Result<FileHandle> open_for_reading(const std::filesystem::path& path);

  // A new or emptied file, for writing. Errors: kIo.
  static Result<FileHandle> create(const std::filesystem::path& path);

  // Errors: kIo.
  [[nodiscard]] Result<std::uint64_t> size() const;

  // Fills `out` from byte `offset` on. Errors: kIo; kCorrupt when the file ends before.
  [[nodiscard]] Status read_at(std::uint64_t offset, std::span<std::byte> out) const;

  // Writes all bytes at the file's position. Errors: kIo.
  [[nodiscard]] Status write_all(std::span<const std::byte> bytes) const;

  // Forces the content to the disk. Errors: kIo.
  [[nodiscard]] Status sync() const;

  // Closes and says whether the system had kept an error back. Errors: kIo.
  [[nodiscard]] Status close();

 private:
  explicit FileHandle(int fd) : fd_(fd) {}

  int fd_ = -1;
};

// The error with the file's name before its message.
Error at_file(const std::filesystem::path& path, Error error);

}  // namespace hadar
