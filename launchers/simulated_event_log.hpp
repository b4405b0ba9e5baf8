// The event log of a simulation: tells of each event, and keeps them only when asked to.
#pragma once

#include <functional>
#include <map>

#include "runtime/store/event_log.hpp"

namespace hadar {

using EventObserver = std::function<void(const Event&)>;

// Keeps the contract of EventLog; without `keep` nothing can be read back, so no tracker can restart from it.
class SimulatedEventLog final : public EventLog {
 public:
  SimulatedEventLog(bool keep, EventObserver observer) : keep_(keep), observer_(std::move(observer)) {}

  Status append(std::span<const Event> events, std::span<const std::pair<std::string, std::string>> values) override;
  Result<std::vector<StoredEvent>> read(std::uint64_t after_seq, std::uint32_t limit) override;
  std::uint64_t last_seq() const override { return last_seq_; }
  Result<std::string> value(const std::string& name) override;

  // All kept events, without the way over JSON.
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  // Jobs submitted that have not ended.
  [[nodiscard]] std::int64_t jobs_open() const { return jobs_open_; }

 private:
  bool keep_;
  EventObserver observer_;
  std::vector<Event> events_;
  std::uint64_t last_seq_ = 0;
  std::int64_t jobs_open_ = 0;
  std::map<std::string, std::string> values_;
};

}  // namespace hadar
