#include "tools/report/calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "tools/report/run_summary.hpp"
#include "tools/report/timeline.hpp"

namespace hadar::report {
namespace {

constexpr double kAlike = 0.01;  // of a JCT

// Lease times of one job, a lease over several GPUs counted once.
void take_leases(const Timeline& timeline, JobId job, JobTimes& times) {
  std::set<LeaseId> seen;
  std::vector<std::pair<double, double>> spans;
  for (const auto& bar : timeline.bars)
    if (bar.job == job && seen.insert(bar.lease).second) spans.emplace_back(bar.start_s, bar.end_s);
  std::sort(spans.begin(), spans.end());
  double until_s = 0;
  for (const auto& [start_s, end_s] : spans) {
    times.leased_s += end_s - start_s;
    times.held_s += std::max(0.0, end_s - std::max(start_s, until_s));
    until_s = std::max(until_s, end_s);
  }
  times.leases = spans.size();
}

// What explains the difference of two JCTs best: time without a lease, or one of the factors of the time with one.
std::string cause_of(const JobTimes& live, const JobTimes& simulated) {
  if (!live.jct_s || !simulated.jct_s) return "did not complete in both";
  if (std::abs(*live.jct_s - *simulated.jct_s) < kAlike * *live.jct_s) return "";
  const auto in_seconds = [&](double of_live, double of_simulated) {
    if (of_live <= 0 || of_simulated <= 0) return 0.0;
    return std::abs(std::log(of_live / of_simulated)) * live.held_s;
  };
  const std::array causes{std::pair{std::abs(live.waited_s - simulated.waited_s), "waiting"},
                          std::pair{in_seconds(live.speed(), simulated.speed()), "speed"},
                          std::pair{in_seconds(live.at_once(), simulated.at_once()), "forks at once"},
                          std::pair{in_seconds(live.training_part(), simulated.training_part()), "time outside steps"}};
  return std::max_element(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

}  // namespace

RunTimes run_times(std::span<const Event> events) {
  const auto summary = summarise(events);
  const auto timeline = make_timeline(events);
  const auto added = train_seconds_added(events);
  std::map<JobId, JobTimes> times;
  for (std::size_t i = 0; i < events.size(); ++i)
    if (const auto* reported = std::get_if<event::ForkReported>(&events[i].body))
      times[reported->job].trained_s += added[i];
  RunTimes run{summary.policy, summary.makespan_s, summary.avg_jct_s, summary.cru, 0, {}};
  double lost_s = 0;
  double leases = 0;
  for (const auto& job : summary.jobs) {
    auto& one = times[job.job];
    one.name = job.name;
    one.jct_s = job.jct_s;
    one.steps = static_cast<double>(job.steps_credited);
    take_leases(timeline, job.job, one);
    one.waited_s = std::max(0.0, job.jct_s.value_or(events.back().t_s - job.submitted_t_s) - one.held_s);
    lost_s += std::max(0.0, one.leased_s - one.trained_s);
    leases += static_cast<double>(one.leases);
    run.jobs.push_back(one);
  }
  if (leases > 0) run.lost_per_lease_s = lost_s / leases;
  return run;
}

Calibration calibrate(std::span<const Event> live, std::span<const Event> simulated) {
  Calibration made{run_times(live), run_times(simulated), {}, {}, {}};
  std::map<std::string, const JobTimes*> by_name;
  for (const auto& job : made.simulated.jobs) by_name.emplace(job.name, &job);
  for (const auto& job : made.live.jobs) {
    const auto found = by_name.find(job.name);
    if (found == by_name.end()) {
      made.only_live.push_back(job.name);
      continue;
    }
    made.jobs.push_back({job, *found->second, cause_of(job, *found->second)});
    by_name.erase(found);
  }
  for (const auto& job : made.simulated.jobs)
    if (by_name.contains(job.name)) made.only_simulated.push_back(job.name);
  return made;
}

}  // namespace hadar::report
