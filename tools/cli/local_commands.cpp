#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "launchers/policies.hpp"
#include "messages/types/link.hpp"
#include "runtime/config/cluster_config.hpp"
#include "runtime/config/config_kind.hpp"
#include "runtime/config/job_file.hpp"
#include "runtime/config/process_config.hpp"
#include "runtime/config/throughput_csv.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/text.hpp"

namespace hadar::cli {
namespace {

using Json = nlohmann::ordered_json;

void print_json(const Json& json) {
  print(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

CommandResult checked(const Settings& settings, const std::string& file, Json json, const std::string& text) {
  if (settings.json) {
    json["file"] = file;
    print_json(json);
  } else {
    print(fmt::format("{}: {}\n", file, text));
  }
  return ExitCode::kDone;
}

// The table of speeds that `key` of a file names is read as well: whoever uses the file would fail on it.
Status check_table(const std::string& file, const char* key, const std::filesystem::path& table) {
  if (table.empty()) return {};
  const auto refuse = [&](const std::string& what) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}: {}", file, key, what));
  };
  std::error_code none;
  if (const auto status = std::filesystem::status(table, none);
      std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return refuse(table.string() + ": no regular file, must be a table of speeds");
  const auto read = load_throughput_file(table);
  if (!read) return refuse(read.error().message);
  if (read->rows.empty()) return refuse(table.string() + ": no speed of a job alone, must have at least one");
  return {};
}

CommandResult check_cluster_file(const Settings& settings, const std::string& file) {
  auto cluster = load_cluster(file);
  if (!cluster) return stop_usage(std::move(cluster.error()));
  if (auto right = check_table(file, "throughputs", cluster->throughputs); !right)
    return stop_usage(std::move(right.error()));
  Json out = {{"kind", "cluster"},
              {"emulated", cluster->emulated},
              {"time_scale", cluster->time_scale},
              {"throughputs", cluster->throughputs.string()},
              {"nodes", Json::array()}};
  std::uint32_t gpus = 0;
  for (const auto& node : cluster->nodes) {
    Json row = {{"node", node.name},
                {"gpus", Json::array()},
                {"pcie_gb_s", node.pcie_gb_s},
                {"net_gb_s", node.net_gb_s},
                {"emulated", node.emulated}};
    for (const auto& group : node.gpus) {
      row["gpus"].push_back({{"type", group.type}, {"count", group.count}});
      gpus += group.count;
    }
    out["nodes"].push_back(std::move(row));
  }
  return checked(
      settings, file, std::move(out),
      fmt::format("a cluster of {} with {}", count_text(cluster->nodes.size(), "node"), count_text(gpus, "GPU")));
}

CommandResult check_job_file(const Settings& settings, const std::string& file) {
  auto job = load_job(file);
  if (!job) return stop_usage(std::move(job.error()));
  return checked(
      settings, file, {{"kind", "job"}, {"name", job->name}, {"gpus", job->gpus}, {"steps_total", job->total_steps}},
      fmt::format("job {} of {} on {}", job->name, count_text(job->total_steps, "step"), count_text(job->gpus, "GPU")));
}

CommandResult check_process_file(const Settings& settings, const std::string& file) {
  auto config = load_process_config(file);
  if (!config) return stop_usage(std::move(config.error()));
  const bool any_process = config->process.roles.empty();  // what sets these apart is said when one is started
  auto one = *config;
  if (any_process) one.process.roles = known_roles();
  if (any_process && one.process.state.empty()) one.process.state = ".";
  if (auto right = check_process_config(one); !right)
    return stop_usage({right.error().code, file + ": " + right.error().message});
  for (const auto& [key, table] : {std::pair("tracker.throughputs", config->tracker.throughputs),
                                   std::pair("node.throughputs", config->node.throughputs)})
    if (auto right = check_table(file, key, table); !right) return stop_usage(std::move(right.error()));
  if (any_process)
    return checked(settings, file, {{"kind", "process"}, {"name", config->process.name}, {"roles", Json::array()}},
                   fmt::format("options of a process, no roles named: give hadard --role{}",
                               config->process.state.empty() ? " and --set process.state=DIR" : ""));
  return checked(
      settings, file, {{"kind", "process"}, {"name", config->process.name}, {"roles", config->process.roles}},
      fmt::format("process {} with the roles {}", config->process.name, fmt::join(config->process.roles, ", ")));
}

}  // namespace

CommandResult run_config_check(const Settings& settings, const std::string& file) {
  auto kind = config_kind_of(file);
  if (!kind) return stop_usage(std::move(kind.error()));
  switch (*kind) {
    case ConfigKind::kCluster: return check_cluster_file(settings, file);
    case ConfigKind::kJob: return check_job_file(settings, file);
    case ConfigKind::kProcess: return check_process_file(settings, file);
  }
  return ExitCode::kFailed;
}

CommandResult run_config_show(const Settings& settings, const std::string& file) {
  auto config = load_process_config(file);
  if (!config) return stop_usage(std::move(config.error()));
  if (settings.json)
    print_json(Json{{"file", file.empty() ? Json(nullptr) : Json(file)}, {"toml", to_toml(*config)}});
  else
    print(file.empty() ? to_commented_toml(*config) : to_toml(*config));
  return ExitCode::kDone;
}

CommandResult run_policies(const Settings& settings) {
  Json out = Json::array();
  Table table({"POLICY", "FORKS", "PRICES", "WHAT IT DOES"});
  for (const auto& entry : policies()) {
    auto policy = entry.make({});
    if (!policy) return stop(std::move(policy.error()));
    const auto traits = (*policy)->traits();
    out.push_back({{"policy", entry.name},
                   {"summary", entry.summary},
                   {"needs_prices", traits.needs_prices},
                   {"forks", traits.forks},
                   {"shares_gpus", traits.shares_gpus}});
    table.add({std::string(entry.name), traits.forks ? "yes" : "no", traits.needs_prices ? "yes" : "no",
               std::string(entry.summary)});
  }
  if (settings.json)
    print_json(out);
  else
    print(table.text());
  return ExitCode::kDone;
}

CommandResult run_version(const Settings& settings) {
  if (settings.json)
    print_json(Json{{"version", HADAR_VERSION}, {"protocol_version", kProtocolVersion}});
  else
    print(fmt::format("hadar {} (protocol {})\n", HADAR_VERSION, kProtocolVersion));
  return ExitCode::kDone;
}

}  // namespace hadar::cli
