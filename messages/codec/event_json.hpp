// Events as the log stores them and users see them: one JSON object on one line.
//
// An object starts with seq and t_s, then kind (the name of the struct in messages/types/event.hpp), then job and node
// where the event concerns one, then the event's own fields. Doubles are written in their shortest form that reads back
// the same; text that is not UTF-8 gets U+FFFD in place of each bad byte.
#pragma once

#include <string>
#include <string_view>

#include "messages/types/event.hpp"
#include "messages/types/result.hpp"

namespace hadar {

// One line without the line break. Every number in the event must be finite: a caller's duty. Thread-safe.
std::string event_to_json(const Event& event);

// Reads what event_to_json() wrote; numbers exactly, keys in any order. kCorrupt: not one JSON object, an unknown kind,
// a key that is unknown, missing, twice there or of the wrong type; the text names the key. Thread-safe.
Result<Event> event_from_json(std::string_view line);

// The same without seq and t_s.
std::string event_body_to_json(const EventBody& body);
Result<EventBody> event_body_from_json(std::string_view line);

// The event's kind as it stands in JSON, e.g. "LeasesGranted".
std::string_view kind_of(const EventBody& body);

// A job's specification with the keys of JOB.toml, all of them.
std::string job_spec_to_json(const JobSpec& spec);
// kCorrupt as above; does not judge the values.
Result<JobSpec> job_spec_from_json(std::string_view text);

}  // namespace hadar
