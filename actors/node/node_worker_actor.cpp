#include "actors/node/node_worker_actor.hpp"

#include <algorithm>
#include <caf/all.hpp>
#include <cmath>

#include "actors/node/node_worker_reports.hpp"
#include "actors/node/node_worker_state.hpp"
#include "runtime/bridge/caf_compat.hpp"

namespace hadar::node_worker {
namespace {

constexpr double kSampleEvery_s = 1;

// Timers count in microseconds: what is due as soon as that is due now.
bool due(const State& state, double t_s) {
  return state.now_s() + 2e-6 >= t_s;
}

// ---- running ----

void tick_when_due(Self self) {
  const auto& state = self->state;
  for (const auto& [id, held] : self->state.leases->all()) {
    if (held.phase == HeldPhase::kPrepared) tick_at(self, held.promised_s + state.options.commit_limit_s);
    if (held.phase != HeldPhase::kRunning) continue;
    if (held.next_save_s > 0) tick_at(self, held.next_save_s);
    if (state.options.step_limit_s > 0 && !held.stop_asked) tick_at(self, held.stepped_s + state.options.step_limit_s);
  }
  for (const auto& [job, since_s] : state.idle_since) tick_at(self, since_s + state.options.warm_s);
  if (state.sample_s > 0) tick_at(self, state.sample_s);
}

double pace_of(Self self, const Lease& lease) {
  const auto& pace = self->state.options.pace;
  if (!pace) return 0;
  double slowest = 0;
  for (const auto& type : lease.gpu_types) {
    const auto speed = pace(*lease.spec, type);
    if (speed > 0 && (slowest == 0 || speed < slowest)) slowest = speed;
  }
  return slowest;
}

double save_interval(Self self, const Lease& lease) {
  if (lease.spec->checkpoint_every_s > 0) return lease.spec->checkpoint_every_s;
  return lease.renews() ? self->state.round_s : 0;
}

void finish_unstarted(Self self, Held& held, LeaseEndReason end, const std::string& detail) {
  held.phase = HeldPhase::kReporting;
  Finished finished;
  finished.end = end;
  finished.detail = detail;
  held.unreported.push_back(std::move(finished));
  lease_ended(self, held.lease, end, false, detail);
  report_next(self, held.lease.id);
}

// Revoked or out of time before it could start.
bool called_off(Self self, Held& held) {
  if (held.stop_asked) {
    finish_unstarted(self, held, LeaseEndReason::kRevoked, "revoked before it started");
    return true;
  }
  if (held.lease.renews() || held.left_s(self->state.now_s()) > 0) return false;
  finish_unstarted(self, held, LeaseEndReason::kDeadline, "its time was over before it started");
  return true;
}

void run(Self self, LeaseId id, const std::filesystem::path& weights) {
  auto& state = self->state;
  auto* held = state.leases->find(id);
  if (!held) return;
  if (called_off(self, *held)) return;
  const auto now = state.now_s();
  LeaseRun run{held->lease, weights, pace_of(self, held->lease), held->lease.first_step};
  if (!held->lease.renews()) run.lease.train_for_s = held->left_s(now);
  held->phase = HeldPhase::kRunning;
  held->stepped_s = now;
  if (const auto every = save_interval(self, held->lease); every > 0) held->next_save_s = now + every;
  state.idle_since.erase(held->lease.fork.job);
  state.executor->start(std::move(run));
  tick_when_due(self);
}

void load(Self self, LeaseId id) {
  auto& state = self->state;
  auto* held = state.leases->find(id);
  if (!held || called_off(self, *held)) return;
  held->phase = HeldPhase::kLoading;
  const auto blob = held->lease.base.weights;
  if (blob.empty()) return run(self, id, {});
  self->request(state.peers.courier, std::chrono::minutes(10), FetchBlob{blob})
      .then(
          [self, id, blob](const Ack&) {
            auto path = self->state.path_of(blob);
            if (path) return run(self, id, *path);
            if (auto* held2 = self->state.leases->find(id))
              finish_unstarted(self, *held2, LeaseEndReason::kFailed, "base weights: " + path.error().message);
          },
          [self, id](const caf::error& error) {
            auto* held2 = self->state.leases->find(id);
            if (!held2) return;
            const auto why = to_error(error);
            const bool passes = why.code == ErrorCode::kUnreachable || why.code == ErrorCode::kTimedOut;
            if (passes) return self->delayed_send(self, caf_delay(kRetry_s), LoadAgain{id});
            finish_unstarted(self, *held2, LeaseEndReason::kFailed, "base weights: " + why.message);
          });
}

// ---- the executor's events ----

void happened(Self self, const executor_event::Progressed& event) {
  auto* held = self->state.leases->find(event.lease);
  if (!held) return;
  if (event.steps != held->sampled_steps) held->stepped_s = self->state.now_s();
  held->sampled_steps = event.steps;
  held->sampled_train_s = event.train_s;
  auto& state = self->state;
  if (state.sample_s > 0) return;
  state.sample_s = state.now_s() + kSampleEvery_s;
  tick_at(self, state.sample_s);
}

void happened(Self, const executor_event::Started&) {}

template <class Event>
Finished finished_from(const Event& event, LeaseEndReason end, const std::string& detail) {
  return Finished{end,           event.steps,   event.samples,       event.weights, {},
                  event.metrics, event.train_s, event.pace_missed_s, detail};
}

void happened(Self self, const executor_event::Saved& event) {
  auto* held = self->state.leases->find(event.lease);
  if (!held) return;
  held->unreported.push_back(finished_from(event, LeaseEndReason::kRunning, ""));
  report_next(self, event.lease);
}

void happened(Self self, const executor_event::Ended& event) {
  auto& state = self->state;
  auto* held = state.leases->find(event.lease);
  if (!held) return;  // discarded: nobody wants its steps
  auto end = event.end;
  auto detail = event.detail;
  if (held->hung) {
    end = LeaseEndReason::kFailed;
    detail = "no step for " + std::to_string(std::lround(state.options.step_limit_s)) + " s (node.step_limit_s)" +
             (detail.empty() ? "" : "; " + detail);
  }
  const bool settled = held->lease.quota_steps == 0;  // nothing to report
  lease_ended(self, held->lease, end, settled, detail);
  if (settled) return state.leases->erase(event.lease);
  if (end == LeaseEndReason::kRevoked && !held->stop_asked) end = LeaseEndReason::kDeadline;
  held->phase = HeldPhase::kReporting;
  held->unreported.push_back(finished_from(event, end, detail));
  report_next(self, event.lease);
}

// ---- commands ----

void say_hello(Self self);

// A command for a later epoch than the one this node knows: the answer to a hello never came, so it asks again.
Status admit(Self self, Term term, Epoch epoch) {
  auto& leases = *self->state.leases;
  auto admitted = leases.admit(term, epoch);
  if (!admitted && epoch > leases.epoch()) say_hello(self);
  return admitted;
}

caf::result<LeasesPrepared> prepare(Self self, const PrepareLeases& request) {
  auto& state = self->state;
  if (auto admitted = admit(self, request.term, request.epoch); !admitted) return to_caf(admitted.error());
  auto answer = state.leases->prepare(request.leases, state.now_s());
  for (auto& item : answer.accepted) {
    const auto& lease = state.leases->find(item.lease)->lease;
    if (lease.gang.world_size > 1 && lease.gang.rank == 0 && state.options.pick_rendezvous)
      item.rendezvous = state.options.pick_rendezvous();
  }
  if (!answer.accepted.empty()) tick_at(self, state.now_s() + state.options.commit_limit_s);
  return answer;
}

caf::result<Ack> commit(Self self, const CommitLeases& request) {
  auto& state = self->state;
  if (auto admitted = admit(self, request.term, request.epoch); !admitted) return to_caf(admitted.error());
  for (const auto& item : request.leases) {
    auto* held = state.leases->find(item.lease);
    if (!held) {  // promised by an earlier process of this node, or given up meanwhile
      const auto& node = state.options.inventory.name;
      tell_ended(self,
                 LeaseEnded{item.lease, node, request.epoch, LeaseEndReason::kLost, true, "not promised by this node"});
      continue;
    }
    if (held->phase != HeldPhase::kPrepared) continue;
    held->lease.gang.rendezvous = item.rendezvous;
    load(self, item.lease);
  }
  return Ack{};
}

void stop(Self self, Held& held, const std::string& why) {
  if (held.phase == HeldPhase::kPrepared) return give_back(self, held.lease.id, why);
  if (std::exchange(held.stop_asked, true) || held.phase != HeldPhase::kRunning) return;
  self->state.executor->stop(held.lease.id, self->state.options.stop_limit_s);
}

caf::result<Ack> revoke(Self self, const RevokeLeases& request) {
  auto& state = self->state;
  if (auto admitted = admit(self, request.term, request.epoch); !admitted) return to_caf(admitted.error());
  for (auto id : request.leases)
    if (auto* held = state.leases->find(id)) stop(self, *held, request.reason);
  return Ack{};
}

caf::result<Ack> extend(Self self, const ExtendLease& request) {
  auto& state = self->state;
  if (auto admitted = admit(self, request.term, request.epoch); !admitted) return to_caf(admitted.error());
  auto* held = state.leases->find(request.lease);
  if (!held || held->phase == HeldPhase::kReporting || held->stop_asked)
    return to_caf(Error{ErrorCode::kStale, "extend: the lease has ended"});
  held->lease.quota_steps = request.quota_steps;
  if (held->phase == HeldPhase::kRunning)
    state.executor->extend(request.lease, request.quota_steps, request.train_for_s);
  return Ack{};
}

// ---- links and time ----

void say_hello(Self self) {
  auto& state = self->state;
  if (!state.linked) return;
  self->request(state.peers.membership, request_limit(self), state.leases->hello(state.options.incarnation))
      .then(
          [self](const NodeWelcome& welcome) {
            auto& s = self->state;
            s.round_s = welcome.round_s;
            s.outage_grace_s = welcome.outage_grace_s;
            for (auto id : s.leases->welcome(welcome)) {
              s.leases->erase(id);
              s.executor->kill(id);
            }
          },
          [self](const caf::error&) { self->delayed_send(self, caf_delay(kRetry_s), SayHello{}); });
}

void link_changed(Self self, bool up) {
  auto& state = self->state;
  if (state.linked == up) return;
  state.linked = up;
  if (up) return say_hello(self);
  state.leases->drop_promises();
  self->delayed_send(self, caf_delay(state.outage_grace_s), OutageOver{++state.outages});
}

void outage_over(Self self, std::uint64_t outage) {
  auto& state = self->state;
  if (state.linked || outage != state.outages) return;
  for (auto& [id, held] : state.leases->all()) stop(self, held, "no scheduler for longer than the outage grace");
}

void give_up_promises(Self self) {
  auto& state = self->state;
  std::vector<LeaseId> late;
  for (const auto& [id, held] : state.leases->all())
    if (held.phase == HeldPhase::kPrepared && due(state, held.promised_s + state.options.commit_limit_s))
      late.push_back(id);
  for (const auto id : late) give_back(self, id, "never committed");
}

void ask_for_saves(Self self) {
  auto& state = self->state;
  const auto now = state.now_s();
  for (auto& [id, held] : state.leases->all()) {
    if (held.phase != HeldPhase::kRunning || held.next_save_s == 0 || !due(state, held.next_save_s)) continue;
    held.next_save_s = now + save_interval(self, held.lease);
    if (held.save_asked || held.stop_asked) continue;
    held.save_asked = true;
    state.executor->save(id);
  }
}

void stop_the_hung(Self self) {
  auto& state = self->state;
  const auto limit = state.options.step_limit_s;
  if (limit <= 0) return;
  for (auto& [id, held] : state.leases->all()) {
    if (held.phase != HeldPhase::kRunning || held.stop_asked || !due(state, held.stepped_s + limit)) continue;
    held.hung = true;
    stop(self, held, "no step");
  }
}

void let_idle_trainers_go(Self self) {
  auto& state = self->state;
  for (auto it = state.idle_since.begin(); it != state.idle_since.end();) {
    if (!due(state, it->second + state.options.warm_s)) {
      ++it;
      continue;
    }
    state.executor->release(it->first);
    it = state.idle_since.erase(it);
  }
}

void tell_progress(Self self) {
  auto& state = self->state;
  if (state.sample_s == 0 || !due(state, state.sample_s)) return;
  state.sample_s = 0;
  auto progress = state.leases->progress();
  if (!progress.samples.empty()) self->send(state.peers.ledger, std::move(progress));
}

void tick(Self self) {
  auto& state = self->state;
  if (state.tick_s && due(state, *state.tick_s)) state.tick_s.reset();
  give_up_promises(self);
  ask_for_saves(self);
  stop_the_hung(self);
  let_idle_trainers_go(self);
  tell_progress(self);
  tick_when_due(self);
}

Wide::behavior_type behavior(Self self, const NodeWorkerOptions& options, const NodeWorkerPeers& peers,
                             std::shared_ptr<Executor> executor,
                             const std::function<Result<std::filesystem::path>(const BlobRef&)>& path_of) {
  auto& state = self->state;
  state.options = options;
  state.peers = peers;
  state.executor = std::move(executor);
  state.path_of = path_of;
  state.leases.emplace(options.inventory);
  state.clock.emplace(self->clock(), 0);
  return {
      [self](const PrepareLeases& m) { return prepare(self, m); },
      [self](const CommitLeases& m) { return commit(self, m); },
      [self](const RevokeLeases& m) { return revoke(self, m); },
      [self](const ExtendLease& m) { return extend(self, m); },
      [self](const QueryLog& m) -> caf::result<LogPart> {
        auto part = self->state.executor->read_log(ForkId{m.job, m.fork}, m.offset, m.max_bytes);
        if (!part) return to_caf(part.error());
        part->node = self->state.options.inventory.name;
        return *std::move(part);
      },
      [self](const SchedulerLink& m) { link_changed(self, m.up); },
      [self](const ExecutorHappened& m) { std::visit([self](const auto& event) { happened(self, event); }, m.event); },
      [self](const SayHello&) { say_hello(self); },
      [self](const Tick&) { tick(self); },
      [self](const OutageOver& m) { outage_over(self, m.outage); },
      [self](const TryReport& m) { report_next(self, m.lease); },
      [self](const LoadAgain& m) { load(self, m.lease); },
      [self](const TellEnded& m) { tell_ended(self, m.message); },
  };
}

}  // namespace
}  // namespace hadar::node_worker

namespace hadar {

LocalNodeWorker spawn_node_worker(caf::actor_system& system, SpawnMode mode, NodeWorkerOptions options,
                                  NodeWorkerPeers peers, std::shared_ptr<Executor> executor,
                                  std::function<Result<std::filesystem::path>(const BlobRef&)> path_of) {
  return spawn_as(system, mode, node_worker::behavior, std::move(options), std::move(peers), std::move(executor),
                  std::move(path_of));
}

}  // namespace hadar
