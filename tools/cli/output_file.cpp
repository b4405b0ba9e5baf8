#include "tools/cli/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/cli/text.hpp"

namespace hadar::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;
constexpr mode_t kNewFileMode = 0666;
constexpr mode_t kModeBits = 07777;

tl::unexpected<Error> refused(const std::string& target, int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return fail(ErrorCode::kIo, target + ": cannot be written: " + std::strerror(error) +
                                  (full ? "; give a path with room" : "; give a path that can be written"));
}

bool is_stdout(const struct stat& found) {
  struct stat own = {};
  return fstat(STDOUT_FILENO, &own) == 0 && own.st_dev == found.st_dev && own.st_ino == found.st_ino &&
         S_ISREG(found.st_mode);
}

struct Destination {
  fs::path file;           // empty when links go in circles
  bool open_file = false;  // it goes through a name of an open file, as /dev/fd/3: that cannot be replaced by another
};

// Where symbolic links lead, whether or not something is there.
Destination follow_links(fs::path path) {
  bool open_file = false;
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code none;
    open_file = open_file || fs::weakly_canonical(path.parent_path(), none).string().rfind("/proc/", 0) == 0;
    const auto next = fs::read_symlink(path, none);
    if (none) return {path, open_file};
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return {};
}

// What two names of one file have in common: where its links lead, and the file itself once it is there, as hard links
// share that alone. Nothing for what may stand for several.
std::vector<std::string> identities(const std::string& name) {
  if (name.empty()) return {};
  if (name == "-") return {name};
  struct stat found = {};
  const bool there = ::stat(name.c_str(), &found) == 0;
  if (there && !S_ISREG(found.st_mode)) return {};
  std::error_code none;
  // Without absolute(), a name of which no part is there yet would stay relative.
  const auto place = fs::weakly_canonical(follow_links(fs::absolute(name, none)).file, none);
  std::vector<std::string> all{"at " + place.string()};
  if (there) all.push_back("file " + std::to_string(found.st_dev) + " " + std::to_string(found.st_ino));
  return all;
}

}  // namespace

OutputFile::OutputFile(OutputFile&& other) noexcept
    : target_(std::move(other.target_)),
      file_(std::move(other.file_)),
      partial_(std::exchange(other.partial_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!partial_.empty()) ::unlink(partial_.c_str());
}

tl::unexpected<Error> OutputFile::cannot(int error) const {
  return refused(target_, error);
}

Result<OutputFile> OutputFile::open(const std::string& target) {
  struct stat found = {};
  const bool there = ::stat(target.c_str(), &found) == 0;
  if (!there && errno != ENOENT) return refused(target, errno);
  if (target == "-" || (there && is_stdout(found))) return OutputFile(target, -1);
  const auto [file, open_file] = follow_links(target);
  if (there && (!S_ISREG(found.st_mode) || open_file)) {
    const int descriptor = ::open(target.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0) return refused(target, errno);
    return OutputFile(target, descriptor);
  }
  if (there && ::access(target.c_str(), W_OK) != 0) return refused(target, errno);
  if (file.empty() || file.filename().empty()) return refused(target, file.empty() ? ELOOP : EISDIR);
  const auto partial = file.string() + ".partial-" + std::to_string(getpid());
  const int descriptor = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kNewFileMode);
  if (descriptor < 0) return refused(target, errno);
  OutputFile out(target, descriptor);
  out.file_ = file.string();
  out.partial_ = partial;
  if (there && ::fchmod(descriptor, found.st_mode & kModeBits) != 0) return refused(target, errno);
  return out;
}

Status OutputFile::write(std::string_view bytes) {
  if (descriptor_ < 0) {
    if (!print(bytes)) return cannot(output_error());
    return {};
  }
  while (!bytes.empty()) {
    const auto wrote = ::write(descriptor_, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return cannot(errno);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

Status OutputFile::commit() {
  if (descriptor_ < 0) return {};
  if (!partial_.empty() && ::fsync(descriptor_) != 0) return cannot(errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) return cannot(errno);
  if (partial_.empty()) return {};
  if (::rename(partial_.c_str(), file_.c_str()) != 0) return cannot(errno);
  partial_.clear();
  return {};
}

Status write_text(const std::string& target, std::string_view text) {
  auto out = OutputFile::open(target);
  if (!out) return fail(std::move(out));
  if (auto done = out->write(text); !done) return done;
  return out->commit();
}

Status check_writable(const std::string& target) {
  struct stat found = {};
  if (target.empty()) return {};
  if (::stat(target.c_str(), &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)) {
    if (::access(target.c_str(), W_OK) != 0)
      return refused(target, errno);  // opening a FIFO twice would end its reader
    return {};
  }
  if (auto out = OutputFile::open(target); !out) return fail(std::move(out));
  return {};
}

Status check_apart(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  std::map<std::string, std::string> read;  // by identity: as the user said it
  std::set<std::string> written;
  for (const auto& input : inputs)
    for (auto& identity : identities(input)) read.emplace(std::move(identity), input);
  for (const auto& output : outputs) {
    const auto all = identities(output);
    for (const auto& identity : all)
      if (const auto found = read.find(identity); output != "-" && found != read.end())
        return fail(ErrorCode::kInvalidArgument, output + ": is read by this command (as " + found->second +
                                                     "), so it cannot be written; give another name");
    for (const auto& identity : all)
      if (written.contains(identity))
        return fail(ErrorCode::kInvalidArgument,
                    output == "-" ? "-: two outputs would go to stdout; give one of them a file"
                                  : output + ": two outputs would go there; give each a name of its own");
    written.insert(all.begin(), all.end());
  }
  return {};
}

}  // namespace hadar::cli
