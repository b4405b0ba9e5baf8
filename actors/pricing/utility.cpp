#include "actors/pricing/utility.hpp"

#include <algorithm>
#include <cmath>

namespace hadar {
namespace {

// Of a round: about what a start takes. Shorter jobs do not weigh more. A job that fills a part of the round is worth
// as much per second of it, since others follow it on its GPUs.
constexpr double kStart = 0.05;
constexpr double kSoftness = 0.1;         // of the deadline: how wide the step from made to missed is
constexpr double kBesideDeadline = 0.01;  // weight of mean completion time where the deadline does not decide

// Time in the system at completion: a round at `speed`, then the fastest type to the end.
double completion_s(const UtilityJob& job, double speed, double round_s) {
  const double done = speed * round_s;
  if (done >= job.steps_left) return job.age_s + job.steps_left / speed;
  return job.age_s + round_s + (job.steps_left - done) / job.best_speed;
}

// What a round at `speed` gains over a round of nothing, of something that falls with the completion time.
template <class Worth>
double gained(const UtilityJob& job, double speed, double round_s, const Worth& worth) {
  return std::max(0.0, worth(completion_s(job, speed, round_s)) - worth(completion_s(job, 0, round_s)));
}

double soft_deadline(const UtilityJob& job, double speed, double round_s, double jct) {
  double chance = 0;
  if (job.deadline_s > 0)
    chance = gained(job, speed, round_s, [&](double t) {
      return 1 / (1 + std::exp(std::min(500.0, (t - job.deadline_s) / (kSoftness * job.deadline_s))));
    });
  return chance + kBesideDeadline * jct;
}

double unweighted(const UtilitySettings& settings, const UtilityJob& job, double speed, double round_s) {
  const double time_left = job.steps_left / speed;
  const double jct = round_s / (time_left + kStart * round_s);
  const double makespan = round_s / time_left * job.jobs * job.makespan_share;
  const double alone_s = job.steps_total / job.best_speed;
  switch (settings.kind) {
    case UtilityKind::kJctMakespan: return jct + settings.beta * makespan;
    case UtilityKind::kJct: return jct;
    case UtilityKind::kMakespan: return makespan;
    case UtilityKind::kInverseSlowdown: return std::min(1.0, alone_s / (job.age_s + time_left));
    case UtilityKind::kInverseSlowdownMarginal:
      return gained(job, speed, round_s, [&](double t) { return alone_s / t; });
    case UtilityKind::kThroughput: return speed / job.best_speed;
    case UtilityKind::kEffectiveThroughput:
      return gained(job, speed, round_s, [&](double t) { return job.steps_total / t; });
    case UtilityKind::kFinishTimeFairness:
      return gained(job, speed, round_s, [&](double t) {
        const double rho = t * job.isolated_speed / job.steps_total;
        return -rho * rho / 2;
      });
    case UtilityKind::kSoftDeadline: return soft_deadline(job, speed, round_s, jct);
  }
  return 0;
}

}  // namespace

const std::vector<std::string>& utility_names() {
  static const std::vector<std::string> names = {"jct-makespan",
                                                 "jct",
                                                 "makespan",
                                                 "inverse-slowdown",
                                                 "inverse-slowdown-marginal",
                                                 "throughput",
                                                 "effective-throughput",
                                                 "finish-time-fairness",
                                                 "soft-deadline"};
  return names;
}

UtilityKind utility_of(std::string_view name) {
  const auto& names = utility_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<UtilityKind>(i);
  return UtilityKind::kJctMakespan;
}

double utility(const UtilitySettings& settings, const UtilityJob& job, double speed, double round_s) {
  return speed > 0 ? job.weight * unweighted(settings, job, speed, round_s) : 0;
}

double quota_factor(double quota, double held, double installed) {
  const double part = installed > 0 ? held / installed : 0;
  return part > quota ? quota / part : 1;
}

}  // namespace hadar
