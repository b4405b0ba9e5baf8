#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "tools/cli/commands.hpp"
#include "tools/cli/text.hpp"
#include "tools/report/page.hpp"

namespace hadar::cli {
namespace {

// "-" is stdout. A file appears whole or not at all.
Status write_text(const std::string& target, const std::string& text) {
  if (target == "-") {
    if (!print(text)) return fail(ErrorCode::kIo, "stdout was closed");
    return {};
  }
  const auto partial = target + ".partial-" + std::to_string(getpid());
  std::ofstream file(partial, std::ios::binary);
  file << text;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(partial, target, error);
  if (file && !error) return {};
  std::error_code ignored;
  std::filesystem::remove(partial, ignored);
  return fail(ErrorCode::kIo, target + ": cannot be written; give a path in a writable folder with room");
}

}  // namespace

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
    auto written = write_text(args.html, report::make_page(runs, *chart_js));
    if (!written) return stop(std::move(written.error()));
  }
  if (!args.json.empty()) {
    auto written = write_text(args.json, report::summaries_json(runs));
    if (!written) return stop(std::move(written.error()));
  }
  return ExitCode::kDone;
}

}  // namespace hadar::cli
