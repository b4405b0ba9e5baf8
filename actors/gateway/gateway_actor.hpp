// Purpose: the door for clients: checks a request and passes it to the actor that knows.
// Inbox: GatewayActor. Mailbox: the bridge bounds the requests in flight of each client (kOverloaded beyond).
// Peers: it holds no state. A request whose actor is down is answered with kUnreachable, one without an answer in time
// with kTimedOut: then the outcome is unknown and a submission key makes asking again safe.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "actors/handles.hpp"
#include "actors/spawn.hpp"
#include "messages/types/result.hpp"

namespace hadar {

struct GatewayPeers {
  MembershipActor membership;
  RoundFlowActor round_flow;
  PriceOracleActor price_oracle;
  JobLedgerActor ledger;
  BlobKeeperActor blob_keeper;
  // A node's worker, while its link is up; empty otherwise.
  std::function<NodeWorkerActor(const NodeName&)> node_worker;
  // The health actors of all processes it knows, by name; down ones too.
  std::function<std::map<std::string, HealthActor>()> health;
};

struct GatewayOptions {
  std::string cluster_id;
  double request_limit_s = 5;
  // Every rule of a job specification; given by the composition root.
  std::function<Status(const JobSpec&)> validate;
};

GatewayActor spawn_gateway(caf::actor_system& system, SpawnMode mode, GatewayOptions options, GatewayPeers peers);

}  // namespace hadar
