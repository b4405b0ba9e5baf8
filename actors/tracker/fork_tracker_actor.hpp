// Purpose: follows each job's forks; sums their steps (aggregation), has their weights merged (consolidation), and has
// the ledger credit both in one transaction.
// Inbox: ForkTrackerActor. Mailbox: reports are bounded by the open leases, since a node resends only after its limit.
// A report is answered once the ledger stored it; a lone checkpoint once it is credited. Nothing is lost when this
// actor or the consolidator dies: reports are in the log, and the restart begins from them. Peers: ledger, consolidator
// and blob store share its process; node workers may vanish at any time.
#pragma once

#include <functional>

#include "actors/handles.hpp"
#include "actors/spawn.hpp"

namespace hadar {

struct ForkTrackerOptions {
  double merge_grace_s = 2;  // after a fork's deadline
  double start_s = 0;        // cluster time at the spawn
  // Called on the actor when a merge could not be done and will be tried again. May be empty.
  std::function<void(JobId, const Error&)> on_delay = {};
  double ledger_limit_s = 30;
};

ForkTrackerActor spawn_fork_tracker(caf::actor_system& system, SpawnMode mode, ForkTrackerOptions options,
                                    JobLedgerActor ledger, ConsolidatorActor consolidator);

}  // namespace hadar
