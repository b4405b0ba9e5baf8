// Events as lines for people.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace hadar::cli {

// "   12.345s  Consolidated  job=1 version=3 credited=120": time, kind, then the plain members in their order; lists
// and objects are shown by their size or as compact JSON when short.
std::string event_line(const nlohmann::json& event);

// Whether an event names the job, itself or in one of its leases.
bool concerns_job(const nlohmann::json& event, std::uint64_t job);

}  // namespace hadar::cli
