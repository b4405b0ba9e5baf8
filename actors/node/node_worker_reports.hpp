// What a node worker says of its leases: their ends to the scheduler, their steps and weights to the tracker. Every
// word is repeated until it is answered. Called on the actor only.
#pragma once

#include <string>

#include "actors/node/node_worker_state.hpp"

namespace hadar::node_worker {

void tell_ended(Self self, const LeaseEnded& message);

// Told when the GPUs are free, and again, `reported`, when nothing more will be said of the lease: a node that dies in
// between leaves one that only the scheduler can close.
void lease_ended(Self self, const Lease& lease, LeaseEndReason end, bool reported, const std::string& detail);

// Forgets a lease that never trained: nothing to report to the tracker, which closes it on the scheduler's word.
void give_back(Self self, LeaseId id, const std::string& why);

// Sends the lease's oldest report that is not answered yet, its weights first, unless that is under way.
void report_next(Self self, LeaseId id);

}  // namespace hadar::node_worker
