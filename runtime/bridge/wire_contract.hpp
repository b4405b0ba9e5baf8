// Which parts of an actor's contract can leave the process. Private to this room.
#pragma once

#include <caf/typed_actor.hpp>

// Every codec, so that no file sees a message as local only because it lacks an include.
#include "messages/codec/blob_codec.hpp"
#include "messages/codec/client_codec.hpp"
#include "messages/codec/lease_codec.hpp"
#include "messages/codec/node_codec.hpp"
#include "messages/codec/round_codec.hpp"
#include "messages/codec/tracker_codec.hpp"
#include "messages/types/payload.hpp"
#include "runtime/transport/transport.hpp"

namespace hadar {

// A message that has a codec. Others stay inside their process: proxies and stubs pass them over.
template <class T>
concept WireMessage = requires {
  Codec<T>::kind;
};

template <WireMessage T>
Packet to_packet(const T& message, ActorKey target, EnvelopeFlag flag, std::uint64_t correlation) {
  Encoded encoded = Codec<T>::encode(message);
  Packet packet;
  packet.envelope = {Codec<T>::kind, target, flag, correlation, std::nullopt};
  packet.body = Payload(std::move(encoded.body));
  packet.payload = std::move(encoded.payload);
  return packet;
}

// The answer that is an error.
Packet error_packet(ActorKey target, std::uint64_t correlation, Error error);

}  // namespace hadar
