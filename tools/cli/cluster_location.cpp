#include "tools/cli/cluster_location.hpp"

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/config/endpoint.hpp"

namespace hadar::cli {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::filesystem::path description_of(const std::string& state) {
  return std::filesystem::path(state) / "cluster.json";
}

Result<nlohmann::json> read_description(const std::string& state) {
  const auto path = description_of(state);
  std::ifstream file(path);
  if (!file)
    return fail(
        ErrorCode::kInvalidArgument,
        path.string() + ": cannot be read; start a cluster there with launchers/local-cluster up --state " + state);
  auto json = nlohmann::json::parse(file, nullptr, false);
  if (!json.is_object())
    return fail(ErrorCode::kInvalidArgument, path.string() + ": not a cluster file: no JSON object");
  return json;
}

}  // namespace

Where with_environment(Where where) {
  if (where.endpoint.empty() && where.state.empty()) {
    where.endpoint = environment("HADAR_ENDPOINT");
    if (where.endpoint.empty()) where.state = environment("HADAR_STATE");
  }
  if (where.cluster_id.empty()) where.cluster_id = environment("HADAR_CLUSTER");
  return where;
}

Result<ClusterLocation> locate(const Where& where) {
  if (!where.endpoint.empty() && !is_endpoint(where.endpoint))
    return fail(ErrorCode::kInvalidArgument,
                "endpoint: got \"" + where.endpoint + "\", must be tcp://HOST:PORT or ipc://PATH");
  if (!where.endpoint.empty()) return ClusterLocation{where.endpoint, where.cluster_id};
  if (where.state.empty())
    return fail(ErrorCode::kInvalidArgument,
                "which cluster? give --endpoint or --state, or set HADAR_ENDPOINT or HADAR_STATE");
  auto json = read_description(where.state);
  if (!json) return fail(std::move(json));
  if (!json->contains("endpoint") || !(*json)["endpoint"].is_string() || !json->contains("cluster_id") ||
      !(*json)["cluster_id"].is_string())
    return fail(ErrorCode::kInvalidArgument,
                description_of(where.state).string() +
                    ": not a cluster file; it must have the strings endpoint and cluster_id");
  ClusterLocation found{(*json)["endpoint"], (*json)["cluster_id"]};
  if (!where.cluster_id.empty() && where.cluster_id != found.cluster_id)
    return fail(ErrorCode::kRefused, description_of(where.state).string() + ": belongs to cluster \"" +
                                         found.cluster_id + "\", asked for was \"" + where.cluster_id +
                                         "\"; check the state folder and the cluster id (--cluster-id, HADAR_CLUSTER)");
  return found;
}

Result<std::filesystem::path> rounds_folder(const Where& where) {
  if (where.state.empty())
    return fail(ErrorCode::kInvalidArgument, "which state folder? give --state or set HADAR_STATE");
  const std::filesystem::path own = std::filesystem::path(where.state) / "rounds";
  if (!std::filesystem::exists(description_of(where.state))) return own;
  auto json = read_description(where.state);
  if (!json) return fail(std::move(json));
  const auto text = [](const nlohmann::json& process, const char* key) {
    const auto found = process.is_object() ? process.find(key) : process.end();
    return found != process.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const auto processes = json->find("processes");
  if (processes == json->end() || !processes->is_array())
    return fail(ErrorCode::kInvalidArgument,
                description_of(where.state).string() + ": not a cluster file: processes must be a list");
  for (const auto& process : *processes) {
    if (text(process, "role").find("scheduler") == std::string::npos) continue;
    const auto state = text(process, "state");
    return std::filesystem::path(state.empty() ? where.state : state) / "rounds";
  }
  return own;
}

}  // namespace hadar::cli
