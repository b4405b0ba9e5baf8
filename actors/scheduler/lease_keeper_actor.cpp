#include "actors/scheduler/lease_keeper_actor.hpp"

#include <caf/all.hpp>
#include <set>

#include "actors/cluster_clock.hpp"
#include "actors/outbox.hpp"
#include "actors/scheduler/lease_table.hpp"
#include "runtime/bridge/caf_compat.hpp"

namespace hadar::lease_keeper {
namespace {

struct CloseAgain {};
struct RevokeAgain {
  NodeName node;
  std::string reason;
};

constexpr double kRetryRevoke_s = 0.5;

}  // namespace
}  // namespace hadar::lease_keeper

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::lease_keeper::CloseAgain)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::lease_keeper::RevokeAgain)

namespace hadar::lease_keeper {
namespace {

struct State {
  static inline const char* name = "lease_keeper";

  LeaseKeeperOptions options;
  LeaseTable table;
  std::map<NodeName, NodeWorkerActor> workers;
  JobLedgerActor ledger;
  RoundFlowActor round_flow;
  Term term;
  Outbox<CloseLeases> closing;
};

using Wide = LeaseKeeperActor::extend<Takes<CloseAgain>, Takes<RevokeAgain>>;
using Self = Wide::stateful_pointer<State>;

caf::duration request_limit(Self self) {
  return caf_limit(self->state.options.request_limit_s);
}

void capacity_changed(Self self) {
  if (self->state.round_flow) self->send(self->state.round_flow, CapacityChanged{});
}

// ---- closing ----

void close_next(Self self) {
  self->state.closing.flush(self, self->state.ledger, request_limit(self), CloseAgain{});
}

void close(Self self, std::vector<LeaseId> leases, const std::string& reason) {
  if (leases.empty()) return;
  self->state.closing.push(CloseLeases{std::move(leases), reason});
  close_next(self);
}

// ---- taking back ----

// Asked again when the node says hello, and while it does not answer over a link that is up.
void ask_back(Self self, const NodeName& node, std::vector<LeaseId> leases, const std::string& reason) {
  auto& state = self->state;
  const auto worker = state.workers.find(node);
  if (worker == state.workers.end()) return;
  RevokeLeases message{state.term, state.table.epoch_of(node), std::move(leases), reason};
  self->request(worker->second, request_limit(self), std::move(message))
      .then([](const Ack&) {},
            [self, node, reason](const caf::error& error) {
              if (to_error(error).code == ErrorCode::kTimedOut)
                self->delayed_send(self, caf_delay(kRetryRevoke_s), RevokeAgain{node, reason});
            });
}

using ByNode = std::map<NodeName, std::vector<LeaseId>>;

void ask_back(Self self, ByNode leases, const std::string& reason) {
  for (auto& [node, ids] : leases) ask_back(self, node, std::move(ids), reason);
}

// A gang is taken back whole: the members of one that stops would wait for it.
void revoke(Self self, const std::vector<LeaseId>& leases, const std::string& reason) {
  auto& table = self->state.table;
  ByNode by_node;
  const auto take = [&](LeaseId id) {
    if (!table.revoking(id) && table.revoke(id)) by_node[table.find(id)->node].push_back(id);
  };
  for (const auto lease : leases) {
    take(lease);
    for (const auto id : table.gang_of(lease)) take(id);
  }
  ask_back(self, std::move(by_node), reason);
}

void revoke_again(Self self, const RevokeAgain& again) {
  const auto& table = self->state.table;
  std::vector<LeaseId> leases;
  for (const auto id : table.on_node(again.node))
    if (table.revoking(id)) leases.push_back(id);
  if (!leases.empty()) ask_back(self, again.node, std::move(leases), again.reason);
}

void revoke_gang_of(Self self, LeaseId lease, const std::string& reason) {
  revoke(self, self->state.table.gang_of(lease), reason);
}

// ---- granting ----

// One grant under way: which nodes answered what.
struct Grant {
  std::vector<Lease> leases;
  std::map<LeaseId, std::string> rendezvous;  // accepted ones
  std::map<LeaseId, std::string> refused;
  std::size_t unanswered = 0;
  caf::typed_response_promise<GrantOutcome> promise;
};
using GrantPtr = std::shared_ptr<Grant>;

// A gang is whole or refused: the reason of one member becomes every member's.
void spread_refusals(Grant& grant) {
  std::map<ForkId, std::string> broken;
  for (const auto& lease : grant.leases)
    if (grant.refused.count(lease.id)) broken.emplace(lease.fork, grant.refused.at(lease.id));
  for (const auto& lease : grant.leases)
    if (broken.count(lease.fork)) grant.refused.emplace(lease.id, "its gang is broken: " + broken.at(lease.fork));
}

// Where rank 0 of each gang listens.
std::map<ForkId, std::string> rendezvous_of(const Grant& grant) {
  std::map<ForkId, std::string> by_fork;
  for (const auto& lease : grant.leases)
    if (lease.gang.rank == 0 && grant.rendezvous.count(lease.id)) by_fork[lease.fork] = grant.rendezvous.at(lease.id);
  return by_fork;
}

void commit(Self self, const GrantPtr& grant, GrantOutcome& outcome) {
  auto& state = self->state;
  const auto meeting = rendezvous_of(*grant);
  std::map<NodeName, std::vector<PreparedLease>> by_node;
  for (const auto& lease : grant->leases) {
    if (grant->refused.count(lease.id)) continue;
    state.table.commit(lease.id);
    outcome.granted.push_back(lease.id);
    by_node[lease.node].push_back(PreparedLease{lease.id, meeting.at(lease.fork)});
  }
  for (auto& [node, leases] : by_node) {
    CommitLeases message{state.term, state.table.epoch_of(node), std::move(leases)};
    self->request(state.workers.at(node), request_limit(self), std::move(message))
        .then([](const Ack&) {}, [](const caf::error&) {});  // the node gives an uncommitted lease back by itself
  }
}

void finish_grant(Self self, const GrantPtr& grant) {
  auto& state = self->state;
  for (const auto& lease : grant->leases)
    if (state.table.revoking(lease.id)) grant->refused.emplace(lease.id, "taken back before it started");
  spread_refusals(*grant);
  GrantOutcome outcome;
  std::map<std::string, std::vector<LeaseId>> to_close;
  ByNode to_revoke;
  for (const auto& lease : grant->leases) {
    const auto why = grant->refused.find(lease.id);
    if (why == grant->refused.end()) continue;
    outcome.refused.push_back(RefusedLease{lease.id, why->second});
    to_close[why->second].push_back(lease.id);
    if (!grant->rendezvous.count(lease.id))
      state.table.end(lease.id);
    else if (state.table.revoke(lease.id))  // its GPUs are free when the node says so
      to_revoke[lease.node].push_back(lease.id);
  }
  ask_back(self, std::move(to_revoke), "its gang is broken");
  for (auto& [why, leases] : to_close) close(self, std::move(leases), why);
  commit(self, grant, outcome);
  grant->promise.deliver(std::move(outcome));
}

void prepare_on(Self self, const GrantPtr& grant, const NodeName& node, std::vector<Lease> leases) {
  auto& state = self->state;
  std::vector<LeaseId> ids;
  for (const auto& lease : leases) ids.push_back(lease.id);
  const auto answered = [self, grant] {
    if (--grant->unanswered == 0) finish_grant(self, grant);
  };
  PrepareLeases message{state.term, state.table.epoch_of(node), std::move(leases)};
  self->request(state.workers.at(node), caf_limit(state.options.prepare_limit_s), std::move(message))
      .then(
          [grant, answered](const LeasesPrepared& prepared) {
            for (const auto& item : prepared.accepted) grant->rendezvous[item.lease] = item.rendezvous;
            for (const auto& item : prepared.refused) grant->refused[item.lease] = item.reason;
            answered();
          },
          [grant, answered, ids, node](const caf::error& error) {
            for (auto id : ids) grant->refused[id] = "node " + node + ": " + to_error(error).message;
            answered();
          });
}

caf::result<GrantOutcome> grant_leases(Self self, const GrantLeases& request) {
  auto& state = self->state;
  auto grant = std::make_shared<Grant>();
  grant->promise = self->make_response_promise<GrantOutcome>();
  grant->leases = request.leases;
  for (auto& lease : grant->leases) {
    lease.term = state.term;
    lease.epoch = state.table.epoch_of(lease.node);
  }
  for (const auto& refusal : state.table.begin(grant->leases)) grant->refused[refusal.lease] = refusal.reason;
  spread_refusals(*grant);
  std::map<NodeName, std::vector<Lease>> by_node;
  for (const auto& lease : grant->leases) {
    if (grant->refused.count(lease.id)) continue;
    if (state.workers.count(lease.node))
      by_node[lease.node].push_back(lease);
    else
      grant->refused[lease.id] = "node " + lease.node + " has no link";
  }
  grant->unanswered = by_node.size();
  for (auto& [node, leases] : by_node) prepare_on(self, grant, node, std::move(leases));
  if (by_node.empty()) finish_grant(self, grant);
  return grant->promise;
}

// ---- nodes ----

caf::result<Ack> lease_ended(Self self, const LeaseEnded& message) {
  auto& state = self->state;
  const bool together = message.end == LeaseEndReason::kQuota || message.end == LeaseEndReason::kDeadline;
  if (!together) revoke_gang_of(self, message.lease, "a gang member ended: " + message.detail);
  const bool freed = state.table.over(message.lease);
  if (message.reported && state.table.end(message.lease) && message.end == LeaseEndReason::kLost)
    close(self, {message.lease}, message.detail);
  if (freed) capacity_changed(self);
  return Ack{};
}

NodeReconciled reconcile(Self self, const ReconcileNode& hello) {
  auto& state = self->state;
  std::vector<LeaseId> lost;
  auto answer = state.table.reconcile(hello, hello.epoch, lost);
  for (auto id : lost) {
    revoke_gang_of(self, id, "a gang member was lost");
    state.table.end(id);
  }
  close(self, lost, "node " + hello.node + " no longer holds it");
  std::vector<LeaseId> again;
  for (auto id : answer.adopt)
    if (state.table.revoking(id)) again.push_back(id);
  if (!again.empty()) ask_back(self, hello.node, std::move(again), "taken back while the link was down");
  capacity_changed(self);
  return answer;
}

void node_gone(Self self, const NodeGone& gone) {
  auto& state = self->state;
  const auto lost = state.table.on_node(gone.node);
  for (auto id : lost) {
    revoke_gang_of(self, id, "a gang member's node is gone: " + gone.reason);
    state.table.end(id);
  }
  close(self, lost, "node " + gone.node + ": " + gone.reason);
  capacity_changed(self);
}

// Leases of an earlier term whose nodes were lost or forgotten without their closing being written down.
void close_orphans(Self self, const TermOpened& opened) {
  std::set<NodeName> known;
  for (const auto& node : opened.nodes)
    if (node.state != NodeState::kLost) known.insert(node.inventory.name);
  std::set<NodeName> gone;
  for (const auto& lease : opened.open_leases)
    if (!known.count(lease.node)) gone.insert(lease.node);
  for (const auto& node : gone) node_gone(self, NodeGone{node, Epoch{}, "lost in an earlier term"});
}

caf::result<Ack> lengthen(Self self, const LengthenLease& request) {
  auto& state = self->state;
  const auto* lease = state.table.find(request.lease);
  if (!lease || !state.workers.count(lease->node))
    return to_caf(Error{ErrorCode::kStale, "extend: the lease is not open"});
  ExtendLease message{state.term, state.table.epoch_of(lease->node), request.lease, request.quota_steps,
                      request.train_for_s};
  auto promise = self->make_response_promise<Ack>();
  self->request(state.workers.at(lease->node), request_limit(self), std::move(message))
      .then(
          [self, promise, request](const Ack& ack) mutable {
            self->state.table.lengthen(request.lease, request.quota_steps);
            promise.deliver(ack);
          },
          [promise](caf::error& error) mutable { promise.deliver(std::move(error)); });
  return promise;
}

Wide::behavior_type behavior(Self self, const LeaseKeeperOptions& options, JobLedgerActor ledger) {
  self->state.options = options;
  self->state.ledger = std::move(ledger);
  return {
      [self](const LeaseEnded& m) { return lease_ended(self, m); },
      [self](const ReconcileNode& m) { return reconcile(self, m); },
      [self](const NodeTable& m) {
        self->state.table.set_nodes(m);
        capacity_changed(self);
      },
      [self](const NodeGone& m) { node_gone(self, m); },
      [self](const NodeLinked& m) { self->state.workers[m.node] = m.worker; },
      [self](const ViewCapacity&) { return self->state.table.view(); },
      [self](const GrantLeases& m) { return grant_leases(self, m); },
      [self](const ReleaseLeases& m) {
        revoke(self, m.leases, m.reason);
        return Ack{};
      },
      [self](const AbandonLeases& m) { close(self, m.leases, m.reason); },
      [self](const LengthenLease& m) { return lengthen(self, m); },
      [self](const TermOpened& m) {
        self->state.term = m.term;
        self->state.table.restore(m.open_leases);
        close_orphans(self, m);
      },
      [self](const KeeperPeers& m) { self->state.round_flow = m.round_flow; },
      [self](const CloseAgain&) { close_next(self); },
      [self](const RevokeAgain& m) { revoke_again(self, m); },
  };
}

}  // namespace
}  // namespace hadar::lease_keeper

namespace hadar {

LeaseKeeperActor spawn_lease_keeper(caf::actor_system& system, SpawnMode mode, LeaseKeeperOptions options,
                                    JobLedgerActor ledger) {
  return spawn_as(system, mode, lease_keeper::behavior, options, std::move(ledger));
}

}  // namespace hadar
