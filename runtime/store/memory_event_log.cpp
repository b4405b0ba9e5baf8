#include "runtime/store/memory_event_log.hpp"

#include <algorithm>

#include "messages/codec/event_json.hpp"
#include "messages/types/check.hpp"

namespace hadar {

Status MemoryEventLog::append(std::span<const Event> events,
                              std::span<const std::pair<std::string, std::string>> values) {
  for (std::size_t i = 0; i < events.size(); ++i) HADAR_REQUIRE(events[i].seq == events_.size() + 1 + i);
  events_.insert(events_.end(), events.begin(), events.end());
  for (const auto& [name, value] : values) values_.insert_or_assign(name, value);
  return {};
}

Result<std::vector<StoredEvent>> MemoryEventLog::read(std::uint64_t after_seq, std::uint32_t limit) {
  std::vector<StoredEvent> page;
  const auto first = std::min<std::uint64_t>(after_seq, events_.size());
  const auto end = first + std::min<std::uint64_t>(limit, events_.size() - first);
  for (auto i = first; i < end; ++i) page.push_back({events_[i].seq, event_to_json(events_[i])});
  return page;
}

Result<std::string> MemoryEventLog::value(const std::string& name) {
  const auto found = values_.find(name);
  if (found == values_.end()) return fail(ErrorCode::kNotFound, "no value '" + name + "' in the event log");
  return found->second;
}

}  // namespace hadar
