#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/cli/commands.hpp"
#include "tools/cli/output_file.hpp"
#include "tools/cli/simulate_prices.hpp"
#include "tools/cli/simulate_runs.hpp"
#include "tools/cli/text.hpp"
#include "tools/report/page.hpp"
#include "tools/report/results.hpp"

namespace hadar::cli {
namespace {

using Json = nlohmann::ordered_json;

void warn(const std::string& text) {
  std::fputs(("hadar: simulate: " + text + "\n").c_str(), stderr);
}

constexpr std::size_t kMostTold = 3;

bool none_can_run(const SimulatePlan& plan, const std::vector<SimulatedRun>& runs) {
  return std::all_of(runs.begin(), runs.end(),
                     [&](const auto& run) { return run.result.infeasible.size() == plan.workload.size(); });
}

Status check_outputs(const SimulateArgs& args, const SimulatePlan& plan) {
  std::vector<std::string> inputs;
  for (auto& input : input_files(args)) inputs.push_back(std::move(input.file));
  auto outputs = events_paths(args, plan);
  if (outputs.size() > 1 && args.events == "-")
    return fail(ErrorCode::kInvalidArgument, "--events -: standard output takes the events of one run, these are " +
                                                 std::to_string(outputs.size()) + "; give a file's name");
  if (outputs.size() > 1) outputs.push_back(args.events);
  outputs.insert(outputs.end(), {args.json, args.report});
  if (auto apart = check_apart(outputs, inputs); !apart) return apart;
  for (const auto& target : {args.json, args.events, args.report})
    if (auto writable = check_writable(target); !writable) return writable;
  return {};
}

// Curves and intervals from the result; what happened when from the first seed's events, where they were written.
Status write_report(const SimulateArgs& args, const std::string& result, const std::vector<SimulatedRun>& runs) {
  auto chart_js = report::load_chart_js();
  if (!chart_js) return fail(std::move(chart_js));
  auto results = report::parse_results(result, args.trace);
  if (!results) return fail(std::move(results));
  std::vector<report::Run> analysed;
  for (const auto& run : runs) {
    if (run.events_path.empty() || run.events_path == "-" || run.seed != runs.front().seed) continue;
    auto loaded = report::load_run(run.events_path);
    if (!loaded) return fail(std::move(loaded));
    analysed.push_back(*std::move(loaded));
  }
  return write_text(args.report, report::make_page(analysed, {*std::move(results)}, *chart_js));
}

// Jobs that can never run, once each and reason; some can under one policy and not under another.
void tell_left_out(const SimulatePlan& plan, const std::vector<SimulatedRun>& runs) {
  if (!plan.start_note.empty()) warn(plan.start_note);
  for (const auto& refusal : plan.refusals) warn(refusal);
  const auto more = plan.rows_refused - plan.refusals.size();
  if (more > 0)
    warn(
        fmt::format("{} more {} refused; hadar trace check names them all", more, more == 1 ? "row was" : "rows were"));
  if (none_can_run(plan, runs)) return;  // the verdict says it
  std::set<std::pair<std::size_t, std::string>> told;
  for (const auto& run : runs)
    for (const auto& never : run.result.infeasible)
      if (told.emplace(never.index, never.reason.text).second && told.size() <= kMostTold)
        warn(fmt::format("job {}: {}", plan.workload[never.index].spec.name, never.reason.text));
  if (told.size() > kMostTold) warn(fmt::format("such reasons of jobs besides: {}", told.size() - kMostTold));
}

void tell_failed(const SimulatedRun& run) {
  const auto& failed = run.result.failed;
  const auto told = std::min(kMostTold, failed.size());
  for (std::size_t i = 0; i < told; ++i)
    warn(fmt::format("job {} failed under {}, seed {}: {}", failed[i].name, run.policy, run.seed, failed[i].reason));
  if (failed.size() > told)
    warn(
        fmt::format("{} more failed under {}, seed {}", count_text(failed.size() - told, "job"), run.policy, run.seed));
}

void tell_unpriced(const SimulatePlan& plan, const std::vector<SimulatedRun>& runs) {
  const auto unknown = [](const SimulatedRun& run) { return !run.result.figures.cost; };
  if (plan.base.cost_per_gpu_h.empty() || std::none_of(runs.begin(), runs.end(), unknown)) return;
  warn(fmt::format("no --gpu-cost of {}: runs that use them have no cost",
                   fmt::join(types_without_cost(plan.base), ", ")));
}

void tell_unpriced(const SimulatePlan& plan) {
  if (plan.unpriced.empty()) return;
  warn(fmt::format(
      "no price of {}: policies that weigh costs take 0.74 for a V100 and hour, 0.43 for a P100, 0.135 for a "
      "K80, the mean of those known for another type; --gpu-cost TYPE=COST gives one",
      fmt::join(plan.unpriced, ", ")));
}

CommandResult verdict(const SimulatePlan& plan, const std::vector<SimulatedRun>& runs) {
  for (const auto& run : runs) {
    if (!run.result.violations.empty())
      return stop({ErrorCode::kInternal, fmt::format("simulate: {} under seed {} broke a rule of the cluster: {}",
                                                     run.policy, run.seed, run.result.violations.front())});
    if (!run.result.ended)
      warn(fmt::format("{} under seed {} was given up at {}: {} of {} had completed", run.policy, run.seed,
                       duration_text(run.result.now_s), run.result.figures.completed,
                       count_text(plan.workload.size(), "job")));
    tell_failed(run);
  }
  const bool all_done = std::all_of(runs.begin(), runs.end(), [](const auto& run) {
    return run.result.ended && run.result.failed.empty() && run.result.infeasible.empty();
  });
  if (none_can_run(plan, runs))
    return stop({ErrorCode::kInfeasible,
                 fmt::format("simulate: no job of the trace can ever run on this cluster; the first, {}: {}",
                             plan.workload.front().spec.name, runs.front().result.infeasible.front().reason.text)});
  return all_done && plan.rows_refused == 0 ? ExitCode::kDone : ExitCode::kPartly;
}

}  // namespace

CommandResult run_simulate(const SimulateArgs& args) {
  auto plan = plan_simulation(args);
  if (!plan) return stop_usage(std::move(plan.error()));
  if (auto checked = check_outputs(args, *plan); !checked)
    return checked.error().code == ErrorCode::kInvalidArgument ? stop_usage(std::move(checked.error()))
                                                               : stop(std::move(checked.error()));
  auto provenance = provenance_of(args);
  if (!provenance) return stop(std::move(provenance.error()));
  const auto& workload = plan->workload;
  if (!args.explain.empty() && std::none_of(workload.begin(), workload.end(),
                                            [&](const TraceJob& job) { return job.spec.name == args.explain; }))
    return stop_usage({ErrorCode::kNotFound, "--explain: the trace has no job " + args.explain});
  auto runs = run_all(args, *plan);
  if (!runs) return stop(std::move(runs.error()));
  tell_left_out(*plan, *runs);
  tell_unpriced(*plan);
  tell_unpriced(*plan, *runs);
  Json out = {{"provenance", *provenance}, {"runs", Json::array()}};
  for (const auto& run : *runs) out["runs"].push_back(run_json(run, *plan, args.timing));
  const auto result = out.dump(1) + "\n";
  if (!args.json.empty())
    if (auto written = write_text(args.json, result); !written) return stop(std::move(written.error()));
  const bool stdout_is_taken = args.json == "-" || args.events == "-" || args.report == "-";
  if (!stdout_is_taken) print(runs_table(*runs, plan->seeds.size(), !plan->base.cost_per_gpu_h.empty()));
  if (!args.explain.empty() && !stdout_is_taken) print(explanation_text(*runs, args.explain));
  if (args.timing && !stdout_is_taken)
    for (const auto& run : *runs)
      print(fmt::format("{} seed {}: {:.3f} s, {} events\n", run.policy, run.seed, run.wall_s, run.events));
  if (!args.report.empty())
    if (auto written = write_report(args, result, *runs); !written) return stop(std::move(written.error()));
  return verdict(*plan, *runs);
}

}  // namespace hadar::cli
