// Purpose: one machine's GPUs: holds leases, has its executor run them, reports what they did until it is answered.
// Inbox: NodeWorkerActor, plus SchedulerLink and ExecutorHappened from its own process. Mailbox: bounded by the leases.
// Commands of an old term or another epoch are refused with kStale.
// Peers: without the scheduler it trains on for the outage grace, then ends its leases; without the tracker reports and
// blobs wait and are sent again; a trainer that dies ends its lease as failed.
#pragma once

#include <functional>
#include <memory>

#include "actors/handles.hpp"
#include "actors/spawn.hpp"
#include "runtime/executor/executor.hpp"

namespace hadar {

struct NodeWorkerOptions {
  NodeInventory inventory;
  std::uint64_t incarnation = 0;
  double request_limit_s = 5;
  double stop_limit_s = 10;    // for a trainer to finish its step and save
  double commit_limit_s = 10;  // a promise not committed by then is off
  double warm_s = 60;          // trainers of a job without a lease here are let go after that
  double step_limit_s = 0;     // a trainer that does no step for so long has failed; 0 = never
  // Steps per second a trainer of this job must keep on a GPU of this type; 0 = as fast as it can. May be empty.
  std::function<double(const JobSpec&, const GpuType&)> pace;
  // Where rank 0 of a gang will listen; "host:port". May be empty when no gangs run here.
  std::function<std::string()> pick_rendezvous;
};

struct NodeWorkerPeers {
  MembershipActor membership;
  LeaseKeeperActor lease_keeper;
  JobLedgerActor ledger;
  ForkTrackerActor fork_tracker;
  BlobCourierActor courier;
};

// The actor's own contract and what only its process may send it.
using LocalNodeWorker = NodeWorkerActor::extend<Takes<SchedulerLink>, Takes<ExecutorHappened>>;

// `path_of` gives the cached file of a blob the courier fetched. The executor's sink is set by the caller, who sends
// its events here as ExecutorHappened.
LocalNodeWorker spawn_node_worker(caf::actor_system& system, SpawnMode mode, NodeWorkerOptions options,
                                  NodeWorkerPeers peers, std::shared_ptr<Executor> executor,
                                  std::function<Result<std::filesystem::path>(const BlobRef&)> path_of);

}  // namespace hadar
