#include <filesystem>
#include <fmt/format.h>

#include "launchers/policies.hpp"
#include "messages/codec/round_codec.hpp"
#include "runtime/config/process_config.hpp"
#include "runtime/store/round_archive.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/json_views.hpp"
#include "tools/cli/text.hpp"

namespace hadar::cli {
namespace {

std::string slices_text(const Allocation& allocation) {
  std::string out;
  for (const auto& slice : allocation.slices)
    out += fmt::format("{}{}[{}]", out.empty() ? "" : " ", slice.node, fmt::join(slice.gpus, ","));
  return out;
}

std::string plan_text(const RoundInput& input, const RoundPlan& plan) {
  std::string out = fmt::format("round {}{}: {} jobs, {} nodes\n", input.round.value,
                                input.early ? " (early replan)" : "", input.jobs.size(), input.nodes.size());
  Table table({"JOB", "FORK", "WHERE", "QUOTA", "STEPS/S", "UNTIL"});
  for (const auto& allocation : plan.allocations)
    table.add({std::to_string(allocation.fork.job.value), std::to_string(allocation.fork.fork), slices_text(allocation),
               std::to_string(allocation.quota_steps), number_text(allocation.steps_per_s),
               allocation.ends_at_border ? "border" : "renews"});
  out += table.text();
  for (const auto& outcome : plan.outcomes)
    if (outcome.kind != OutcomeKind::kGranted)
      out += fmt::format("job {} {}: {}\n", outcome.job.value, outcome.reason.code, outcome.reason.text);
  return out;
}

tl::unexpected<Error> no_round_file(const std::string& round, std::filesystem::file_status status,
                                    const std::error_code& error) {
  const std::string instead = "; give a round's number or file";
  if (std::filesystem::is_directory(status))
    return fail(ErrorCode::kIo, round + " is a folder, must be a file" + instead);
  if (std::filesystem::exists(status)) return fail(ErrorCode::kIo, round + " is no regular file" + instead);
  if (!std::filesystem::status_known(status))
    return fail(ErrorCode::kIo, "cannot open " + round + ": " + error.message() + instead);
  return fail(ErrorCode::kNotFound, round + ": no such file" + instead);
}

// A file needs no cluster; a number means the state folder's round even where a file has that name.
Result<std::filesystem::path> locate_round(const Where& where, const std::string& round) {
  const bool number = round.find_first_not_of("0123456789.") == std::string::npos;
  std::error_code error;
  const auto status = std::filesystem::status(round, error);
  if ((!number || where.state.empty()) && std::filesystem::is_regular_file(status)) return std::filesystem::path(round);
  if (!number) return no_round_file(round, status, error);
  auto folder = rounds_folder(where);
  if (!folder) return fail(std::move(folder));
  return find_round(*folder, round);
}

}  // namespace

CommandResult run_replay(const Settings& settings, const ReplayArgs& args) {
  auto told = load_process_config("", args.set);
  if (!told) return stop_usage(std::move(told.error()));
  auto policy = make_policy(args.policy, told->policy);
  if (!policy) return stop_usage(std::move(policy.error()));
  auto file = locate_round(settings.where, args.round);
  if (!file) return stop(std::move(file.error()));
  auto record = read_round(*file);
  if (!record) return stop_usage(std::move(record.error()));
  auto input = Codec<RoundInput>::decode(record->input);
  if (!input) return stop_usage({input.error().code, file->string() + ": " + input.error().message});
  auto plan = (*policy)->plan(*input);
  if (!plan) return stop(std::move(plan.error()));
  const bool same = Codec<RoundPlan>::encode(*plan).body == record->plan;
  const bool must_be_same = args.policy == record->policy;
  if (settings.json) {
    print(replay_json(*input, *plan, record->policy, args.policy, same));
  } else {
    print(plan_text(*input, *plan));
    print(
        fmt::format("{} the recorded plan of {}, byte for byte\n", same ? "equal to" : "differs from", record->policy));
    if (must_be_same && !same && args.set.empty())
      print("if the cluster was started with --set policy.…, give the same here\n");
  }
  return must_be_same && !same ? ExitCode::kFailed : ExitCode::kDone;
}

}  // namespace hadar::cli
