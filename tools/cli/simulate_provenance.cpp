#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/config/cluster_config.hpp"
#include "runtime/store/blob_store.hpp"
#include "tools/cli/simulate_args.hpp"

namespace hadar::cli {
namespace {

using Json = nlohmann::ordered_json;

// One entry per option that decides the result, so that writing and reading cannot drift apart.
template <class Visitor>
void visit_options(Visitor& visitor, SimulateArgs& args) {
  visitor("cluster", args.cluster);
  visitor("trace", args.trace);
  visitor("policy", args.policies);
  visitor("set", args.set);
  visitor("throughputs", args.throughputs);
  visitor("round_s", args.round_s);
  visitor("seeds", args.seeds);
  visitor("compat", args.compat);
  visitor("faults", args.faults);
  visitor("costs", args.costs);
  visitor("restart_s", args.restart_s);
  visitor("noise", args.noise);
  visitor("merge_efficiency", args.merge_efficiency);
  visitor("spread_factor", args.spread_factor);
  visitor("checkpoint_s", args.checkpoint_s);
  visitor("limit_s", args.limit_s);
  visitor("gpu_costs", args.gpu_costs);
  visitor("measure_jobs", args.measure_jobs);
}

struct Writer {
  Json out = Json::object();
  template <class T>
  void operator()(const char* key, const T& value) {
    out[key] = value;
  }
  void operator()(const char* key, const std::optional<double>& value) { out[key] = value ? Json(*value) : Json(); }
};

struct Reader {
  const Json& in;
  std::string wrong;
  template <class T>
  void operator()(const char* key, T& value) {
    try {
      value = in.at(key).get<T>();
    } catch (const Json::exception&) {
      if (wrong.empty()) wrong = key;
    }
  }
  void operator()(const char* key, std::optional<double>& value) {
    if (!in.contains(key) || in[key].is_null()) return;
    value.emplace();
    (*this)(key, *value);
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
  Reader reader{provenance["options"], ""};
  visit_options(reader, args);
  if (!reader.wrong.empty())
    return fail(ErrorCode::kCorrupt, "key provenance.options." + reader.wrong + ": is missing or of the wrong type");
  return args;
}

}  // namespace hadar::cli
