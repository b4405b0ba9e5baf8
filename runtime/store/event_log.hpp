// Where a cluster's facts live.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "messages/types/event.hpp"
#include "messages/types/result.hpp"

namespace hadar {

// An event as stored: its JSON object (codec/event_json) without a line break.
struct StoredEvent {
  std::uint64_t seq = 0;
  std::string json;
};

// Append-only log, plus a few named values that change with it. One thread at a time; owned by the job ledger.
class EventLog {
 public:
  virtual ~EventLog() = default;

  // Writes all events and values in ONE transaction and returns after it is durable. The events carry their final seq,
  // which must continue the log without a gap. Errors: kIo (nothing was written).
  virtual Status append(std::span<const Event> events, std::span<const std::pair<std::string, std::string>> values) = 0;

  // Up to `limit` events with seq > after_seq, rising.
  virtual Result<std::vector<StoredEvent>> read(std::uint64_t after_seq, std::uint32_t limit) = 0;

  // Seq of the last event; 0 for an empty log.
  virtual std::uint64_t last_seq() const = 0;

  // A named value; kNotFound when never written.
  virtual Result<std::string> value(const std::string& name) = 0;
};

}  // namespace hadar
