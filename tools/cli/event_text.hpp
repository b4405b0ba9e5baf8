// Events as lines for people.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace hadar::cli {

// "   12.345s  Consolidated      job=1 version=3 credited=120 in=5 out=0": time, kind, then what matters of its
// members;
// --json has all of them.
std::string event_line(const nlohmann::ordered_json& event);

// Whether an event names the job, itself or in one of its leases.
bool concerns_job(const nlohmann::ordered_json& event, std::uint64_t job);

}  // namespace hadar::cli
