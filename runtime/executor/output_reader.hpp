// Brings one trainer's output from its pipe into the log store. Loop thread only.
#pragma once

#include <string>
#include <string_view>

#include "messages/types/ids.hpp"
#include "runtime/executor/log_store.hpp"
#include "runtime/loop/event_loop.hpp"

namespace hadar {

class OutputReader {
 public:
  // Owns `pipe`, a non-blocking descriptor. Each line starts with `prefix` in the log.
  OutputReader(EventLoop& loop, LogStore& logs, ForkId fork, std::string prefix, int pipe);
  // Reads what is there and closes.
  ~OutputReader();
  OutputReader(const OutputReader&) = delete;
  OutputReader& operator=(const OutputReader&) = delete;

  // Reads what is there already.
  void drain();

  // The last line that is not blank, at most 300 bytes; empty when there was none.
  [[nodiscard]] const std::string& last_line() const { return last_line_; }

 private:
  bool read_some();
  void take(std::string_view bytes);
  void take_line(std::string_view line);

  EventLoop& loop_;
  LogStore& logs_;
  ForkId fork_;
  std::string prefix_;
  int pipe_;
  EventLoop::WatchId watch_;
  std::string partial_;  // a line without its end
  std::string last_line_;
};

}  // namespace hadar
