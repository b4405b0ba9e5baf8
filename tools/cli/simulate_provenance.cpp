#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "runtime/config/cluster_config.hpp"
#include "runtime/store/blob_store.hpp"
#include "tools/cli/simulate_args.hpp"

namespace hadar::cli {
namespace {

using Json = nlohmann::ordered_json;

// One entry per option that decides the result, so that writing and reading cannot drift apart: its key, what it is
// called on the command line, where it is kept.
template <class Visitor>
void visit_options(Visitor& visitor, SimulateArgs& args) {
  visitor("cluster", "--cluster", args.cluster);
  visitor("trace", "--trace", args.trace);
  visitor("policy", "--policy", args.policies);
  visitor("set", "--set", args.set);
  visitor("throughputs", "--throughputs", args.throughputs);
  visitor("round_s", "--round", args.round_s);
  visitor("seeds", "--seeds", args.seeds);
  visitor("compat", "--compat", args.compat);
  visitor("faults", "--faults", args.faults);
  visitor("costs", "--costs", args.costs);
  visitor("restart_s", "--restart", args.restart_s);
  visitor("noise", "--noise", args.noise);
  visitor("merge_efficiency", "--merge-efficiency", args.merge_efficiency);
  visitor("spread_factor", "--spread-factor", args.spread_factor);
  visitor("checkpoint_s", "--checkpoint", args.checkpoint_s);
  visitor("limit_s", "--give-up", args.limit_s);
  visitor("gpu_costs", "--gpu-cost", args.gpu_costs);
  visitor("measure_jobs", "--measure-jobs", args.measure_jobs);
}

struct Writer {
  Json out = Json::object();
  template <class T>
  void operator()(const char* key, const char*, const T& value) {
    out[key] = value;
  }
  void operator()(const char* key, const char*, const std::optional<double>& value) {
    out[key] = value ? Json(*value) : Json();
  }
};

struct Reader {
  const Json& in;
  std::string wrong;
  std::set<std::string> known;
  template <class T>
  void operator()(const char* key, const char*, T& value) {
    known.insert(key);
    try {
      value = in.at(key).get<T>();
    } catch (const Json::exception&) {
      if (wrong.empty()) wrong = key;
    }
  }
  void operator()(const char* key, const char* option, std::optional<double>& value) {
    known.insert(key);
    if (!in.contains(key) || in[key].is_null()) return;
    value.emplace();
    (*this)(key, option, *value);
  }
  // Of the keys that no option has, the first; empty when there is none.
  [[nodiscard]] std::string unknown() const {
    for (const auto& [key, value] : in.items())
      if (!known.contains(key)) return key;
    return "";
  }
};

// The key of an option; empty for one that decides no result.
struct KeyOf {
  std::string_view wanted;
  std::string key;
  template <class T>
  void operator()(const char* of, const char* option, const T&) {
    if (wanted == option) key = of;
  }
};

std::string throughputs_of(const SimulateArgs& args) {
  if (!args.throughputs.empty()) return args.throughputs;
  const auto cluster = load_cluster(args.cluster);
  return cluster ? cluster->throughputs.string() : "";
}

}  // namespace

std::vector<InputFile> input_files(const SimulateArgs& args) {
  std::vector<InputFile> files{{"cluster", args.cluster},
                               {"trace", args.trace},
                               {"throughputs", throughputs_of(args)},
                               {"faults", args.faults},
                               {"costs", args.costs}};
  std::erase_if(files, [](const InputFile& input) { return input.file.empty(); });
  return files;
}

Result<Json> provenance_of(const SimulateArgs& args) {
  auto copy = args;
  Writer options;
  visit_options(options, copy);
  Json inputs = Json::array();
  for (const auto& [option, file] : input_files(args)) {
    const auto hash = hash_file(file);
    if (!hash) return tl::unexpected<Error>(hash.error());
    inputs.push_back({{"option", option}, {"file", file}, {"bytes", hash->size}, {"xxh3_128", hash->hash}});
  }
  std::error_code none;
  const auto folder = std::filesystem::current_path(none).string();
  return Json{{"hadar", HADAR_VERSION},
              {"seeds", args.seeds},
              {"options", options.out},
              {"folder", folder},
              {"inputs", inputs}};
}

Result<SimulateArgs> args_of(const Json& provenance) {
  SimulateArgs args;
  if (!provenance.is_object() || !provenance.contains("options") || !provenance["options"].is_object())
    return fail(ErrorCode::kCorrupt, "key provenance.options: is missing; give a file of hadar simulate --json");
  Reader reader{provenance["options"], "", {}};
  visit_options(reader, args);
  if (!reader.wrong.empty())
    return fail(ErrorCode::kCorrupt, "key provenance.options." + reader.wrong + ": is missing or of the wrong type");
  if (const auto key = reader.unknown(); !key.empty())
    return fail(ErrorCode::kCorrupt, "key provenance.options." + key + ": is unknown, leave it out");
  return args;
}

std::string as_recorded(const std::string& message, const std::string& file) {
  const auto end = message.find_first_of(": ");
  KeyOf key{std::string_view(message).substr(0, end), ""};
  SimulateArgs args;
  visit_options(key, args);
  if (key.key.empty()) return message + "; " + file + " names it";
  const auto rest = message.substr(end);
  return file + ": key provenance.options." + key.key + (rest.starts_with(':') ? "" : ":") + rest;
}

}  // namespace hadar::cli
