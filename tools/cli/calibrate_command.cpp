#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/cli/commands.hpp"
#include "tools/cli/text.hpp"
#include "tools/report/calibration.hpp"
#include "tools/report/run_summary.hpp"

namespace hadar::cli {
namespace {

using Json = nlohmann::ordered_json;
using report::Calibration;
using report::JobTimes;
using report::RunTimes;

std::string off_text(double live, double simulated) {
  return live > 0 ? fmt::format("{:+.1f} %", 100 * (simulated / live - 1)) : "-";
}

std::string runs_text(const RunTimes& live, const RunTimes& simulated) {
  Table table({"", "LIVE", "SIMULATED", "OFF"});
  const auto add = [&](const char* name, double a, double b, int digits) {
    table.add({name, fmt::format("{:.{}f}", a, digits), fmt::format("{:.{}f}", b, digits), off_text(a, b)});
  };
  add("makespan s", live.makespan_s, simulated.makespan_s, 1);
  add("mean JCT s", live.avg_jct_s, simulated.avg_jct_s, 1);
  add("nodes busy", live.cru, simulated.cru, 3);
  add("lost per lease s", live.lost_per_lease_s, simulated.lost_per_lease_s, 2);
  return table.text();
}

std::string jobs_text(const Calibration& made) {
  Table table({"JOB", "JCT s", "OFF", "WAITED s", "STEPS/S A FORK", "FORKS AT ONCE", "IN STEPS", "MOSTLY"});
  const auto pair = [](double live, double simulated, int digits) {
    return fmt::format("{:.{}f} | {:.{}f}", live, digits, simulated, digits);
  };
  for (const auto& [live, simulated, cause] : made.jobs)
    table.add({live.name, pair(live.jct_s.value_or(0), simulated.jct_s.value_or(0), 1),
               off_text(live.jct_s.value_or(0), simulated.jct_s.value_or(0)),
               pair(live.waited_s, simulated.waited_s, 1), pair(live.speed(), simulated.speed(), 1),
               pair(live.at_once(), simulated.at_once(), 2), pair(live.training_part(), simulated.training_part(), 3),
               cause.empty() ? "alike" : cause});
  return table.text();
}

std::string advice_text(const Calibration& made) {
  const double more_s = made.live.lost_per_lease_s - made.simulated.lost_per_lease_s;
  if (more_s < 0.01) return "";
  return fmt::format("A lease lost {:.2f} s more live (start, load, save): hadar simulate --restart {:.2f} adds that\n",
                     more_s, more_s);
}

Json json_of(const JobTimes& job) {
  return {{"jct_s", job.jct_s ? Json(*job.jct_s) : Json()},
          {"waited_s", job.waited_s},
          {"held_s", job.held_s},
          {"leased_s", job.leased_s},
          {"trained_s", job.trained_s},
          {"steps", job.steps},
          {"leases", job.leases}};
}

Json json_of(const RunTimes& run) {
  return {{"policy", run.policy},
          {"makespan_s", run.makespan_s},
          {"avg_jct_s", run.avg_jct_s},
          {"cru", run.cru},
          {"lost_per_lease_s", run.lost_per_lease_s}};
}

Json json_of(const Calibration& made) {
  Json jobs = Json::array();
  for (const auto& [live, simulated, cause] : made.jobs)
    jobs.push_back({{"job", live.name},
                    {"live", json_of(live)},
                    {"simulated", json_of(simulated)},
                    {"cause", cause.empty() ? Json() : Json(cause)}});
  return {{"live", json_of(made.live)},
          {"simulated", json_of(made.simulated)},
          {"jobs", std::move(jobs)},
          {"only_live", made.only_live},
          {"only_simulated", made.only_simulated}};
}

}  // namespace

CommandResult run_calibrate(const Settings& settings, const CalibrateArgs& args) {
  std::vector<std::vector<Event>> runs;
  bool whole = true;
  for (const auto& file : {args.live, args.simulated}) {
    std::string skipped;
    auto events = report::read_events(file, skipped);
    if (!events) return stop_usage(std::move(events.error()));
    if (!skipped.empty()) std::fprintf(stderr, "hadar: %s\n", skipped.c_str());
    whole = whole && skipped.empty();
    runs.push_back(*std::move(events));
  }
  const auto made = report::calibrate(runs[0], runs[1]);
  if (made.jobs.empty())
    return stop_usage(
        {ErrorCode::kInvalidArgument, "calibrate: " + args.live + " and " + args.simulated +
                                          " have no job of the same name; give the events of one workload"});
  for (const auto& name : made.only_live)
    std::fprintf(stderr, "hadar: calibrate: job %s is in %s only\n", name.c_str(), args.live.c_str());
  for (const auto& name : made.only_simulated)
    std::fprintf(stderr, "hadar: calibrate: job %s is in %s only\n", name.c_str(), args.simulated.c_str());
  if (settings.json)
    print(json_of(made).dump(2) + "\n");
  else
    print(runs_text(made.live, made.simulated) + "\nlive | simulated\n" + jobs_text(made) + advice_text(made));
  return whole && made.only_live.empty() && made.only_simulated.empty() ? ExitCode::kDone : ExitCode::kPartly;
}

}  // namespace hadar::cli
