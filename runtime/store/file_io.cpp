#include "runtime/store/file_io.hpp"

#include <atomic>
#include <cerrno>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

#include "runtime/store/posix_file.hpp"

namespace hadar {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporaryMark = ".tmp-";

fs::path temporary_beside(const fs::path& file) {
  static std::atomic<std::uint64_t> count{0};
  return file.parent_path() / ("." + file.filename().string() + std::string(kTemporaryMark) +
                               std::to_string(::getpid()) + "-" + std::to_string(count.fetch_add(1)));
}

Status write_new(const fs::path& file, std::span<const std::byte> bytes) {
  auto out = PosixFile::open(file, O_WRONLY | O_CREAT | O_EXCL);
  if (!out) return fail(std::move(out));
  if (auto written = out->write_at(0, bytes); !written) return written;
  return out->sync();
}

// Who wrote itself into the lock file; for the message only.
std::string owner_of(int fd) {
  std::string text(32, '\0');
  const auto got = ::pread(fd, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  const auto digits = text.find_first_not_of("0123456789");
  text.resize(digits == std::string::npos ? text.size() : digits);
  return text.empty() ? "?" : text;
}

}  // namespace

Result<std::string> read_file(const fs::path& file, std::uint64_t max_bytes) {
  auto in = PosixFile::open(file, O_RDONLY);
  if (!in) return fail(std::move(in));
  const auto size = in->size();
  if (!size) return tl::unexpected(size.error());
  if (*size > max_bytes)
    return fail(ErrorCode::kIo, file.string() + " has " + std::to_string(*size) + " bytes, at most " +
                                    std::to_string(max_bytes) + " are read");
  std::string text(*size, '\0');
  const auto got = in->read_at(0, std::as_writable_bytes(std::span(text)));
  if (!got) return tl::unexpected(got.error());
  text.resize(*got);
  return text;
}

Status write_file_atomic(const fs::path& file, std::span<const std::byte> bytes) {
  const auto temporary = temporary_beside(file);
  auto done = write_new(temporary, bytes);
  if (done) done = rename_durably(temporary, file);
  if (!done) ::unlink(temporary.c_str());
  return done;
}

Status write_file_atomic(const fs::path& file, std::string_view bytes) {
  return write_file_atomic(file, std::as_bytes(std::span(bytes)));
}

Status make_folders(const fs::path& folder) {
  if (folder.empty()) return {};
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && !fs::is_directory(folder, error) && !error) error = std::make_error_code(std::errc::not_a_directory);
  if (error) return fail(ErrorCode::kIo, "cannot make folder " + folder.string() + ": " + error.message());
  return {};
}

Status sync_folder(const fs::path& folder) {
  auto handle = PosixFile::open(folder.empty() ? fs::path(".") : folder, O_RDONLY | O_DIRECTORY);
  if (!handle) return fail(std::move(handle));
  return handle->sync();
}

Status rename_durably(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return fail_errno("cannot rename to", to);
  return sync_folder(to.parent_path());
}

std::size_t remove_temporaries(const fs::path& folder) {
  std::size_t removed = 0;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (name.starts_with('.') && name.find(kTemporaryMark) != std::string::npos && ::unlink(entry->path().c_str()) == 0)
      ++removed;
  }
  return removed;
}

FileLock::~FileLock() {
  ::close(fd_);
}

Result<std::unique_ptr<FileLock>> take_lock(const fs::path& lock_file) {
  if (auto made = make_folders(lock_file.parent_path()); !made) return tl::unexpected(made.error());
  auto file = PosixFile::open(lock_file, O_RDWR | O_CREAT);
  if (!file) return fail(std::move(file));
  if (::flock(file->fd(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return fail_errno("cannot lock", lock_file);
    return fail(ErrorCode::kAlreadyExists, "state folder " + lock_file.parent_path().string() + " in use by pid " +
                                               owner_of(file->fd()) + "; stop that process or use another folder");
  }
  // The lock holds without the text too: a full disk must not keep a process from starting.
  const auto text = std::to_string(::getpid()) + "\n";
  if (file->truncate(0)) (void)file->write_at(0, std::as_bytes(std::span(text)));
  return std::unique_ptr<FileLock>(new FileLock(file->release()));
}

}  // namespace hadar
