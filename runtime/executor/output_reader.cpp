#include "runtime/executor/output_reader.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <unistd.h>

namespace hadar {
namespace {
constexpr std::size_t kLongestLine = 8192;  // longer ones are broken
constexpr std::size_t kLongestDetail = 300;
constexpr int kReadsAtOnce = 16;  // then other work of the loop gets its turn
}  // namespace

OutputReader::OutputReader(EventLoop& loop, LogStore& logs, ForkId fork, std::string prefix, int pipe)
    : loop_(loop), logs_(logs), fork_(fork), prefix_(std::move(prefix)), pipe_(pipe) {
  watch_ = loop_.watch(pipe_, [this] {
    for (int i = 0; i < kReadsAtOnce && read_some(); ++i) {
    }
  });
}

OutputReader::~OutputReader() {
  drain();
  if (!partial_.empty()) take("\n");
  loop_.unwatch(watch_);
  close(pipe_);
}

void OutputReader::drain() {
  while (read_some()) {
  }
}

bool OutputReader::read_some() {
  std::array<char, 65536> buffer;
  const auto got = ::read(pipe_, buffer.data(), buffer.size());
  if (got < 0 && errno == EINTR) return true;
  if (got == 0) loop_.unwatch(watch_);  // closed for good: no more wake-ups
  if (got <= 0) return false;
  take({buffer.data(), static_cast<std::size_t>(got)});
  return true;
}

// Whole lines only, so that the lines of a gang's members do not run into each other.
void OutputReader::take(std::string_view bytes) {
  partial_ += bytes;
  std::string out;
  std::size_t at = 0;
  while (at < partial_.size()) {
    auto end = partial_.find('\n', at);
    if (end == std::string::npos && partial_.size() - at < kLongestLine) break;
    end = std::min({end, at + kLongestLine, partial_.size()});
    const auto line = std::string_view(partial_).substr(at, end - at);
    take_line(line);
    out.append(prefix_).append(line).append("\n");
    at = end < partial_.size() && partial_[end] == '\n' ? end + 1 : end;
  }
  partial_.erase(0, at);
  if (!out.empty()) logs_.append(fork_, out);
}

void OutputReader::take_line(std::string_view line) {
  const auto last = line.find_last_not_of(" \t\r");
  if (last == std::string_view::npos) return;
  last_line_ = line.substr(0, std::min(last + 1, kLongestDetail));
}

}  // namespace hadar
