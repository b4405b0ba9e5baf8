// Purpose: the only place that grants, extends and takes back leases: prepare, then commit, one message a node.
// Inbox: LeaseKeeperActor. Mailbox: requests are bounded by round_flow (one plan at a time) and by the nodes' leases.
// A node that does not answer a prepare in time refuses; a gang whose member refuses is revoked whole and closed.
// When a node is lost its leases are closed, and their gangs' other members taken back. Closing is repeated until the
// ledger has written it.
#pragma once

#include "actors/handles.hpp"
#include "actors/spawn.hpp"

namespace hadar {

struct LeaseKeeperOptions {
  double prepare_limit_s = 2;
  double request_limit_s = 5;
};

LeaseKeeperActor spawn_lease_keeper(caf::actor_system& system, SpawnMode mode, LeaseKeeperOptions options,
                                    JobLedgerActor ledger);

}  // namespace hadar
