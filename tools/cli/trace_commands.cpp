#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

#include "runtime/config/cluster_config.hpp"
#include "runtime/config/throughput_csv.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/output_file.hpp"
#include "tools/cli/text.hpp"
#include "tools/cli/trace_text.hpp"

namespace hadar::cli {
namespace {

constexpr std::size_t kShownRefusals = 10;

// A trace with what was needed to read it.
struct Read {
  traces::LoadedTrace loaded;
  ThroughputTable throughputs;  // empty = the built-in one
  std::vector<NodeInventory> nodes;
};

Result<ThroughputTable> read_throughputs(const std::string& file) {
  if (file.empty()) return ThroughputTable{};
  auto table = load_throughputs(file);
  if (table && table->empty())
    return fail(ErrorCode::kInvalidArgument, file + ": no speed of a job alone, must have at least one");
  return table;
}

Result<Read> read_trace(const TraceInput& input) {
  Read read;
  auto table = read_throughputs(input.throughputs);
  if (!table) return fail(std::move(table));
  read.throughputs = std::move(*table);
  traces::LoadOptions options;
  options.format = input.format;
  options.throughputs = read.throughputs;
  options.seed = input.seed;
  options.redraw = input.redraw;
  if (!input.cluster.empty()) {
    auto cluster = load_cluster(input.cluster);
    if (!cluster) return fail(std::move(cluster));
    read.nodes = std::move(cluster->nodes);
    for (const auto& node : read.nodes)
      for (const auto& group : node.gpus) options.gpus_most += group.count;
  }
  auto loaded = traces::load_trace(input.file, options);
  if (!loaded) return fail(std::move(loaded));
  read.loaded = std::move(*loaded);
  return read;
}

// The first refused rows, and how many there are.
void tell_refused(const traces::LoadedTrace& loaded, const std::string& file) {
  const auto count = loaded.refused.size();
  for (std::size_t i = 0; i < std::min(count, kShownRefusals); ++i)
    std::fprintf(stderr, "hadar: %s\n", text_of(loaded.refused[i], file).c_str());
  const auto more = count - std::min(count, kShownRefusals);
  if (more > 0)
    std::fprintf(stderr, "hadar: %s: %zu more %s refused; --json lists all %zu\n", file.c_str(), more,
                 more == 1 ? "row is" : "rows are", count);
}

// What was decided for the user, where no text on stdout says it.
void tell_notes(const traces::LoadedTrace& loaded, const std::string& file) {
  for (const auto& note : loaded.notes) std::fprintf(stderr, "hadar: %s: %s\n", file.c_str(), note.c_str());
}

ExitCode code_of(const traces::LoadedTrace& loaded) {
  return loaded.refused.empty() ? ExitCode::kDone : ExitCode::kPartly;
}

std::vector<std::string> files_of(const TraceInput& input) {
  return {input.file, input.throughputs, input.cluster};
}

// Our CSV and JSON cannot both go to stdout; a file must have its place before the work is done.
Status check_output(const Settings& settings, const std::string& output, const std::vector<std::string>& inputs) {
  if (settings.json && output == "-")
    return fail(ErrorCode::kInvalidArgument, "--json and -o - both write to stdout, must be one of them");
  if (auto apart = check_apart({output}, inputs); !apart) return apart;
  return check_writable(output);
}

// Writes a trace and says so.
CommandResult write_trace(const Settings& settings, const traces::Trace& trace, const std::string& output,
                          const std::string& json, const std::string& text, ExitCode code) {
  if (auto written = write_text(output, to_csv(trace)); !written) return stop(std::move(written.error()));
  if (settings.json)
    print(json);
  else if (output != "-")
    print(text);
  return code;
}

}  // namespace

CommandResult run_trace_import(const Settings& settings, const TraceInput& input, const std::string& output) {
  if (auto right = check_output(settings, output, files_of(input)); !right) return stop(std::move(right.error()));
  auto read = read_trace(input);
  if (!read) return stop_usage(std::move(read.error()));
  const auto& loaded = read->loaded;
  if (!settings.json) tell_refused(loaded, input.file);
  if (output == "-") tell_notes(loaded, input.file);
  return write_trace(settings, loaded.trace, output, settings.json ? loaded_json(loaded, input.file, output) : "",
                     loaded_text(loaded, input.file, output), code_of(loaded));
}

CommandResult run_trace_check(const Settings& settings, const TraceInput& input) {
  auto read = read_trace(input);
  if (!read) return stop_usage(std::move(read.error()));
  const auto& loaded = read->loaded;
  if (!settings.json) tell_refused(loaded, input.file);
  print(settings.json ? loaded_json(loaded, input.file, "") : loaded_text(loaded, input.file, ""));
  return code_of(loaded);
}

CommandResult run_trace_stats(const Settings& settings, const TraceInput& input) {
  auto read = read_trace(input);
  if (!read) return stop_usage(std::move(read.error()));
  tell_refused(read->loaded, input.file);
  tell_notes(read->loaded, input.file);
  const auto stats = traces::stats_of(read->loaded.trace, read->throughputs, read->nodes);
  print(settings.json ? stats_json(stats, input.file) : stats_text(stats, input.file));
  return code_of(read->loaded);
}

CommandResult run_trace_sample(const Settings& settings, const TraceInput& input, const TraceSampleArgs& args) {
  if (auto right = check_output(settings, args.output, files_of(input)); !right) return stop(std::move(right.error()));
  auto read = read_trace(input);
  if (!read) return stop_usage(std::move(read.error()));
  auto part = traces::sample(read->loaded.trace, {args.jobs, args.from_s, args.to_s, input.seed});
  if (!part) return stop_usage(std::move(part.error()));
  tell_refused(read->loaded, input.file);
  tell_notes(read->loaded, input.file);
  const auto text = fmt::format("{} of {}; written to {}\n", part->jobs.size(),
                                count_text(read->loaded.trace.jobs.size(), "job"), args.output);
  const auto json = sample_json(input.file, args.output, part->jobs.size(), read->loaded.trace.jobs.size());
  return write_trace(settings, *part, args.output, json, text, code_of(read->loaded));
}

CommandResult run_trace_generate(const Settings& settings, const TraceGenerateArgs& args) {
  if (auto right = check_output(settings, args.output, {args.throughputs}); !right)
    return stop(std::move(right.error()));
  auto table = read_throughputs(args.throughputs);
  if (!table) return stop_usage(std::move(table.error()));
  const auto trace = traces::generate({args.profile, args.jobs, args.jobs_per_h, args.seed, std::move(*table)});
  if (!trace) return stop_usage(trace.error());
  const auto text = fmt::format("{} of profile {}, seed {}; written to {}\n", count_text(trace->jobs.size(), "job"),
                                args.profile, args.seed, args.output);
  return write_trace(settings, *trace, args.output,
                     generated_json(args.profile, args.seed, args.output, trace->jobs.size()), text, ExitCode::kDone);
}

CommandResult run_trace_formats(const Settings& settings) {
  print(settings.json ? formats_json() : formats_text());
  return ExitCode::kDone;
}

}  // namespace hadar::cli
