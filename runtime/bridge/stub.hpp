// Serves a local actor to other processes: decodes their messages, hands them to the actor, sends its answers back.
//
// Mailbox: requests are bounded per peer before they reach it (ServeOptions::max_open_per_peer); one-way messages are
// passed on as they come. When a peer goes down, its open requests run on and their answers are dropped.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <memory>
#include <utility>

#include "runtime/bridge/stub_requests.hpp"
#include "runtime/bridge/wire_contract.hpp"

namespace hadar::bridge_detail {

struct StubState {
  std::unique_ptr<StubRequests> requests;
  static inline const char* name = "stub";
};

using StubSelf = StubInbox::stateful_pointer<StubState>;

// Refuses bytes that do not decode.
template <class A>
std::optional<A> decode_or_refuse(StubSelf self, const Inbound& in) {
  auto value = Codec<A>::decode(in.packet.body.bytes(), in.packet.payload);
  if (value) return std::move(*value);
  self->state.requests->refuse(in, std::move(value.error()));
  return std::nullopt;
}

// Serves one signature; false when the message is not its.
template <class Signature>
struct ServeSignature;

template <class A>
struct ServeSignature<caf::typed_mpi<caf::detail::type_list<A>, caf::output_tuple<void>>> {
  template <class Handle>
  static bool serve(StubSelf self, const Handle& actor, const Inbound& in) {
    if constexpr (WireMessage<A>) {
      if (in.packet.envelope.kind != Codec<A>::kind) return false;
      if (in.packet.envelope.flag == EnvelopeFlag::kRequest) {
        self->state.requests->refuse(in, {ErrorCode::kInvalidArgument, "this message is one-way; it has no answer"});
        return true;
      }
      if (auto value = decode_or_refuse<A>(self, in)) self->send(actor, std::move(*value));
      return true;
    }
    return false;
  }
};

template <class A, class R>
struct ServeSignature<caf::typed_mpi<caf::detail::type_list<A>, caf::output_tuple<R>>> {
  template <class Handle>
  static bool serve(StubSelf self, const Handle& actor, const Inbound& in) {
    if constexpr (WireMessage<A> && WireMessage<R>) {
      if (in.packet.envelope.kind != Codec<A>::kind) return false;
      auto value = decode_or_refuse<A>(self, in);
      if (!value) return true;
      if (in.packet.envelope.flag == EnvelopeFlag::kRequest)
        ask(self, actor, in, std::move(*value));
      else
        caf::anon_send(actor, std::move(*value));  // nobody waits for the answer
      return true;
    }
    return false;
  }

  template <class Handle>
  static void ask(StubSelf self, const Handle& actor, const Inbound& in, A value) {
    auto open = self->state.requests->open(in, self->clock().now());
    // No time limit of CAF's: it would keep a timer for each answered request. The sweep is the limit.
    self->request(actor, caf::infinite, std::move(value))
        .then(
            [self, open](const R& answer) {
              self->state.requests->answer(*open,
                                           to_packet(answer, open->target, EnvelopeFlag::kReply, open->correlation));
            },
            [self, open](const caf::error& error) { self->state.requests->answer(*open, error); });
  }
};

inline void sweep_stub_later(StubSelf self) {
  StubRequests& requests = *self->state.requests;
  if (requests.sweeping || requests.idle()) return;
  requests.sweeping = true;
  self->delayed_send(self, requests.sweep_interval(), SweepRequests{});
}

template <class Handle>
struct StubOf;

template <class... Signatures>
struct StubOf<caf::typed_actor<Signatures...>> {
  static StubInbox::behavior_type run(StubSelf self, caf::typed_actor<Signatures...> actor,
                                      std::shared_ptr<BridgeHub> hub, ServeOptions options) {
    self->state.requests = std::make_unique<StubRequests>(std::move(hub), options);
    return {[self, actor](const Inbound& in) {
              const bool taken = (ServeSignature<Signatures>::serve(self, actor, in) || ...);
              if (!taken)
                self->state.requests->refuse(
                    in, {ErrorCode::kInvalidArgument,
                         "the actor takes no message of kind " +
                             std::to_string(static_cast<unsigned>(in.packet.envelope.kind)) + " from other processes"});
              sweep_stub_later(self);
            },
            [self](const SweepRequests&) {
              self->state.requests->sweeping = false;
              self->state.requests->sweep(self->clock().now());
              sweep_stub_later(self);
            }};
  }
};

}  // namespace hadar::bridge_detail
