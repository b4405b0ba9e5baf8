// What must hold of every event log, whatever went wrong while it was written.
#pragma once

#include <string>
#include <vector>

#include "messages/types/event.hpp"

namespace hadar {

// What a drain may take, in seconds: for the longest that faults can make it.
struct DrainSlack {
  double granted_s = 20;  // a plan made before it may be written down after it; its leases are refused by the keeper
  double over_s = 80;     // a lease that nobody can reach goes on for the outage grace, a hung trainer until killed
};

// Lines of what does not hold; empty when all does. `finished`: every job was to end, and no lease may be open.
std::vector<std::string> check_log(const std::vector<Event>& events, bool finished, const DrainSlack& slack = {});

// One line per violation, for a test's message.
std::string joined(const std::vector<std::string>& lines);

// Submission to end of the job with this name, in seconds; negative when it did not complete.
double jct_of(const std::vector<Event>& events, const std::string& name);

// Steps credited to the job with this name.
std::uint64_t credited_to(const std::vector<Event>& events, const std::string& name);

// How many events are of this kind.
template <class Kind>
std::size_t count_of(const std::vector<Event>& events) {
  std::size_t count = 0;
  for (const auto& event : events) count += std::holds_alternative<Kind>(event.body) ? 1 : 0;
  return count;
}

}  // namespace hadar
