#include "runtime/store/posix_file.hpp"

#include <cerrno>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace hadar {

tl::unexpected<Error> fail_errno(std::string_view what, const std::filesystem::path& path) {
  const int code = errno;
  return fail(ErrorCode::kIo, std::string(what) + " " + path.string() + ": " + std::generic_category().message(code));
}

Result<PosixFile> PosixFile::open(const std::filesystem::path& path, int flags, unsigned mode) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  if (fd >= 0) return PosixFile(fd, path);
  if (errno == ENOENT && (flags & O_CREAT) == 0) return fail(ErrorCode::kNotFound, "no such file: " + path.string());
  return fail_errno("cannot open", path);
}

PosixFile& PosixFile::operator=(PosixFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  return *this;
}

PosixFile::~PosixFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<std::uint64_t> PosixFile::size() const {
  struct stat info {};
  if (::fstat(fd_, &info) != 0) return fail_errno("cannot stat", path_);
  if (S_ISDIR(info.st_mode)) return fail(ErrorCode::kIo, "is a folder, not a file: " + path_.string());
  return static_cast<std::uint64_t>(info.st_size);
}

Status PosixFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const auto done = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0) {
      if (errno == EINTR) continue;
      return fail_errno("cannot write", path_);
    }
    offset += static_cast<std::uint64_t>(done);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return {};
}

Result<std::size_t> PosixFile::read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
  std::size_t got = 0;
  while (got < bytes.size()) {
    const auto done = ::pread(fd_, bytes.data() + got, bytes.size() - got, static_cast<off_t>(offset + got));
    if (done < 0) {
      if (errno == EINTR) continue;
      return fail_errno("cannot read", path_);
    }
    if (done == 0) break;
    got += static_cast<std::size_t>(done);
  }
  return got;
}

Status PosixFile::truncate(std::uint64_t size) const {
  if (::ftruncate(fd_, static_cast<off_t>(size)) != 0) return fail_errno("cannot cut", path_);
  return {};
}

Status PosixFile::sync() const {
  if (::fsync(fd_) != 0) return fail_errno("cannot sync", path_);
  return {};
}

}  // namespace hadar
