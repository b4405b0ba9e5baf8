#include "actors/scheduler/membership_actor.hpp"

#include <caf/all.hpp>

#include "actors/cluster_clock.hpp"
#include "actors/outbox.hpp"
#include "runtime/bridge/caf_compat.hpp"

namespace hadar::membership {
namespace {

struct WriteFacts {};
struct LookForLost {};
struct LookAtDrains {};

constexpr double kDrainLook_s = 0.2;

}  // namespace
}  // namespace hadar::membership

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::membership::WriteFacts)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::membership::LookForLost)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::membership::LookAtDrains)

namespace hadar::membership {
namespace {

struct State {
  static inline const char* name = "membership";

  MembershipOptions options;
  std::optional<NodeTableState> table;
  std::optional<ClusterClock> clock;  // set when the term is opened
  LeaseKeeperActor lease_keeper;
  JobLedgerActor ledger;
  Term term;
  Outbox<RecordNode> facts;
  std::uint64_t last_fact = 0;
  bool watching_drains = false;
};

using Wide = MembershipActor::extend<Takes<WriteFacts>, Takes<LookForLost>, Takes<LookAtDrains>>;
using Self = Wide::stateful_pointer<State>;

caf::duration request_limit(Self self) {
  return caf_limit(self->state.options.request_limit_s);
}

void write_next_fact(Self self) {
  self->state.facts.flush(self, self->state.ledger, request_limit(self), WriteFacts{});
}

void write_fact(Self self, EventBody fact, std::function<void()> written = {}) {
  auto& state = self->state;
  state.facts.push(RecordNode{std::move(fact), state.term, ++state.last_fact}, std::move(written));
  write_next_fact(self);
}

void publish(Self self) {
  self->send(self->state.lease_keeper, self->state.table->table());
}

void watch_deadline(Self self) {
  auto& state = self->state;
  if (const auto next = state.table->next_deadline_s())
    self->delayed_send(self, caf_delay(*next - state.clock->now_s() + 0.001), LookForLost{});
}

void look_for_lost(Self self) {
  auto& state = self->state;
  const auto gone = state.table->declare_lost(state.clock->now_s());
  if (gone.empty()) return;
  publish(self);
  for (const auto& node : gone) {
    self->send(state.lease_keeper, node);
    write_fact(self, event::NodeLost{node.node, node.epoch, node.reason});
  }
  watch_deadline(self);
}

// ---- hellos ----

caf::result<NodeWelcome> take_hello(Self self, const NodeHello& hello) {
  auto& state = self->state;
  if (!state.clock) return to_caf(Error{ErrorCode::kUnreachable, "the scheduler is starting; ask again"});
  auto outcome = state.table->hello(hello, state.clock->now_s());
  if (!outcome) return to_caf(outcome.error());
  publish(self);
  if (outcome->changed) write_fact(self, event::NodeUp{hello.inventory, outcome->epoch});
  auto promise = self->make_response_promise<NodeWelcome>();
  ReconcileNode reconcile{hello.inventory.name, hello.incarnation, outcome->epoch, hello.held};
  self->request(state.lease_keeper, request_limit(self), std::move(reconcile))
      .then(
          [self, promise, epoch = outcome->epoch](const NodeReconciled& answer) mutable {
            const auto& options = self->state.options;
            promise.deliver(NodeWelcome{self->state.term, epoch, options.round_s, options.outage_grace_s, answer.adopt,
                                        answer.discard});
          },
          [promise](caf::error& error) mutable { promise.deliver(std::move(error)); });
  return promise;
}

// ---- drains ----

void release_overdue(Self self, const std::vector<NodeView>& nodes) {
  auto& state = self->state;
  const auto overdue = state.table->overdue_drains(state.clock->now_s());
  for (const auto& node : nodes)
    for (const auto& name : overdue)
      if (node.inventory.name == name) caf::anon_send(state.lease_keeper, ReleaseLeases{node.leases, "drain deadline"});
}

void look_at_drains(Self self) {
  auto& state = self->state;
  if (!state.table->draining()) {
    state.watching_drains = false;
    return;
  }
  self->request(state.lease_keeper, request_limit(self), ViewCapacity{})
      .then(
          [self](const CapacityPtr& viewed) {
            auto& s = self->state;
            release_overdue(self, viewed->nodes);
            auto facts = s.table->finish_drains(viewed->nodes, s.clock->now_s());
            if (!facts.empty()) publish(self);
            for (auto& fact : facts) write_fact(self, std::move(fact));
            self->delayed_send(self, caf_delay(kDrainLook_s), LookAtDrains{});
          },
          [self](const caf::error&) { self->delayed_send(self, caf_delay(kDrainLook_s), LookAtDrains{}); });
}

void watch_drains(Self self) {
  if (std::exchange(self->state.watching_drains, true)) return;
  self->send(self, LookAtDrains{});
}

// Answers once it is written down: an operator who was told so can rely on it.
caf::result<Ack> command(Self self, const CommandNode& request) {
  auto& state = self->state;
  if (!state.clock) return to_caf(Error{ErrorCode::kUnreachable, "the scheduler is starting; ask again"});
  auto fact = state.table->command(request, state.clock->now_s());
  if (!fact) return to_caf(fact.error());
  publish(self);
  if (const auto* forgotten = std::get_if<event::NodeForgotten>(&*fact))
    self->send(state.lease_keeper, NodeGone{forgotten->node, Epoch{}, "forgotten"});
  auto promise = self->make_response_promise<Ack>();
  write_fact(self, *std::move(fact), [self, promise, node = request.node]() mutable {
    self->state.table->undrain(node, self->state.clock->now_s());
    publish(self);
    promise.deliver(Ack{});
  });
  watch_drains(self);
  return promise;
}

Wide::behavior_type behavior(Self self, const MembershipOptions& options, LeaseKeeperActor lease_keeper,
                             JobLedgerActor ledger) {
  self->state.options = options;
  self->state.table.emplace(options.table);
  self->state.lease_keeper = std::move(lease_keeper);
  self->state.ledger = std::move(ledger);
  return {
      [self](const NodeHello& m) { return take_hello(self, m); },
      [self](const CommandNode& m) { return command(self, m); },
      [self](const NodeUnlinked& m) {
        auto& state = self->state;
        if (!state.clock) return;
        state.table->link_down(m.node, m.why, state.clock->now_s());
        publish(self);
        watch_deadline(self);
      },
      [self](const TermOpened& m) {
        auto& state = self->state;
        state.clock.emplace(self->clock(), m.now_s);
        state.term = m.term;
        state.table->restore(m.nodes, m.now_s);
        publish(self);
        watch_deadline(self);
        if (state.table->draining()) watch_drains(self);
      },
      [self](const WriteFacts&) { write_next_fact(self); },
      [self](const LookForLost&) { look_for_lost(self); },
      [self](const LookAtDrains&) { look_at_drains(self); },
  };
}

}  // namespace
}  // namespace hadar::membership

namespace hadar {

MembershipActor spawn_membership(caf::actor_system& system, SpawnMode mode, MembershipOptions options,
                                 LeaseKeeperActor lease_keeper, JobLedgerActor ledger) {
  return spawn_as(system, mode, membership::behavior, options, std::move(lease_keeper), std::move(ledger));
}

}  // namespace hadar
