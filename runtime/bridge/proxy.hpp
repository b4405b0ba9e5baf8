// The local stand-in of an actor in another process: takes every message of the actor's contract, sends it over the
// link, and answers what comes back.
//
// Mailbox: bounded by its callers, who wait for answers; open requests are bounded by ProxyOptions::max_pending. When
// the peer goes down, open requests are answered kUnreachable, and later ones at once until it is up again.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>
#include <memory>
#include <string>
#include <utility>

#include "runtime/bridge/caf_compat.hpp"
#include "runtime/bridge/proxy_requests.hpp"
#include "runtime/bridge/wire_contract.hpp"

namespace hadar::bridge_detail {

struct ProxyState {
  std::unique_ptr<ProxyRequests> requests;
  ActorKey key = ActorKey::kNone;
  static inline const char* name = "proxy";
};

template <class R>
void finish_request(caf::response_promise& promise, const Packet& answer, BridgeCounters& counters) {
  if (answer.envelope.kind != Codec<R>::kind) {
    ++counters.bodies_refused;
    return promise.deliver(to_caf({ErrorCode::kCorrupt, "the answer is of another kind than was asked for"}));
  }
  auto value = Codec<R>::decode(answer.body.bytes(), answer.payload);
  if (value) return promise.deliver(std::move(*value));
  ++counters.bodies_refused;
  promise.deliver(to_caf(value.error()));
}

template <class Self>
void sweep_later(Self self) {
  ProxyRequests& requests = *self->state.requests;
  if (requests.sweeping || requests.idle()) return;
  requests.sweeping = true;
  self->delayed_send(self, requests.sweep_interval(), SweepRequests{});
}

// One handler per signature of the contract.
template <class Self, class Signature>
struct ForwardSignature;

template <class Self, class A>
struct ForwardSignature<Self, caf::typed_mpi<caf::detail::type_list<A>, caf::output_tuple<void>>> {
  static auto make(Self self) {
    return [self](const A& message) {
      if constexpr (WireMessage<A>)
        self->state.requests->tell(to_packet(message, self->state.key, EnvelopeFlag::kOneway, 0));
    };
  }
};

template <class Self, class A, class R>
struct ForwardSignature<Self, caf::typed_mpi<caf::detail::type_list<A>, caf::output_tuple<R>>> {
  static auto make(Self self) {
    return [self](const A& message) -> caf::result<R> {
      auto promise = self->template make_response_promise<R>();
      caf::response_promise& untyped = promise;
      ProxyRequests& requests = *self->state.requests;
      if constexpr (WireMessage<A> && WireMessage<R>) {
        const std::uint64_t correlation = requests.next_correlation();
        requests.ask(to_packet(message, self->state.key, EnvelopeFlag::kRequest, correlation), untyped,
                     &finish_request<R>, self->clock().now());
        sweep_later(self);
      } else {
        (void)message;
        ProxyRequests::refuse_local(untyped);
      }
      return promise;
    };
  }
};

template <class Handle>
struct ProxyOf;

template <class... Signatures>
struct ProxyOf<caf::typed_actor<Signatures...>> {
  using Wide = caf::typed_actor<Signatures..., caf::reacts_to<Inbound>, caf::reacts_to<PeerChange>,
                                caf::reacts_to<SweepRequests>>;
  using Self = typename Wide::template stateful_pointer<ProxyState>;

  static typename Wide::behavior_type run(Self self, std::shared_ptr<BridgeHub> hub, std::uint32_t number, ActorKey key,
                                          ProxyOptions options, std::string target) {
    self->state.requests = std::make_unique<ProxyRequests>(std::move(hub), number, options, std::move(target));
    self->state.key = key;
    return {ForwardSignature<Self, Signatures>::make(self)...,
            [self](const Inbound& answer) { self->state.requests->on_answer(answer); },
            [self](const PeerChange& change) {
              self->state.requests->on_change(change);
              if (change.last) self->quit();
            },
            [self](const SweepRequests&) {
              self->state.requests->sweeping = false;
              self->state.requests->sweep(self->clock().now());
              sweep_later(self);
            }};
  }
};

}  // namespace hadar::bridge_detail

namespace hadar {

// Spawns the proxy of the actor `key` at `target` and lets it follow that peer from now on. The handle is used like
// that of a local actor, except that it must not be monitored, linked or delegated to. Thread-safe.
template <class Handle>
Handle spawn_proxy(caf::actor_system& system, const std::shared_ptr<BridgeHub>& hub, const ProxyTarget& target,
                   ActorKey key, ProxyOptions options) {
  const std::uint32_t number = hub->new_proxy_number();
  const bool by_name = target.by == ProxyTarget::By::kName;
  auto proxy = system.spawn(bridge_detail::ProxyOf<Handle>::run, hub, number, key, options,
                            (by_name ? "\"" : "the ") + target.value + (by_name ? "\"" : ""));
  hub->add_proxy(number, target, proxy);
  return proxy;
}

}  // namespace hadar
