// What a round on a gang is worth to a job. Shared by the price oracle and the policies, so that prices and payoffs
// speak of the same thing.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hadar {

enum class UtilityKind {
  kJctMakespan,              // loss from waiting in mean completion time, plus the job's share in the makespan
  kJct,                      // loss from waiting in mean completion time only: shortest remaining time first
  kMakespan,                 // share in the makespan only
  kInverseSlowdown,          // the Hadar paper's family: shortest time / time in the system at completion
  kInverseSlowdownMarginal,  // what of that waiting a round would lose
  kThroughput,               // speed against the job's fastest type
  kEffectiveThroughput,      // steps per second in the system, what waiting a round would lose of it
  kFinishTimeFairness,       // half the square of JCT / isolated JCT, what waiting a round would add to it
  kSoftDeadline,             // chance of making the deadline, what waiting a round would lose of it
};

struct UtilitySettings {
  UtilityKind kind = UtilityKind::kJctMakespan;
  double beta = 7;                         // weight of the makespan term; 0 is kJct, large is kMakespan
  std::map<std::string, double> quotas{};  // by user: part of all GPUs; a user above it weighs less
};

// Names as users write them, in the order of the enumeration.
const std::vector<std::string>& utility_names();

// The kind of a name of `utility_names`; kJctMakespan for any other.
UtilityKind utility_of(std::string_view name);

// A job as its utility sees it.
struct UtilityJob {
  double weight = 1;          // the job's own times its user's, see quota_factor
  double steps_left = 1;      // > 0
  double steps_total = 1;     // > 0
  double best_speed = 1;      // steps/s on its fastest type, > 0
  double isolated_speed = 1;  // steps/s with an equal part of every type, > 0
  double age_s = 0;           // since submission
  double deadline_s = 0;      // from submission; 0 = none
  double makespan_share = 0;  // its part of the makespan's sensitivity; all jobs' parts sum to 1
  double jobs = 1;            // unfinished jobs
};

// Utility of one round of `round_s` at `speed` steps/s (>= 0): >= 0, rising in speed, 0 at speed 0. Comparable between
// jobs under one kind only.
//
// A round at speed x takes the fraction x L / rem of a job's remaining work: for the mean completion time it is worth
// 1 / (time left + one round) per second (the added round keeps tiny jobs from blowing up), for the makespan
// x / rem x share, since the makespan is homogeneous of degree one in the remaining work. Levels such as inverse
// slowdown rank long jobs first; weighing what is lost by waiting does not. The kinds that weigh a loss compare
// completing after this round's work on the fastest type with completing so after a round of nothing.
double utility(const UtilitySettings& settings, const UtilityJob& job, double speed, double round_s);

// What a user's weight is multiplied by who holds `held` of `installed` GPUs with a right to `quota` of them:
// 1 up to the quota, quota / part held above it.
double quota_factor(double quota, double held, double installed);

}  // namespace hadar
