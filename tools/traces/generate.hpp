// Made-up traces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/traces/trace.hpp"

namespace hadar::traces {

inline constexpr std::uint64_t kMostJobs = 10'000'000;
inline constexpr double kMostRate = 1e6;  // jobs an hour

struct GenerateOptions {
  std::string profile;          // one of profiles()
  std::uint64_t jobs = 0;       // 1 to kMostJobs
  double jobs_per_h = 0;        // mean rate of arrivals; the first job comes at 0; 0 = all come at 0
  std::uint64_t seed = 0;       // another seed, other jobs and other arrivals; the rate changes arrivals only
  ThroughputTable throughputs;  // job types and their speeds; empty = that of measured_speeds.hpp
};

// The same options give the same bytes on every machine: random numbers are our own (random.hpp), durations and
// arrivals are rounded to milliseconds before anything is derived from them. More jobs extend a trace, they do not
// change it.
//   gavel-single    Gavel's generator (OSDI'20, utils.generate_job of the public code): each job type with equal
//   chance,
//                   time alone on V100s 10^U(1.5,3) min for 80 %, 10^U(3,4) min for 20 %, one GPU, Poisson arrivals.
//   gavel-multi     the same with 1, 2, 4, 8 GPUs for 70, 10, 15, 5 %; the types measured at that gang size.
//   gavel-makespan  as gavel-multi, every job at 0; a rate is refused.
//   gavel-2020-single, gavel-2020-multi
//                   the very jobs of its published figures, whose seeds are 0, 1, 2, from Python's generator; all at 0
//                   without a rate.
//   gavel-2022-single, gavel-2022-multi
//                   the same from the public code of 2022, whose list of job types has another order: gangs differ.
//   philly          like Microsoft's Philly (ATC'19): see philly_profile.cpp.
//   uniform         time alone U(0.2, 5) h; 1, 2, 4, 8 GPUs with equal chance; Poisson arrivals.
// total_steps = time alone x V100 speed at the gang size, rounded down (the fastest type's speed where V100 has none),
// at least 1.
// A rate is from least_rate(jobs) to kMostRate.
// Errors: kInvalidArgument (unknown profile, jobs, rate or seed out of range, a table without a speed on one GPU).
Result<Trace> generate(const GenerateOptions& options);

// Jobs an hour at which so many jobs come within the times that a trace can have, whatever the seed; 3 digits.
double least_rate(std::uint64_t jobs);

struct ProfileInfo {
  std::string_view name;
  std::string_view summary;
};
std::vector<ProfileInfo> profiles();

}  // namespace hadar::traces
