#include "tools/cli/commands.hpp"
#include "tools/cli/output_file.hpp"
#include "tools/report/page.hpp"

namespace hadar::cli {
CommandResult run_report(const ReportArgs& args) {
  if (args.html.empty() && args.json.empty())
    return stop_usage({ErrorCode::kInvalidArgument, "report writes nothing without -o FILE.html or --json FILE"});
  std::vector<report::Run> runs;
  for (const auto& path : args.events) {
    auto run = report::load_run(path);
    if (!run) return stop_usage(std::move(run.error()));
    runs.push_back(std::move(*run));
  }
  if (!args.html.empty()) {
    auto chart_js = report::load_chart_js();
    if (!chart_js) return stop(std::move(chart_js.error()));
    auto written = write_output(args.html, report::make_page(runs, *chart_js));
    if (!written) return stop(std::move(written.error()));
  }
  if (!args.json.empty()) {
    auto written = write_output(args.json, report::summaries_json(runs));
    if (!written) return stop(std::move(written.error()));
  }
  return ExitCode::kDone;
}

}  // namespace hadar::cli
