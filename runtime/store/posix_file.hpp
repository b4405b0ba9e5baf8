// A file descriptor that closes itself, and calls on it that finish or say why. Internal to this room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "messages/types/result.hpp"

namespace hadar {

// "<what> <path>: <text of errno>", as kIo.
tl::unexpected<Error> fail_errno(std::string_view what, const std::filesystem::path& path);

class PosixFile {
 public:
  // Errors: kNotFound when a file to be read is missing, else kIo. Always O_CLOEXEC.
  static Result<PosixFile> open(const std::filesystem::path& path, int flags, unsigned mode = 0644);

  PosixFile(PosixFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}
  PosixFile& operator=(PosixFile&& other) noexcept;
  ~PosixFile();

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }

  Result<std::uint64_t> size() const;
  Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) const;
  // Fewer bytes than asked only at the end of the file.
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> bytes) const;
  Status truncate(std::uint64_t size) const;
  Status sync() const;

 private:
  PosixFile(int fd, std::filesystem::path path) : fd_(fd), path_(std::move(path)) {}

  int fd_ = -1;
  std::filesystem::path path_;
};

}  // namespace hadar
