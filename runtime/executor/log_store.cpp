#include "runtime/executor/log_store.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

namespace hadar {
namespace {

constexpr std::uint64_t kSegmentsPerJob = 8;
constexpr std::uint64_t kTailBytes = 16'384;  // of an ended job's log, kept when the total cap presses
constexpr std::uint64_t kMostFiles = 4096;
constexpr std::size_t kMarkSearch = 4096;  // how far to look for a line's end to put the mark before

struct File {
  int fd = -1;
  ~File() {
    if (fd >= 0) close(fd);
  }
};

// The mark takes the place of the first whole lines, so that every offset stays true.
std::string cut_mark(std::uint64_t start, std::string_view head) {
  const std::string least = "[" + std::to_string(start + kMarkSearch) + " bytes of older output were cut]\n";
  if (head.size() < least.size()) return {};
  auto end = head.find('\n', least.size() - 1);
  if (end == std::string_view::npos) end = least.size() - 1;
  std::string mark = "[" + std::to_string(start + end + 1) + " bytes of older output were cut";
  mark.append(end - mark.size() - 1, '.');
  return mark + "]\n";
}

}  // namespace

LogStore::LogStore(std::filesystem::path folder, LogCaps caps)
    : folder_(std::move(folder)),
      caps_(caps),
      segment_bytes_(std::max<std::uint64_t>(caps.job_bytes / kSegmentsPerJob, 1)) {
  std::error_code ignored;  // append() counts what cannot be written
  std::filesystem::create_directories(folder_, ignored);
  adopt_files();
}

std::filesystem::path LogStore::path_of(ForkId fork, std::uint64_t start) const {
  return folder_ / ("job-" + std::to_string(fork.job.value) + "-fork-" + std::to_string(fork.fork) + "." +
                    std::to_string(start) + ".log");
}

void LogStore::adopt_files() {
  struct Found {
    std::filesystem::file_time_type written;
    ForkId fork;
    Segment segment;
  };
  std::vector<Found> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    unsigned long long job = 0, fork = 0, start = 0;
    if (std::sscanf(entry.path().filename().c_str(), "job-%llu-fork-%llu.%llu.log", &job, &fork, &start) != 3) continue;
    Found file{entry.last_write_time(error), {{job}, static_cast<std::uint32_t>(fork)}, {start, 0, 0}};
    if (path_of(file.fork, start).filename() != entry.path().filename()) continue;
    file.segment.size = entry.file_size(error);
    if (!error) found.push_back(file);
  }
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::tie(a.written, a.fork, a.segment.start) < std::tie(b.written, b.fork, b.segment.start);
  });
  for (auto& file : found) {
    file.segment.touched = ++clock_;
    total_ += file.segment.size;
    ++files_;
    logs_[file.fork].push_back(file.segment);
  }
  for (auto& [fork, segments] : logs_)
    std::sort(segments.begin(), segments.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
}

std::uint64_t LogStore::job_bytes(JobId job) const {
  std::uint64_t bytes = 0;
  for (auto it = logs_.lower_bound({job, 0}); it != logs_.end() && it->first.job == job; ++it)
    for (const auto& segment : it->second) bytes += segment.size;
  return bytes;
}

void LogStore::append(ForkId fork, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (const auto lost = lost_.find(fork); lost != lost_.end()) {
    const auto note = "[" + std::to_string(lost->second) + " bytes of output could not be written]\n";
    if (write_piece(fork, note)) lost_.erase(lost);
  }
  while (!bytes.empty()) {
    const auto piece = bytes.substr(0, segment_bytes_);
    if (!write_piece(fork, piece)) lost_[fork] += piece.size();
    bytes.remove_prefix(piece.size());
  }
}

// `piece` is no longer than a segment. Room is made before writing: the caps hold at every moment.
bool LogStore::write_piece(ForkId fork, std::string_view piece) {
  make_room(fork.job, piece.size());
  const auto log = logs_.find(fork);
  const Segment last = log != logs_.end() ? log->second.back() : Segment{dropped_until_[fork], segment_bytes_, 0};
  const bool fits = log != logs_.end() && last.size + piece.size() <= segment_bytes_;
  const auto start = log == logs_.end() || fits ? last.start : last.start + last.size;
  const File file{open(path_of(fork, start).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)};
  if (file.fd < 0) return false;
  const auto before = fits ? last.size : 0;
  std::size_t written = 0;
  while (written < piece.size()) {
    const auto now = ::write(file.fd, piece.data() + written, piece.size() - written);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) break;
    written += static_cast<std::size_t>(now);
  }
  // Half a piece would tear a line: take it back.
  if (written < piece.size()) {
    if (ftruncate(file.fd, static_cast<off_t>(before)) != 0 || before > 0) return false;
    unlink(path_of(fork, start).c_str());
    return false;
  }
  if (!fits) {
    logs_[fork].push_back({start, 0, 0});
    ++files_;
  }
  auto& segment = logs_[fork].back();
  segment.size += piece.size();
  segment.touched = ++clock_;
  total_ += piece.size();
  return true;
}

