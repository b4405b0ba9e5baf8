#include <cstdio>

#include "tools/cli/commands.hpp"
#include "tools/cli/output_file.hpp"
#include "tools/report/page.hpp"

namespace hadar::cli {

CommandResult run_report(const ReportArgs& args) {
  if (args.html.empty() && args.json.empty() && args.latex.empty())
    return stop_usage(
        {ErrorCode::kInvalidArgument, "report writes nothing without -o FILE.html, --json FILE or --latex FILE"});
  if (auto apart = check_apart({args.html, args.json, args.latex}, args.events); !apart)
    return stop_usage(std::move(apart.error()));
  std::vector<report::Run> runs;
  std::vector<report::Results> results;
  auto whole = ExitCode::kDone;
  for (const auto& path : args.events) {
    if (path != "-" && report::is_results_file(path)) {
      auto loaded = report::load_results(path);
      if (!loaded) return stop_usage(std::move(loaded.error()));
      results.push_back(std::move(*loaded));
      continue;
    }
    auto run = report::load_run(path);
    if (!run) return stop_usage(std::move(run.error()));
    if (!run->skipped.empty()) {
      std::fprintf(stderr, "hadar: %s\n", run->skipped.c_str());
      whole = ExitCode::kPartly;
    }
    runs.push_back(std::move(*run));
  }
  if (!args.latex.empty() && results.empty())
    return stop_usage(
        {ErrorCode::kInvalidArgument, "--latex is about simulations: give a file of hadar simulate --json"});
  if (!args.json.empty() && runs.empty())
    return stop_usage({ErrorCode::kInvalidArgument, "--json sums up events: give a file of hadar events --json"});
  if (!args.html.empty()) {
    auto chart_js = report::load_chart_js();
    if (!chart_js) return stop(std::move(chart_js.error()));
    auto written = write_text(args.html, report::make_page(runs, results, *chart_js));
    if (!written) return stop(std::move(written.error()));
  }
  if (!args.json.empty()) {
    auto written = write_text(args.json, report::summaries_json(runs));
    if (!written) return stop(std::move(written.error()));
  }
  if (!args.latex.empty()) {
    auto written = write_text(args.latex, report::latex_table(results));
    if (!written) return stop(std::move(written.error()));
  }
  return whole;
}

}  // namespace hadar::cli
