// A simulated run beside the live one it stands for: how far they are apart, job by job, and why.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "messages/types/event.hpp"

namespace hadar::report {

// Where a job's time went. A job that did not complete has no jct_s and counts up to the last event.
struct JobTimes {
  std::string name;
  std::optional<double> jct_s;
  double waited_s = 0;   // without any lease
  double held_s = 0;     // with at least one
  double leased_s = 0;   // summed over leases: twice as much as held_s where two forks run side by side
  double trained_s = 0;  // of that, inside step loops
  double steps = 0;      // reported
  std::uint64_t leases = 0;

  [[nodiscard]] double speed() const { return trained_s > 0 ? steps / trained_s : 0; }            // steps/s of a fork
  [[nodiscard]] double at_once() const { return held_s > 0 ? leased_s / held_s : 0; }             // forks
  [[nodiscard]] double training_part() const { return leased_s > 0 ? trained_s / leased_s : 0; }  // of lease time
};

struct RunTimes {
  std::string policy;
  double makespan_s = 0;
  double avg_jct_s = 0;
  double cru = 0;
  double lost_per_lease_s = 0;  // mean time of a lease outside step loops: start, load, save
  std::vector<JobTimes> jobs;   // in the order of submission
};

// Never fails; what belongs to unknown jobs or leases is left out, as `summarise` does.
RunTimes run_times(std::span<const Event> events);

// One job of both runs. Causes are named by what explains most of the difference of the JCTs: "waiting", "speed",
// "forks at once", "time outside steps"; empty when they differ by less than 1 %.
struct JobDifference {
  JobTimes live;
  JobTimes simulated;
  std::string cause;
};

struct Calibration {
  RunTimes live;
  RunTimes simulated;
  std::vector<JobDifference> jobs;     // by name, in the order of the live run
  std::vector<std::string> only_live;  // jobs whose name the other run does not have
  std::vector<std::string> only_simulated;
};

Calibration calibrate(std::span<const Event> live, std::span<const Event> simulated);

}  // namespace hadar::report
