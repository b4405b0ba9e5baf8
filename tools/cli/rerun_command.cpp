#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tools/cli/commands.hpp"
#include "tools/cli/simulate_runs.hpp"
#include "tools/cli/text.hpp"

namespace hadar::cli {
namespace {

using Json = nlohmann::ordered_json;

Result<Json> read_result(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(ErrorCode::kNotFound, file + ": cannot be read; give a file of hadar simulate --json");
  std::ostringstream text;
  text << in.rdbuf();
  auto json = Json::parse(text.str(), nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("provenance") || !json.contains("runs") ||
      !json["runs"].is_array())
    return fail(ErrorCode::kInvalidArgument, file + ": is not a result of hadar simulate --json");
  return json;
}

// An input named from the folder it was run in: there, else from here, else beside the result.
void find_input(std::string& file, const std::string& folder, const std::filesystem::path& result) {
  if (file.empty() || std::filesystem::path(file).is_absolute()) return;
  std::error_code none;
  for (const auto& from : {std::filesystem::path(folder), std::filesystem::path(), result.parent_path()})
    if (std::filesystem::is_regular_file(from / file, none)) {
      file = (from / file).string();
      return;
    }
}

void find_inputs(SimulateArgs& args, const std::string& folder, const std::filesystem::path& result) {
  for (auto* file : {&args.cluster, &args.trace, &args.throughputs, &args.faults, &args.costs})
    find_input(*file, folder, result);
}

// What the files hold now against what they held then, wherever they lie now. Older versions recorded no table of
// speeds that only the cluster's file names: such a result is compared by what it did record.
Status same_inputs(const Json& then, const Json& now, bool table_asked_for) {
  const auto recorded = [](const Json& inputs, const std::string& option) {
    return std::find_if(inputs.begin(), inputs.end(),
                        [&](const Json& input) { return input.value("option", "") == option; });
  };
  for (const auto& input : now) {
    const auto option = input.value("option", "");
    const auto old = recorded(then, option);
    if (old == then.end() && option == "throughputs" && !table_asked_for) continue;
    if (old == then.end()) return fail(ErrorCode::kRefused, "rerun: the result was made from other files");
    const auto was = old->value("xxh3_128", "");
    const auto is = input.value("xxh3_128", "");
    if (is != was)
      return fail(ErrorCode::kRefused, fmt::format("rerun: {} is not the file it was: its hash is {}, was {}",
                                                   input.value("file", ""), is, was));
    if (old->contains("bytes") && (*old)["bytes"] != input["bytes"])
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("key provenance.inputs[{}].bytes: is {}, the file of that hash has {}",
                              old - then.begin(), (*old)["bytes"].dump(), input["bytes"].dump()));
  }
  const bool all_there = std::all_of(
      then.begin(), then.end(), [&](const Json& old) { return recorded(now, old.value("option", "")) != now.end(); });
  return all_there ? Status() : fail(ErrorCode::kRefused, "rerun: the result was made from other files");
}

Status check_keys(const Json& object, const std::string& path, const std::set<std::string>& known) {
  for (const auto& [key, value] : object.items())
    if (!known.contains(key))
      return fail(ErrorCode::kCorrupt, fmt::format("key {}.{}: is unknown, leave it out", path, key));
  return {};
}

// Of what args_of does not read.
Status check_shape(const Json& provenance) {
  if (auto right = check_keys(provenance, "provenance", {"hadar", "seeds", "options", "folder", "inputs"}); !right)
    return right;
  if (provenance.contains("seeds") && provenance["seeds"] != provenance["options"]["seeds"])
    return fail(ErrorCode::kCorrupt, fmt::format("key provenance.seeds: is {}, provenance.options.seeds is {}",
                                                 provenance["seeds"].dump(), provenance["options"]["seeds"].dump()));
  if (provenance.contains("folder") && !provenance["folder"].is_string())
    return fail(ErrorCode::kCorrupt, "key provenance.folder: must be text");
  const auto inputs = provenance.value("inputs", Json::array());
  const auto is_input = [](const Json& input) {
    return input.is_object() && std::all_of(input.begin(), input.end(), [](const Json& part) {
             return part.is_string() || part.is_number_unsigned();
           });
  };
  if (!inputs.is_array() || !std::all_of(inputs.begin(), inputs.end(), is_input))
    return fail(ErrorCode::kCorrupt, "key provenance.inputs: must be a list of {option, file, bytes, xxh3_128}");
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (auto right =
            check_keys(inputs[i], fmt::format("provenance.inputs[{}]", i), {"option", "file", "bytes", "xxh3_128"});
        !right)
      return right;
  return {};
}

// The first figure that differs; empty when none does.
std::string difference(const Json& then, const Json& now) {
  for (const auto& [key, value] : now.items()) {
    if (!then.contains(key)) return key + " is new";
    if (then[key] == value) continue;
    if (value.is_structured()) return key;
    return fmt::format("{} is {}, was {}", key, value.dump(), then[key].dump());
  }
  return "";
}

// A header that contradicts itself is malformed; inputs that are no longer what they were are not its fault.
tl::unexpected<Failure> of_header(Error error, const std::string& file) {
  if (error.code != ErrorCode::kInvalidArgument) return stop(std::move(error));
  return stop_usage({error.code, file + ": " + error.message});
}

}  // namespace

CommandResult run_rerun(const Settings& settings, const RerunArgs& args) {
  auto recorded = read_result(args.file);
  if (!recorded) return stop_usage(std::move(recorded.error()));
  auto again = args_of((*recorded)["provenance"]);
  if (!again) return stop_usage({ErrorCode::kInvalidArgument, args.file + ": " + again.error().message});
  again->threads = args.threads;
  if (auto right = check_shape((*recorded)["provenance"]); !right)
    return stop_usage({right.error().code, args.file + ": " + right.error().message});
  find_inputs(*again, (*recorded)["provenance"].value("folder", ""), args.file);
  auto provenance = provenance_of(*again);
  if (!provenance) return stop(std::move(provenance.error()));
  const auto& then = (*recorded)["provenance"];
  if (auto same =
          same_inputs(then.value("inputs", Json::array()), (*provenance)["inputs"], !again->throughputs.empty());
      !same)
    return of_header(std::move(same.error()), args.file);
  auto plan = plan_simulation(*again);
  if (!plan) return stop_usage({plan.error().code, as_recorded(plan.error().message, args.file)});
  auto runs = run_all(*again, *plan);
  if (!runs) return stop(std::move(runs.error()));
  const auto& recorded_runs = (*recorded)["runs"];
  std::string differs = recorded_runs.size() == runs->size() ? "" : "the number of runs differs";
  for (std::size_t i = 0; differs.empty() && i < runs->size(); ++i) {
    const auto what = difference(recorded_runs[i], run_json((*runs)[i], *plan, false));
    if (!what.empty()) differs = fmt::format("{} under seed {}: {}", (*runs)[i].policy, (*runs)[i].seed, what);
  }
  const auto version = then.value("hadar", "");
  if (settings.json)
    print(Json{{"runs", runs->size()}, {"equal", differs.empty()}, {"difference", differs}, {"recorded_by", version}}
              .dump(2) +
          "\n");
  else
    print(differs.empty() ? fmt::format("{}, {}equal to what version {} recorded\n", count_text(runs->size(), "run"),
                                        runs->size() == 1 ? "" : "all ", version)
                          : fmt::format("differs from what version {} recorded: {}\n", version, differs));
  return differs.empty() ? ExitCode::kDone : ExitCode::kFailed;
}

}  // namespace hadar::cli
