#include <algorithm>

#include "runtime/config/endpoint.hpp"
#include "runtime/config/process_config.hpp"
#include "runtime/config/text.hpp"
#include "runtime/config/toml_tree.hpp"

namespace hadar {
namespace {

tl::unexpected<Error> broken(const std::string& key, const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, key + ": " + what);
}

Status check_process(const ProcessConfig& config) {
  const auto& process = config.process;
  if (config.cluster.id.empty()) return broken("cluster.id", "got \"\", must be the cluster's name");
  if (process.roles.empty())
    return broken("process.roles", "got none, must be at least one of " + any_of_text(known_roles()));
  if (process.state.empty()) return broken("process.state", "got \"\", must be a folder for this process");
  if (process.listen.empty()) return broken("process.listen", "got \"\", must be tcp://HOST:PORT or ipc://PATH");
  if (!is_local(process.listen) && !config.cluster.allow_plain_remote)
    return broken("process.listen", "got " + quote_toml(process.listen) +
                                        ", which other hosts can reach without encryption; must be 127.0.0.1, or "
                                        "cluster.allow_plain_remote = true");
  return {};
}

Status check_peers(const PeerOptions& peers) {
  const std::pair<const char*, const std::string*> all[] = {{"peers.scheduler", &peers.scheduler},
                                                            {"peers.price_oracle", &peers.price_oracle},
                                                            {"peers.job_tracker", &peers.job_tracker},
                                                            {"peers.policy", &peers.policy},
                                                            {"peers.gateway", &peers.gateway}};
  for (const auto& [key, endpoint] : all)
    if (!endpoint->empty() && !is_endpoint(*endpoint))
      return broken(key, "got " + quote_toml(*endpoint) + ", must be tcp://HOST:PORT or ipc://PATH");
  return {};
}

Status check_order(const ProcessConfig& config) {
  const auto& links = config.transport;
  if (links.silence_s <= links.ping_s)
    return broken("transport.silence_s", "got " + number_text(links.silence_s) + ", must be above transport.ping_s (" +
                                             number_text(links.ping_s) + ")");
  if (links.reconnect_max_s < links.reconnect_min_s)
    return broken("transport.reconnect_max_s", "got " + number_text(links.reconnect_max_s) +
                                                   ", must be at least transport.reconnect_min_s (" +
                                                   number_text(links.reconnect_min_s) + ")");
  const auto& node = config.node;
  if (node.log_cap_mb < node.log_cap_mb_per_job)
    return broken("node.log_cap_mb", "got " + number_text(node.log_cap_mb) +
                                         ", must be at least node.log_cap_mb_per_job (" +
                                         number_text(node.log_cap_mb_per_job) + ")");
  return {};
}

}  // namespace

Status check_process_config(const ProcessConfig& config) {
  if (auto right = check_process(config); !right) return right;
  if (auto right = check_peers(config.peers); !right) return right;
  if (auto right = check_order(config); !right) return right;
  const auto& roles = config.process.roles;
  const bool is_node = std::find(roles.begin(), roles.end(), "node-worker") != roles.end();
  if (is_node && config.node.emulated && config.node.gpus.empty())
    return broken("node.gpus", "got none, must be declared when node.emulated = true");
  if (config.scheduler.policy.empty()) return broken("scheduler.policy", "got \"\", must be the name of a policy");
  return {};
}

}  // namespace hadar
