#include <caf/all.hpp>

#include "actors/gateway/gateway_actor.hpp"
#include "launchers/process.hpp"
#include "runtime/config/job_file.hpp"

namespace hadar {
namespace {

// Every process this one has a link to, clients aside, and this one itself.
std::map<std::string, HealthActor> health_actors(Process& process) {
  std::map<std::string, HealthActor> actors{{process.config().process.name, process.local().health}};
  for (const auto& peer : process.bridge().peers()) {
    const auto& roles = peer.roles;
    if (std::find(roles.begin(), roles.end(), "client") != roles.end()) continue;
    actors[peer.name] = process.bridge().proxy_for<HealthActor>(peer.name, ActorKey::kHealth);
  }
  return actors;
}

NodeWorkerActor worker_of(Process& process, const NodeName& node) {
  if (process.local().node_worker && node == process.config().process.name) return process.local().node_worker;
  if (!process.bridge().peer(node)) return {};
  return process.bridge().proxy_for<NodeWorkerActor>(node, ActorKey::kNodeWorker);
}

}  // namespace

Result<std::shared_ptr<void>> add_gateway_role(Process& process) {
  GatewayPeers peers;
  peers.membership = process.find(&LocalActors::membership, "scheduler", ActorKey::kMembership);
  peers.round_flow = process.find(&LocalActors::round_flow, "scheduler", ActorKey::kRoundFlow);
  peers.price_oracle = process.find(&LocalActors::price_oracle, "price-oracle", ActorKey::kPriceOracle);
  peers.ledger = process.find(&LocalActors::ledger, "job-tracker", ActorKey::kJobLedger);
  peers.blob_keeper = process.find(&LocalActors::blob_keeper, "job-tracker", ActorKey::kBlobKeeper);
  peers.node_worker = [&process](const NodeName& node) { return worker_of(process, node); };
  peers.health = [&process] { return health_actors(process); };
  GatewayOptions options;
  options.cluster_id = process.config().cluster.id;
  options.request_limit_s = process.config().scheduler.request_limit_s;
  options.validate = validate_job;
  process.local().gateway = spawn_gateway(process.system(), SpawnMode::kShared, options, peers);
  process.bridge().serve(ActorKey::kGateway, process.local().gateway);
  return std::shared_ptr<void>{};
}

}  // namespace hadar
