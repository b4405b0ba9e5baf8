#include "tools/repro/measure.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>

#include "messages/types/check.hpp"
#include "tools/repro/in_threads.hpp"

namespace hadar::repro {
namespace {

// One scheme under one seed of one experiment.
struct Task {
  const Experiment* experiment;
  const Scheme* scheme;
  std::uint64_t seed;
  Measured* into;
};

Status run(const Task& task) {
  auto made = task.experiment->make(task.seed);
  if (!made) return fail(std::move(made));
  auto options = made->base;
  options.policy = task.scheme->policy;
  options.settings = task.scheme->settings;
  options.gavel_2022 = task.scheme->gavel_2022;
  options.merge_efficiency = task.scheme->merge_efficiency;
  options.seed = task.seed;
  auto result = run_simulation(options, made->workload);
  if (!result) return fail(std::move(result));
  if (!result->violations.empty())
    return fail(ErrorCode::kInternal,
                fmt::format("{}, {} under seed {}: broke a rule of the cluster: {}", task.experiment->name,
                            task.scheme->name, task.seed, result->violations.front()));
  auto& into = *task.into;
  into.figures = std::move(result->figures);
  into.figures.by_job.clear();
  into.never = result->infeasible.size();
  into.useful_gpu_s = made->useful_gpu_s;
  into.ceiling_s = made->ceiling_s ? made->ceiling_s : into.figures.makespan_bound_s;
  into.ended = result->ended;
  return {};
}

std::size_t scheme_of(const Outcome& outcome, const std::string& name) {
  const auto& schemes = outcome.experiment.schemes;
  const auto found = std::find_if(schemes.begin(), schemes.end(), [&](const Scheme& s) { return s.name == name; });
  HADAR_ENSURE(found != schemes.end());
  return static_cast<std::size_t>(found - schemes.begin());
}

// Runs of unlike jobs tell nothing of each other.
bool comparable(const Measured& a, const Measured& b) {
  return a.ended && b.ended && a.never == b.never;
}

}  // namespace

Result<std::vector<Outcome>> measure(const std::vector<Experiment>& experiments, const MeasureOptions& options) {
  std::vector<Outcome> outcomes;
  for (const auto& experiment : experiments)
    outcomes.push_back(
        {experiment, std::vector(experiment.schemes.size(), std::vector<Measured>(options.seeds.size()))});
  std::vector<Task> tasks;
  for (auto& outcome : outcomes)
    for (std::size_t seed = 0; seed < options.seeds.size(); ++seed)
      for (std::size_t scheme = 0; scheme < outcome.runs.size(); ++scheme)
        tasks.push_back({&outcome.experiment, &outcome.experiment.schemes[scheme], options.seeds[seed],
                         &outcome.runs[scheme][seed]});
  std::vector<Status> ends(tasks.size());
  std::atomic<std::size_t> done{0};
  std::atomic<bool> failed{false};
  const auto work = [&](std::size_t i) {
    if (failed) return;
    ends[i] = run(tasks[i]);
    if (!ends[i]) failed = true;
    ++done;
  };
  in_threads(tasks.size(), options.threads, work, [&] {
    if (options.progress) options.progress(done, tasks.size());
  });
  for (auto& end : ends)
    if (!end) return fail(std::move(end));
  return outcomes;
}

std::optional<double> value_of(Figure figure, const Measured& run) {
  const auto& figures = run.figures;
  if (figures.completed == 0) return std::nullopt;
  switch (figure) {
    case Figure::kMakespan:
    case Figure::kMakespanSaved: return figures.makespan_s;
    case Figure::kGpusBusy: return figures.gru;
    case Figure::kNodesBusy: return figures.cru;
    case Figure::kNodesHeld: return figures.cru_held;
    case Figure::kMeanJct: return figures.avg_jct_s;
    case Figure::kP99Jct: return figures.p99_jct_s;
  }
  return std::nullopt;
}

std::vector<double> compared(const Outcome& outcome, const Comparison& comparison) {
  const auto& ours = outcome.runs[scheme_of(outcome, comparison.ours)];
  const auto* theirs = comparison.against.empty() ? nullptr : &outcome.runs[scheme_of(outcome, comparison.against)];
  std::vector<double> values;
  for (std::size_t seed = 0; seed < ours.size(); ++seed) {
    const auto mine = value_of(comparison.figure, ours[seed]);
    const auto other = theirs == nullptr ? mine : value_of(comparison.figure, (*theirs)[seed]);
    if (!mine || !other || !comparable(ours[seed], theirs == nullptr ? ours[seed] : (*theirs)[seed])) continue;
    if (theirs == nullptr)
      values.push_back(*mine);
    else if (comparison.figure == Figure::kMakespanSaved)
      values.push_back(1 - *mine / *other);
    else
      values.push_back(is_part(comparison.figure) ? *mine / *other : *other / *mine);
  }
  return values;
}

std::vector<double> ceilings(const Outcome& outcome, const Comparison& comparison) {
  const auto& ours = outcome.runs[scheme_of(outcome, comparison.ours)];
  const auto& runs = comparison.against.empty() ? ours : outcome.runs[scheme_of(outcome, comparison.against)];
  std::vector<double> values;
  for (std::size_t seed = 0; seed < runs.size(); ++seed) {
    const auto& run = runs[seed];
    if (!comparable(ours[seed], run)) continue;
    const auto& figures = run.figures;
    switch (comparison.figure) {
      case Figure::kMakespan:
        if (!run.ceiling_s) break;
        values.push_back(comparison.against.empty() ? *run.ceiling_s : figures.makespan_s / *run.ceiling_s);
        break;
      case Figure::kMakespanSaved:
        if (run.ceiling_s) values.push_back(1 - *run.ceiling_s / figures.makespan_s);
        break;
      case Figure::kGpusBusy: values.push_back(comparison.against.empty() ? 1 : 1 / figures.gru); break;
      case Figure::kNodesBusy: values.push_back(comparison.against.empty() ? 1 : 1 / figures.cru); break;
      case Figure::kNodesHeld: values.push_back(comparison.against.empty() ? 1 : 1 / figures.cru_held); break;
      case Figure::kMeanJct:
      case Figure::kP99Jct: break;
    }
  }
  return values;
}

}  // namespace hadar::repro
