// One HTML page about one or several runs. Needs no network: data, style and Chart.js are inside.
#pragma once

#include <string>
#include <vector>

#include "messages/types/result.hpp"
#include "tools/report/results.hpp"
#include "tools/report/run_summary.hpp"
#include "tools/report/timeline.hpp"

namespace hadar::report {

struct Run {
  RunSummary summary;
  Timeline timeline;
  std::string events_path;  // where the events came from
  std::string skipped;      // which line was left out and why; empty = none
};

// Reads and analyses one event file. Errors: as read_events.
Result<Run> load_run(const std::string& events_path);

// The page. `chart_js` is the text of Chart.js.
std::string make_page(const std::vector<Run>& runs, const std::string& chart_js);
// The same, begun by what simulations achieved.
std::string make_page(const std::vector<Run>& runs, const std::vector<Results>& results, const std::string& chart_js);

// Chart.js as the system has it. Errors: kNotFound naming the package.
Result<std::string> load_chart_js();

// {runs: [{policy, makespan_s, cru, avg_jct_s, pace_missed, jobs: [{name, steps_requested, steps_credited, forks_max,
// consolidations, jct_s, metric, metric_name, baseline_metric, …}], events, …}]}
std::string summaries_json(const std::vector<Run>& runs);

}  // namespace hadar::report
