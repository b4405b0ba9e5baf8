#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/cli/event_text.hpp"
#include "tools/cli/simulate_runs.hpp"
#include "tools/cli/text.hpp"
#include "tools/report/interval.hpp"

namespace hadar::cli {
namespace {

using Json = nlohmann::ordered_json;

Json number(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

constexpr double kHour_s = 3600;
constexpr double kShort_s = kHour_s;  // runs are told in seconds up to here

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  const auto place = static_cast<std::size_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(place), values.end());
  return values[place];
}

Json timing_json(const SimulatedRun& run) {
  constexpr double kMs = 1000;
  return {{"wall_s", run.wall_s},
          {"plan_ms_p50", kMs * quantile(run.plans_s, 0.5)},
          {"plan_ms_p99", kMs * quantile(run.plans_s, 0.99)},
          {"events_per_s", run.wall_s > 0 ? static_cast<double>(run.events) / run.wall_s : 0}};
}

// One entry per job of the trace; null for one that did not complete, or never could.
Json jcts(const SimulatedRun& run, std::size_t jobs) {
  Json out = Json::array();
  auto never = run.result.infeasible.begin();
  auto next = run.result.figures.by_job.begin();
  for (std::size_t i = 0; i < jobs; ++i) {
    if (never != run.result.infeasible.end() && never->index == i) {
      ++never;
      out.push_back(nullptr);
    } else if (next != run.result.figures.by_job.end()) {
      const auto done = next->completed_t_s;
      out.push_back(done ? Json(*done - next->submitted_t_s) : Json());
      ++next;
    } else {
      out.push_back(nullptr);
    }
  }
  return out;
}

// "123 ±4": the mean and half its 95 % interval; without the latter for one value.
std::string mean_text(const std::vector<double>& values, double unit = 1) {
  if (values.empty()) return "-";
  const auto interval = report::interval_of(values);
  auto text = fmt::format("{:.4g}", interval.mean / unit);
  if (interval.half) text += fmt::format(" ±{:.2g}", *interval.half / unit);
  return text;
}

}  // namespace

Json run_json(const SimulatedRun& run, const SimulatePlan& plan, bool timing) {
  const auto& figures = run.result.figures;
  Json out = {{"policy", run.policy},
              {"seed", run.seed},
              {"jobs", figures.jobs},
              {"completed", figures.completed},
              {"makespan_s", figures.makespan_s},
              {"makespan_bound_s", number(figures.makespan_bound_s)},
              {"avg_jct_s", number(figures.avg_jct_s)},
              {"p50_jct_s", number(figures.p50_jct_s)},
              {"p99_jct_s", number(figures.p99_jct_s)},
              {"avg_queueing_s", number(figures.avg_queueing_s)},
              {"gru", figures.gru},
              {"cru", figures.cru},
              {"cru_held", figures.cru_held},
              {"ftf_max", number(figures.ftf_max)},
              {"ftf_avg", number(figures.ftf_avg)},
              {"cost", number(figures.cost)},
              {"preemptions", figures.preemptions},
              {"consolidations", figures.consolidations},
              {"steps_credited", figures.steps_credited},
              {"steps_effective", number(figures.steps_effective)},
              {"rounds", figures.rounds},
              {"jct_s", jcts(run, plan.workload.size())}};
  if (!run.result.infeasible.empty()) {
    out["infeasible"] = Json::array();
    for (const auto& job : run.result.infeasible)
      out["infeasible"].push_back({{"job", plan.workload[job.index].spec.name},
                                   {"code", job.reason.code},
                                   {"text", job.reason.text},
                                   {"numbers", job.reason.numbers}});
  }
  if (!run.result.failed.empty()) {
    out["failed"] = Json::array();
    for (const auto& job : run.result.failed) out["failed"].push_back({{"job", job.name}, {"reason", job.reason}});
  }
  if (!run.result.ended) out["given_up_at_s"] = run.result.now_s;
  if (!run.result.violations.empty()) out["violations"] = run.result.violations;
  if (!run.explained.empty()) {
    out["explained"] = Json::array();
    for (const auto& line : run.explained) out["explained"].push_back(Json::parse(line));
  }
  if (timing) out["timing"] = timing_json(run);
  return out;
}

std::string runs_table(const std::vector<SimulatedRun>& runs, std::size_t seeds, bool costs) {
  double longest_s = 0;
  for (const auto& run : runs) longest_s = std::max(longest_s, run.result.figures.makespan_s);
  const double unit_s = longest_s < kShort_s ? 1 : kHour_s;
  const std::string shown_unit = longest_s < kShort_s ? " s" : " h";
  std::vector<std::string> header = {"POLICY",
                                     "DONE",
                                     "MAKESPAN" + shown_unit,
                                     "AT LEAST" + shown_unit,
                                     "AVG JCT" + shown_unit,
                                     "P99 JCT" + shown_unit,
                                     "QUEUEING" + shown_unit,
                                     "GRU",
                                     "CRU",
                                     "FTF MAX",
                                     "PREEMPTIONS",
                                     "ROUNDS"};
  if (costs) header.emplace_back("COST");
  Table table(header);
  for (std::size_t first = 0; first < runs.size(); first += seeds) {
    const auto values = [&](auto of) {
      std::vector<double> all;
      for (std::size_t i = first; i < first + seeds; ++i)
        if (const std::optional<double> value = of(runs[i].result.figures)) all.push_back(*value);
      return all;
    };
    const auto mean = [&](auto member, double unit = 1) {
      return mean_text(values([&](const RunFigures& f) { return std::optional<double>(f.*member); }), unit);
    };
    const auto& figures = runs[first].result.figures;
    std::vector<std::string> row = {runs[first].policy,
                                    fmt::format("{}/{}", figures.completed, figures.jobs),
                                    mean(&RunFigures::makespan_s, unit_s),
                                    mean(&RunFigures::makespan_bound_s, unit_s),
                                    mean(&RunFigures::avg_jct_s, unit_s),
                                    mean(&RunFigures::p99_jct_s, unit_s),
                                    mean(&RunFigures::avg_queueing_s, unit_s),
                                    mean(&RunFigures::gru),
                                    mean(&RunFigures::cru),
                                    mean(&RunFigures::ftf_max),
                                    mean(&RunFigures::preemptions),
                                    mean(&RunFigures::rounds)};
    if (costs) row.push_back(mean(&RunFigures::cost));
    table.add(row);
  }
  return table.text() + (seeds > 1 ? fmt::format("means over {} seeds, ± 95 % intervals\n", seeds) : "");
}

std::string explanation_text(const std::vector<SimulatedRun>& runs, const std::string& job) {
  std::string out;
  for (const auto& run : runs) {
    out += fmt::format("job {} under {}, seed {}:\n", job, run.policy, run.seed);
    for (const auto& line : run.explained) out += event_line(Json::parse(line)) + "\n";
  }
  return out;
}

}  // namespace hadar::cli
