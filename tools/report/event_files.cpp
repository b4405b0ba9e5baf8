#include <fmt/format.h>
#include <fstream>
#include <iostream>

#include "messages/codec/event_json.hpp"
#include "tools/report/run_summary.hpp"

namespace hadar::report {

Result<std::vector<Event>> read_events(const std::string& file, std::string& skipped) {
  skipped.clear();
  std::ifstream opened;
  if (file != "-") {
    opened.open(file, std::ios::binary);
    if (!opened)
      return fail(ErrorCode::kIo, fmt::format("{}: cannot be read; give a file of hadar events --json", file));
  }
  auto& in = file == "-" ? std::cin : opened;
  std::vector<Event> events;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    auto event = event_from_json(line);
    if (!event) {
      auto what = fmt::format("{}:{}: {}", file, number, event.error().message);
      if (!in.eof()) return fail(ErrorCode::kInvalidArgument, std::move(what));
      skipped = std::move(what) + "; skipped, since the last line was cut";
      break;
    }
    if (event->t_s < (events.empty() ? 0 : events.back().t_s))
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}:{}: t_s {:g}; times must be 0 or more and not fall", file, number, event->t_s));
    if (!events.empty() && event->seq <= events.back().seq)
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}:{}: seq {} after {}; a file holds one run's events in order", file, number,
                              event->seq, events.back().seq));
    if (!events.empty() && event->seq != events.back().seq + 1 && skipped.empty())
      skipped = fmt::format("{}:{}: seq {} after {}: events between them are missing", file, number, event->seq,
                            events.back().seq);
    events.push_back(std::move(*event));
  }
  if (in.bad()) return fail(ErrorCode::kIo, fmt::format("{}: reading it failed", file));
  if (events.empty())
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: holds no event; give a file of hadar events --json", file));
  return events;
}

}  // namespace hadar::report
