// The logs of one node's trainers: bounded, readable while written and after the job ended, also by the next process on
// the same folder. A log is one stream of bytes per fork; its oldest bytes are cut when room is needed, and the cut is
// marked in the text. Thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <string_view>

#include "messages/types/control.hpp"
#include "messages/types/ids.hpp"
#include "messages/types/result.hpp"

namespace hadar {

struct LogCaps {
  std::uint64_t job_bytes = 20'000'000;     // of one job, all its forks
  std::uint64_t total_bytes = 200'000'000;  // of all jobs
};

class LogStore {
 public:
  // Takes over what an earlier process left in `folder`.
  LogStore(std::filesystem::path folder, LogCaps caps);

  // Never fails: what cannot be written (disk full) is counted, and named in the log once writing works again.
  void append(ForkId fork, std::string_view bytes);

  // Bytes from `offset` on, at most `max_bytes`; a later offset when older bytes were cut. kNotFound: no log at all;
  // kIo: it cannot be read.
  Result<LogPart> read(ForkId fork, std::uint64_t offset, std::uint32_t max_bytes) const;

 private:
  // A file that holds the bytes [start, start + size) of its fork's log.
  struct Segment {
    std::uint64_t start = 0;
    std::uint64_t size = 0;
    std::uint64_t touched = 0;  // rises with each write, over all logs
  };
  using Segments = std::deque<Segment>;  // of one fork, oldest first, never empty

  std::filesystem::path path_of(ForkId fork, std::uint64_t start) const;
  void adopt_files();
  bool write_piece(ForkId fork, std::string_view piece);
  void make_room(JobId job, std::uint64_t bytes);
  void drop_oldest_of(JobId job);
  void drop_oldest();
  void drop_front(ForkId fork);
  void keep_tail(ForkId fork, std::uint64_t bytes);
  void mark_cut(ForkId fork);
  std::uint64_t job_bytes(JobId job) const;

  std::filesystem::path folder_;
  LogCaps caps_;
  std::uint64_t segment_bytes_;
  mutable std::mutex mutex_;
  std::map<ForkId, Segments> logs_;
  std::map<ForkId, std::uint64_t> dropped_until_;  // of logs without a segment: where the next one starts
  std::map<ForkId, std::uint64_t> lost_;           // bytes that could not be written
  std::uint64_t total_ = 0;
  std::uint64_t files_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace hadar
