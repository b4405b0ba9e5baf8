// Purpose: the only writer of the event log; answers for jobs, leases and their history.
// Inbox: JobLedgerActor. Mailbox: bounded by its senders (each waits for its answer); nothing is dropped.
// Group commit: all changes that arrive before the log is written share one transaction; every answer and every message
// that tells of a change goes out after it is durable.
// Disk trouble: the batch is kept and written again each second; meanwhile new changes are refused with kIo.
// Peers: round_flow may be down (it asks again when it is back); fork_tracker and throughput_book share its process.
#pragma once

#include <memory>

#include "actors/handles.hpp"
#include "actors/spawn.hpp"
#include "actors/tracker/ledger.hpp"
#include "runtime/store/event_log.hpp"

namespace hadar {

struct JobLedgerOptions {
  LedgerOptions ledger;
  double start_s = 0;  // cluster time at the spawn
};

// Replays a log into a ledger. kCorrupt names the event that does not fit.
Result<std::unique_ptr<Ledger>> restore_ledger(const LedgerOptions& options, EventLog& log, double now_s);

// `ledger` comes from restore_ledger on the same log; the actor owns both. Whoever spawns it sends LedgerPeers next.
JobLedgerActor spawn_job_ledger(caf::actor_system& system, SpawnMode mode, JobLedgerOptions options,
                                std::shared_ptr<Ledger> ledger, std::shared_ptr<EventLog> log);

}  // namespace hadar
