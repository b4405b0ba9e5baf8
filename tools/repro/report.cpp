#include "tools/repro/report.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "tools/report/interval.hpp"

namespace hadar::repro {
namespace {

using Json = nlohmann::ordered_json;
using report::Interval;
using report::interval_of;

constexpr double kHour_s = 3600;

std::string text_of(const std::vector<double>& values, double unit = 1) {
  if (values.empty()) return "-";
  const auto interval = interval_of(values);
  auto text = fmt::format("{:.3g}", interval.mean / unit);
  if (interval.half) text += fmt::format(" ±{:.2g}", *interval.half / unit);
  return text;
}

Json json_of(const std::vector<double>& values) {
  if (values.empty()) return nullptr;
  const auto interval = interval_of(values);
  return {{"mean", interval.mean}, {"half_interval_95", interval.half ? Json(*interval.half) : Json()}};
}

// Times of a scheme by itself are shown in hours.
double unit_of(const Comparison& comparison) {
  return comparison.against.empty() && !is_part(comparison.figure) ? kHour_s : 1;
}

template <class Value>
std::vector<double> over_seeds(const std::vector<Measured>& runs, Value value) {
  std::vector<double> values;
  for (const auto& run : runs)
    if (const std::optional<double> one = value(run)) values.push_back(*one);
  return values;
}

std::string done_text(const std::vector<Measured>& runs) {
  std::uint64_t completed = 0;
  std::uint64_t jobs = 0;
  for (const auto& run : runs) {
    completed += run.figures.completed;
    jobs += run.figures.jobs + run.never;
  }
  return fmt::format("{}/{}", completed, jobs);
}

std::optional<double> of_ceiling(const Measured& run) {
  if (!run.ceiling_s || !run.ended || run.figures.makespan_s <= 0) return std::nullopt;
  return run.figures.makespan_s / *run.ceiling_s;
}

// How many V100s, always busy, would have done the same work in the same time.
std::optional<double> useful(const Measured& run) {
  if (run.useful_gpu_s <= 0 || !run.ended || run.figures.makespan_s <= 0) return std::nullopt;
  return run.useful_gpu_s / run.figures.makespan_s;
}

Grid schemes_grid(const Outcome& outcome) {
  Grid grid{{"SCHEME", "DONE", "TTD h", "TTD / CEILING", "MEAN JCT h", "P99 JCT h", "GPUS BUSY", "NODES BUSY",
             "WITH STARTS", "USEFUL V100s", "PREEMPTIONS"},
            {}};
  for (std::size_t i = 0; i < outcome.runs.size(); ++i) {
    const auto& runs = outcome.runs[i];
    const auto value = [&](Figure figure, double unit = 1) {
      return text_of(over_seeds(runs, [&](const Measured& run) { return value_of(figure, run); }), unit);
    };
    grid.rows.push_back({outcome.experiment.schemes[i].name, done_text(runs), value(Figure::kMakespan, kHour_s),
                         text_of(over_seeds(runs, of_ceiling)), value(Figure::kMeanJct, kHour_s),
                         value(Figure::kP99Jct, kHour_s), value(Figure::kGpusBusy), value(Figure::kNodesBusy),
                         value(Figure::kNodesHeld), text_of(over_seeds(runs, useful)),
                         text_of(over_seeds(runs, [](const Measured& run) {
                           return std::optional(static_cast<double>(run.figures.preemptions));
                         }))});
  }
  return grid;
}

Grid comparisons_grid(const Outcome& outcome) {
  Grid grid{{"SCHEME", "AGAINST", "FIGURE", "MEASURED", "CEILING", "PUBLISHED"}, {}};
  for (const auto& comparison : outcome.experiment.comparisons) {
    const double unit = unit_of(comparison);
    grid.rows.push_back({comparison.ours, comparison.against.empty() ? "-" : comparison.against, title_of(comparison),
                         text_of(compared(outcome, comparison), unit), text_of(ceilings(outcome, comparison), unit),
                         comparison.published.empty() ? "-" : comparison.published});
  }
  return grid;
}

Json run_json(const Measured& run, std::uint64_t seed) {
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
  const auto& figures = run.figures;
  return {{"seed", seed},
          {"ended", run.ended},
          {"jobs", figures.jobs},
          {"completed", figures.completed},
          {"never", run.never},
          {"makespan_s", figures.makespan_s},
          {"ceiling_s", number(run.ceiling_s)},
          {"avg_jct_s", number(figures.avg_jct_s)},
          {"p99_jct_s", number(figures.p99_jct_s)},
          {"gru", figures.gru},
          {"cru", figures.cru},
          {"cru_held", figures.cru_held},
          {"steps_credited", figures.steps_credited},
          {"steps_effective", number(figures.steps_effective)},
          {"useful_gpus", number(useful(run))},
          {"preemptions", figures.preemptions}};
}

Json experiment_json(const Outcome& outcome, const std::vector<std::uint64_t>& seeds) {
  const auto& experiment = outcome.experiment;
  Json schemes = Json::array();
  for (std::size_t i = 0; i < outcome.runs.size(); ++i) {
    Json runs = Json::array();
    for (std::size_t seed = 0; seed < seeds.size(); ++seed)
      runs.push_back(run_json(outcome.runs[i][seed], seeds[seed]));
    schemes.push_back(
        {{"scheme", experiment.schemes[i].name}, {"policy", experiment.schemes[i].policy}, {"runs", std::move(runs)}});
  }
  Json comparisons = Json::array();
  for (const auto& comparison : experiment.comparisons)
    comparisons.push_back({{"scheme", comparison.ours},
                           {"against", comparison.against.empty() ? Json() : Json(comparison.against)},
                           {"figure", title_of(comparison)},
                           {"measured", json_of(compared(outcome, comparison))},
                           {"ceiling", json_of(ceilings(outcome, comparison))},
                           {"published", comparison.published.empty() ? Json() : Json(comparison.published)}});
  return {{"experiment", experiment.name},
          {"setup", experiment.setup},
          {"schemes", std::move(schemes)},
          {"comparisons", std::move(comparisons)}};
}

// The mean over outcomes of each one's mean over seeds.
template <class Values>
std::vector<double> means(const std::vector<Outcome>& outcomes, Values values) {
  std::vector<double> all;
  for (const auto& outcome : outcomes)
    if (const auto of_seeds = values(outcome); !of_seeds.empty()) all.push_back(interval_of(of_seeds).mean);
  return all;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

std::string title_of(const Comparison& comparison) {
  const bool ratio = !comparison.against.empty();
  switch (comparison.figure) {
    case Figure::kMakespan: return ratio ? "TTD, times shorter" : "TTD, h";
    case Figure::kMakespanSaved: return ratio ? "TTD, part saved" : "TTD, h";
    case Figure::kGpusBusy: return ratio ? "GPUs busy, times" : "GPUs busy";
    case Figure::kNodesBusy: return ratio ? "nodes busy, times" : "nodes busy";
    case Figure::kNodesHeld: return ratio ? "nodes busy with starts, times" : "nodes busy with starts";
    case Figure::kMeanJct: return ratio ? "mean JCT, times shorter" : "mean JCT, h";
    case Figure::kP99Jct: return ratio ? "p99 JCT, times shorter" : "p99 JCT, h";
  }
  return "";
}

Report report_of(const std::vector<Outcome>& outcomes, const std::vector<std::uint64_t>& seeds) {
  Report report;
  report.json["experiments"] = Json::array();
  for (const auto& outcome : outcomes) {
    Section section{outcome.experiment.name + ": " + outcome.experiment.setup, {schemes_grid(outcome)}, {}};
    if (!outcome.experiment.comparisons.empty()) section.grids.push_back(comparisons_grid(outcome));
    for (std::size_t i = 0; i < outcome.runs.size(); ++i) {
      const auto& runs = outcome.runs[i];
      const auto given_up = std::count_if(runs.begin(), runs.end(), [](const Measured& run) { return !run.ended; });
      if (given_up > 0)
        section.notes.push_back(fmt::format("{}: given up under {} of {} seeds, with jobs that it cannot start",
                                            outcome.experiment.schemes[i].name, given_up, runs.size()));
      const auto never = std::count_if(runs.begin(), runs.end(), [](const Measured& run) { return run.never > 0; });
      if (never > 0)
        section.notes.push_back(fmt::format("{}: leaves out jobs that it can never start, under {} of {} seeds",
                                            outcome.experiment.schemes[i].name, never, runs.size()));
    }
    report.sections.push_back(std::move(section));
    report.json["experiments"].push_back(experiment_json(outcome, seeds));
  }
  return report;
}

void add_summary(Report& report, const std::vector<Outcome>& outcomes, const std::vector<Comparison>& comparisons) {
  Grid grid{{"SCHEME", "AGAINST", "FIGURE", "MEAN", "RATIO OF MEANS", "CEILING", "PUBLISHED"}, {}};
  report.json["over_all"] = Json::array();
  for (const auto& comparison : comparisons) {
    const auto measured = means(outcomes, [&](const Outcome& outcome) { return compared(outcome, comparison); });
    const auto ceiling = means(outcomes, [&](const Outcome& outcome) { return ceilings(outcome, comparison); });
    const auto own = [&](const std::string& scheme) {
      return means(outcomes, [&](const Outcome& outcome) {
        return compared(outcome, {scheme, "", comparison.figure});
      });
    };
    if (measured.empty()) continue;
    const double mean = mean_of(measured);
    std::optional<double> ratio;
    if (!comparison.against.empty()) {
      const double ours = mean_of(own(comparison.ours));
      const double theirs = mean_of(own(comparison.against));
      ratio = comparison.figure == Figure::kMakespanSaved ? 1 - ours / theirs
              : is_part(comparison.figure)                ? ours / theirs
                                                          : theirs / ours;
    }
    grid.rows.push_back({comparison.ours, comparison.against.empty() ? "-" : comparison.against, title_of(comparison),
                         fmt::format("{:.3g}", mean / unit_of(comparison)), ratio ? fmt::format("{:.3g}", *ratio) : "-",
                         ceiling.empty() ? "-" : fmt::format("{:.3g}", mean_of(ceiling) / unit_of(comparison)),
                         comparison.published.empty() ? "-" : comparison.published});
    report.json["over_all"].push_back({{"scheme", comparison.ours},
                                       {"against", comparison.against.empty() ? Json() : Json(comparison.against)},
                                       {"figure", title_of(comparison)},
                                       {"mean", mean},
                                       {"ratio_of_means", ratio ? Json(*ratio) : Json()},
                                       {"ceiling", ceiling.empty() ? Json() : Json(mean_of(ceiling))}});
  }
  report.sections.push_back({fmt::format("Over all {}", outcomes.size()), {std::move(grid)}, {}});
}

}  // namespace hadar::repro
