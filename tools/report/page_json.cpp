#include "tools/report/page_json.hpp"

#include <cmath>

namespace hadar::report {
namespace {

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

Json job_value(const JobSummary& job) {
  Json out;
  out["name"] = job.name;
  out["job"] = job.job.value;
  out["workload"] = job.workload;
  out["state"] = name_of(job.state);
  out["steps_requested"] = job.steps_requested;
  out["steps_credited"] = job.steps_credited;
  out["forks_max"] = job.forks_max;
  out["consolidations"] = job.consolidations;
  out["submitted_t_s"] = number(job.submitted_t_s);
  out["started_t_s"] = number(job.started_t_s);
  out["finished_t_s"] = number(job.finished_t_s);
  out["jct_s"] = number(job.jct_s);
  out["metric"] = number(job.metric);
  out["metric_name"] = job.metric_name.empty() ? Json(nullptr) : Json(job.metric_name);
  out["baseline_metric"] = number(job.baseline_metric);
  return out;
}

// Milliseconds and four digits of a share are as much as a chart can show.
double rounded(double value) {
  return std::round(value * 1e4) / 1e4;
}

Json line_value(const Line& line) {
  Json out = Json::array();
  for (const auto& point : line)
    if (std::isfinite(point.value)) out.push_back({{"x", rounded(point.t_s)}, {"y", point.value}});
  return out;
}

}  // namespace

Json summary_value(const Run& run) {
  const auto& summary = run.summary;
  Json out;
  out["policy"] = summary.policy;
  out["makespan_s"] = number(summary.makespan_s);
  out["cru"] = number(summary.cru);
  out["avg_jct_s"] = number(summary.avg_jct_s);
  out["pace_missed"] = summary.pace_missed;
  out["pace_missed_s"] = number(summary.pace_missed_s);
  out["train_s"] = number(summary.train_s);
  out["nodes"] = summary.nodes;
  out["rounds"] = summary.rounds;
  out["round_s"] = number(summary.round_s);
  out["jobs"] = Json::array();
  for (const auto& job : summary.jobs) {
    out["jobs"].push_back(job_value(job));
    out["jobs"].back()["events"] = run.events_path;
  }
  out["events"] = run.events_path;
  return out;
}

Json timeline_value(const Timeline& timeline) {
  Json out;
  out["end_s"] = rounded(timeline.end_s);
  out["rows"] = timeline.rows;
  out["bars"] = Json::array();
  for (const auto& bar : timeline.bars)
    out["bars"].push_back({{"row", bar.row},
                           {"job", bar.job.value},
                           {"fork", bar.fork},
                           {"lease", bar.lease.value},
                           {"start", rounded(bar.start_s)},
                           {"stop", rounded(bar.end_s)},
                           {"quota", bar.quota_steps},
                           {"steps", bar.steps},
                           {"end", bar.end}});
  out["merges"] = Json::array();
  for (const auto& merge : timeline.merges)
    out["merges"].push_back({{"row", merge.row},
                             {"job", merge.job.value},
                             {"t", rounded(merge.t_s)},
                             {"version", merge.version},
                             {"credited", merge.credited},
                             {"forks", merge.forks_in}});
  out["progress"] = Json::object();
  for (const auto& [job, line] : timeline.progress) out["progress"][std::to_string(job.value)] = line_value(line);
  out["metrics"] = Json::object();
  for (const auto& [job, lines] : timeline.metrics)
    for (const auto& [name, line] : lines) out["metrics"][std::to_string(job.value)][name] = line_value(line);
  out["training"] = line_value(timeline.training);
  out["leased"] = line_value(timeline.leased);
  out["prices"] = Json::object();
  for (const auto& [type, line] : timeline.prices) out["prices"][type] = line_value(line);
  return out;
}

std::string summaries_json(const std::vector<Run>& runs) {
  Json out;
  out["runs"] = Json::array();
  for (const auto& run : runs) out["runs"].push_back(summary_value(run));
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace hadar::report
