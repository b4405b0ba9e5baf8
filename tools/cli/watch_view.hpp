// What `hadar watch` shows, as pure text: a whole screen for terminals, lines of change for everything else.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "messages/types/control.hpp"

namespace hadar::cli {

struct WatchData {
  std::string endpoint;
  NodeList nodes;
  JobList jobs;  // also ended ones
};

// A screen of at most `rows` lines of at most `columns` cells; ANSI colours inside, no cursor moves.
std::string watch_screen(const WatchData& data, int columns, int rows);

// Remembers what was said, so that only changes are said again.
class ChangeLines {
 public:
  // Lines (each with a line break) for what changed since the last call: round policy, node states, job states, forks,
  // versions, and progress in tenths.
  std::string update(const WatchData& data);

 private:
  std::map<std::string, std::string> said_;
};

}  // namespace hadar::cli
