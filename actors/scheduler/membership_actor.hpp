// Purpose: which nodes there are and in what state: hellos, lost links, dead time, drains.
// Inbox: MembershipActor. Mailbox: one hello per node and link; commands by operators.
// A node whose link is down is unknown until its dead time has passed, then lost, under a new epoch. Until the term is
// opened hellos are refused with kUnreachable, and nodes ask again.
// Peers: lease_keeper shares its process; the ledger may be down: facts wait in order until it has written them.
#pragma once

#include "actors/handles.hpp"
#include "actors/scheduler/node_table.hpp"
#include "actors/spawn.hpp"

namespace hadar {

struct MembershipOptions {
  NodeTableOptions table;
  double round_s = 60;
  double outage_grace_s = 60;  // how long nodes train on without a scheduler
  double request_limit_s = 5;
};

MembershipActor spawn_membership(caf::actor_system& system, SpawnMode mode, MembershipOptions options,
                                 LeaseKeeperActor lease_keeper, JobLedgerActor ledger);

}  // namespace hadar
