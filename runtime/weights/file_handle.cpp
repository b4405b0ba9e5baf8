#include "runtime/weights/file_handle.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace hadar {
namespace {

std::string system_text(int code) {
  return std::system_category().message(code);
}

// Linux moves at most 2 GiB in one call.
constexpr std::size_t kMaxTransfer = std::size_t{1} << 30;

}  // namespace

Error at_file(const std::filesystem::path& path, Error error) {
  error.message = path.string() + ": " + error.message;
  return error;
}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

FileHandle::~FileHandle() {
  if (fd_ >= 0) ::close(fd_);
}

Result<FileHandle> FileHandle::open_for_reading(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe without a writer would wait for ever.
  FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.fd_ < 0) {
    const auto code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
    return fail(code, path.string() + ": cannot be opened for reading: " + system_text(errno));
  }
  struct stat facts {};
  if (::fstat(file.fd_, &facts) != 0) return fail(ErrorCode::kIo, path.string() + ": " + system_text(errno));
  if (!S_ISREG(facts.st_mode)) return fail(ErrorCode::kIo, path.string() + ": is not a regular file");
  return file;
}

Result<FileHandle> FileHandle::create(const std::filesystem::path& path) {
  FileHandle file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.fd_ < 0) return fail(ErrorCode::kIo, path.string() + ": cannot be created: " + system_text(errno));
  return file;
}

Result<std::uint64_t> FileHandle::size() const {
  struct stat facts {};
  if (::fstat(fd_, &facts) != 0) return fail(ErrorCode::kIo, "file size: " + system_text(errno));
  return static_cast<std::uint64_t>(facts.st_size);
}

Status FileHandle::read_at(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const auto count = ::pread(fd_, out.data(), std::min(out.size(), kMaxTransfer), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(ErrorCode::kIo, "read at byte " + std::to_string(offset) + ": " + system_text(errno));
    if (count == 0)
      return fail(ErrorCode::kCorrupt, "file ends at byte " + std::to_string(offset) + ", before its data");
    offset += static_cast<std::uint64_t>(count);
    out = out.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Status FileHandle::write_all(std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const auto count = ::write(fd_, bytes.data(), std::min(bytes.size(), kMaxTransfer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(ErrorCode::kIo, "write: " + system_text(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Status FileHandle::sync() const {
  if (::fsync(fd_) != 0) return fail(ErrorCode::kIo, "fsync: " + system_text(errno));
  return {};
}

Status FileHandle::close() {
  const int fd = std::exchange(fd_, -1);
  if (fd >= 0 && ::close(fd) != 0 && errno != EINTR) return fail(ErrorCode::kIo, "close: " + system_text(errno));
  return {};
}

}  // namespace hadar
