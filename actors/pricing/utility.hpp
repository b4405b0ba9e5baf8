// What a round on a gang is worth to a job. Shared by the price oracle and the policies, so that prices and payoffs
// speak of the same thing.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace hadar {

enum class UtilityKind {
  kJctMakespan,      // loss from waiting in mean completion time, plus the job's share in the makespan
  kJct,              // loss from waiting in mean completion time only: shortest remaining time first
  kMakespan,         // share in the makespan only
  kInverseSlowdown,  // the Hadar paper's family: weight x shortest time / time in the system at completion
  kThroughput,       // speed against the job's fastest type
};

struct UtilitySettings {
  UtilityKind kind = UtilityKind::kJctMakespan;
  double beta = 20;  // weight of the makespan term; 0 is kJct, large is kMakespan
};

// Names as users write them, in the order of the enumeration.
inline const std::vector<std::string>& utility_names() {
  static const std::vector<std::string> names = {"jct-makespan", "jct", "makespan", "inverse-slowdown", "throughput"};
  return names;
}

// The kind of a name of `utility_names`; kJctMakespan for any other.
inline UtilityKind utility_of(std::string_view name) {
  const auto& names = utility_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<UtilityKind>(i);
  return UtilityKind::kJctMakespan;
}

// A job as its utility sees it.
struct UtilityJob {
  double weight = 1;
  double steps_left = 1;      // > 0
  double best_speed = 1;      // steps/s on its fastest type, > 0
  double age_s = 0;           // since submission
  double makespan_share = 0;  // its part of the makespan's sensitivity; all jobs' parts sum to 1
  double jobs = 1;            // unfinished jobs
};

// Utility of one round of `round_s` at `speed` steps/s (>= 0). Dimensionless, >= 0, rising in speed.
//
// A round at speed x takes the fraction x L / rem of a job's remaining work: for the mean completion time it is worth
// 1 / (time left + one round) per second (the added round keeps tiny jobs from blowing up), for the makespan
// x / rem x share, since the makespan is homogeneous of degree one in the remaining work. Levels such as inverse
// slowdown rank long jobs first; weighing what is lost by waiting does not.
inline double utility(const UtilitySettings& settings, const UtilityJob& job, double speed, double round_s) {
  if (speed <= 0) return 0;
  const double time_left = job.steps_left / speed;
  const double jct = round_s / (time_left + round_s);
  const double makespan = round_s / time_left * settings.beta * job.jobs * job.makespan_share;
  switch (settings.kind) {
    case UtilityKind::kJctMakespan: return job.weight * (jct + makespan);
    case UtilityKind::kJct: return job.weight * jct;
    case UtilityKind::kMakespan: return job.weight * round_s / time_left * job.jobs * job.makespan_share;
    case UtilityKind::kInverseSlowdown:
      return job.weight * std::min(1.0, job.steps_left / job.best_speed / (job.age_s + time_left));
    case UtilityKind::kThroughput: return job.weight * speed / job.best_speed;
  }
  return 0;
}

}  // namespace hadar
