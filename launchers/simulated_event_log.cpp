#include "launchers/simulated_event_log.hpp"

#include <algorithm>

#include "messages/codec/event_json.hpp"
#include "messages/types/check.hpp"

namespace hadar {

Status SimulatedEventLog::append(std::span<const Event> events,
                                 std::span<const std::pair<std::string, std::string>> values) {
  for (const auto& event : events) {
    HADAR_REQUIRE(event.seq == ++last_seq_);
    if (std::holds_alternative<event::Submitted>(event.body)) ++jobs_open_;
    if (std::holds_alternative<event::Completed>(event.body) || std::holds_alternative<event::Failed>(event.body) ||
        std::holds_alternative<event::Cancelled>(event.body))
      --jobs_open_;
    if (observer_) observer_(event);
    if (keep_) events_.push_back(event);
  }
  for (const auto& [name, value] : values) values_.insert_or_assign(name, value);
  return {};
}

Result<std::vector<StoredEvent>> SimulatedEventLog::read(std::uint64_t after_seq, std::uint32_t limit) {
  HADAR_REQUIRE(keep_ || after_seq >= last_seq_);
  std::vector<StoredEvent> page;
  const auto first = std::min<std::uint64_t>(after_seq, events_.size());
  const auto end = first + std::min<std::uint64_t>(limit, events_.size() - first);
  for (auto i = first; i < end; ++i) page.push_back({events_[i].seq, event_to_json(events_[i])});
  return page;
}

Result<std::string> SimulatedEventLog::value(const std::string& name) {
  const auto found = values_.find(name);
  if (found == values_.end()) return fail(ErrorCode::kNotFound, "no value '" + name + "' in the event log");
  return found->second;
}

}  // namespace hadar
