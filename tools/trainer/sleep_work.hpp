// The synthetic workload: steps that only wait for their pace, with sizes and faults as ordered.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "tools/trainer/lease_work.hpp"

namespace hadar::trainer {

struct SleepOptions {
  std::uint64_t checkpoint_bytes = 0;  // of the pretend weights, rounded up to whole floats; 0 = none
  std::uint64_t crash_at_step = 0;     // exits with 1 instead of this step of a lease; 0 = never
  double log_bytes_per_s = 0;          // written to stdout
};

// Reads "checkpoint_bytes=N,crash_at_step=N,log_bytes_per_s=X", in any order, each at most optional: what a node worker
// hands over in the variable HADAR_SLEEP. kInvalidArgument: an unknown key, or no number.
Result<SleepOptions> parse_sleep_options(std::string_view text);

// In a gang every step sums one float, so that the slowest member sets the pace. The pretend weights are one tensor
// `layer0.weight` filled with the job's step, so that versions differ. Metrics: none.
std::unique_ptr<LeaseWork> make_sleep_work(SleepOptions options);

}  // namespace hadar::trainer
