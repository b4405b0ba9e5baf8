// An event log in memory, for the simulation and for tests.
#pragma once

#include <map>

#include "runtime/store/event_log.hpp"

namespace hadar {

// Keeps the contract of EventLog as long as it lives.
class MemoryEventLog final : public EventLog {
 public:
  Status append(std::span<const Event> events, std::span<const std::pair<std::string, std::string>> values) override;
  Result<std::vector<StoredEvent>> read(std::uint64_t after_seq, std::uint32_t limit) override;
  std::uint64_t last_seq() const override { return events_.size(); }
  Result<std::string> value(const std::string& name) override;

  // All events, without the way over JSON.
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }

 private:
  std::vector<Event> events_;
  std::map<std::string, std::string> values_;
};

}  // namespace hadar