void LogStore::make_room(JobId job, std::uint64_t bytes) {
  while (job_bytes(job) > 0 && job_bytes(job) + bytes > caps_.job_bytes) drop_oldest_of(job);
  while (total_ > 0 && (total_ + bytes > caps_.total_bytes || files_ >= kMostFiles)) drop_oldest();
}

void LogStore::drop_oldest_of(JobId job) {
  auto oldest = logs_.end();
  for (auto it = logs_.lower_bound({job, 0}); it != logs_.end() && it->first.job == job; ++it)
    if (oldest == logs_.end() || it->second.front().touched < oldest->second.front().touched) oldest = it;
  if (oldest != logs_.end()) drop_front(oldest->first);
}

// The last lines of each log go only when nothing else is left to cut.
void LogStore::drop_oldest() {
  const auto keep = std::min(kTailBytes, segment_bytes_ / 4);
  const auto only_tail = [&](const Segments& s) { return s.size() == 1 && s.front().size <= keep; };
  const auto oldest = std::min_element(logs_.begin(), logs_.end(), [&](const auto& a, const auto& b) {
    return std::pair(only_tail(a.second), a.second.front().touched) <
           std::pair(only_tail(b.second), b.second.front().touched);
  });
  if (oldest == logs_.end()) return;
  if (oldest->second.size() == 1 && !only_tail(oldest->second) && files_ < kMostFiles)
    keep_tail(oldest->first, keep);
  else
    drop_front(oldest->first);
}

void LogStore::drop_front(ForkId fork) {
  auto& segments = logs_[fork];
  std::error_code ignored;  // a file that is gone already is what we want
  std::filesystem::remove(path_of(fork, segments.front().start), ignored);
  total_ -= segments.front().size;
  --files_;
  if (segments.size() == 1) {
    dropped_until_[fork] = segments.front().start + segments.front().size;
    logs_.erase(fork);
    return;
  }
  segments.pop_front();
  mark_cut(fork);
}

void LogStore::keep_tail(ForkId fork, std::uint64_t bytes) {
  auto& segment = logs_[fork].front();
  const auto old = path_of(fork, segment.start);
  std::string tail(bytes, '\0');
  {
    const File file{open(old.c_str(), O_RDONLY | O_CLOEXEC)};
    if (pread(file.fd, tail.data(), tail.size(), static_cast<off_t>(segment.size - bytes)) !=
        static_cast<ssize_t>(tail.size()))
      return drop_front(fork);
  }
  const auto start = segment.start + segment.size - bytes;
  unlink(old.c_str());
  total_ -= segment.size;
  segment.start = start;
  segment.size = 0;
  const File file{open(path_of(fork, start).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
  const auto written = ::write(file.fd, tail.data(), tail.size());
  segment.size = written > 0 ? static_cast<std::uint64_t>(written) : 0;
  total_ += segment.size;
  mark_cut(fork);
}

void LogStore::mark_cut(ForkId fork) {
  const auto& segment = logs_[fork].front();
  const File file{open(path_of(fork, segment.start).c_str(), O_RDWR | O_CLOEXEC)};
  std::string head(std::min<std::uint64_t>(segment.size, kMarkSearch), '\0');
  if (pread(file.fd, head.data(), head.size(), 0) != static_cast<ssize_t>(head.size())) return;
  const auto mark = cut_mark(segment.start, head);
  // A cut that cannot be marked still shows in the offset that read() gives.
  if (!mark.empty()) (void)!pwrite(file.fd, mark.data(), mark.size(), 0);
}

Result<LogPart> LogStore::read(ForkId fork, std::uint64_t offset, std::uint32_t max_bytes) const {
  const std::lock_guard lock(mutex_);
  const auto log = logs_.find(fork);
  if (log == logs_.end())
    return fail(ErrorCode::kNotFound, "no log of job " + std::to_string(fork.job.value) + " fork " +
                                          std::to_string(fork.fork) + " on this node");
  const auto& segments = log->second;
  const auto end = segments.back().start + segments.back().size;
  LogPart part;
  part.offset = std::max(offset, segments.front().start);
  for (const auto& segment : segments) {
    const auto at = part.offset + part.text.size();
    if (at < segment.start || at >= segment.start + segment.size || part.text.size() >= max_bytes) continue;
    const auto path = path_of(fork, segment.start);
    const File file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    const auto want = std::min<std::uint64_t>(segment.start + segment.size - at, max_bytes - part.text.size());
    std::string bytes(want, '\0');
    const auto got = pread(file.fd, bytes.data(), want, static_cast<off_t>(at - segment.start));
    if (got < 0) return fail(ErrorCode::kIo, "cannot read " + path.string() + ": " + std::strerror(errno));
    part.text.append(bytes, 0, static_cast<std::size_t>(got));
  }
  part.more = part.offset + part.text.size() < end;
  return part;
}

}  // namespace hadar
