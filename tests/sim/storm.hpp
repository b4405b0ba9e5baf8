// A random cluster, random jobs and random faults, all from one seed.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace hadar {

struct StormOutcome {
  std::string wrong;   // one line per violation; empty when all holds
  std::string plan;    // what was done, one line per job and fault
  std::string events;  // the event log as JSON lines
};

// Under `policy`, or under one drawn from the seed. With `told`, the plan is also written there before anything runs.
StormOutcome run_storm(std::uint64_t seed, const std::string& policy = "", std::ostream* told = nullptr);

}  // namespace hadar
