// Purpose: the round clock. At each border, and early when GPUs became idle: the tracker's view, the price board, the
// plan, its record, its leases.
// Inbox: RoundFlowActor. Mailbox: JobAdvanced and CapacityChanged only say "look again" and are coalesced; one round is
// in flight at a time.
// Peers: without the ledger there is no round: it asks again at the next border; without the price oracle the last
// board is used and marked stale; without the policy nothing changes until it is back. Leases go on meanwhile. When
// another scheduler has opened a newer term this actor ends.
#pragma once

#include <cstdint>
#include <functional>

#include "actors/handles.hpp"
#include "actors/spawn.hpp"
#include "messages/types/round.hpp"

namespace hadar {

struct RoundFlowOptions {
  std::string policy;  // its name, as recorded
  double round_s = 60;
  std::uint64_t incarnation = 0;  // of the scheduler, new at each start
  double request_limit_s = 5;
  double plan_limit_s = 30;
  bool shares_gpus = false;   // the policy's trait: it is told how jobs run side by side
  bool looks_at_time = true;  // false: at a border nothing is planned when no job and no node has changed
  bool prices = true;         // the oracle is asked at each border; false: the policy plans without
  double coalesce_s = 0.01;   // changes that come within share one early replan
  // A round closes, and the next opens, when all its leases have ended and their jobs are settled, instead of by the
  // clock; when nothing runs, at the next change. There are no early replans then. Of Gavel's public simulator.
  bool close_when_all_done = false;
  // Keeps a round's input and plan for replay; may be empty.
  std::function<void(const RoundInput&, const RoundPlan&, const std::string& policy)> archive;
};

struct RoundFlowPeers {
  MembershipActor membership;
  LeaseKeeperActor lease_keeper;
  JobLedgerActor ledger;
  PriceOracleActor price_oracle;
  PolicyActor policy;
};

// Opens a term with the ledger first, then rounds until it is stopped.
RoundFlowActor spawn_round_flow(caf::actor_system& system, SpawnMode mode, RoundFlowOptions options,
                                RoundFlowPeers peers);

}  // namespace hadar
