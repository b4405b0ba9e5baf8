// Messages to and from ZeroMQ sockets, frame by frame. Private to this room.
#pragma once

#include <cstddef>
#include <string>
#include <zmq.hpp>

#include "messages/types/payload.hpp"
#include "runtime/transport/outbox.hpp"

namespace hadar {

// A received message. The frames stay in ZeroMQ's memory, without a copy.
struct Incoming {
  Payload envelope;
  Payload body;
  Payload payload;
  bool well_formed = false;  // two or three frames within their limits
};

struct FrameLimits {
  std::size_t envelope = 0;
  std::size_t body = 0;
  std::size_t payload = 0;
};

enum class SendOutcome { kSent, kFull, kGone };

// Sends one message without waiting; `route` names the peer on a ROUTER and is empty on a DEALER. When kSent, the
// packet's room in its gate is given back, for large frames once the kernel has taken them.
SendOutcome send_message(zmq::socket_t& socket, const std::string& route, const Outgoing& packet);

// Receives one message without waiting; false when there is none. `route` is filled in when `routed`.
bool receive_message(zmq::socket_t& socket, bool routed, const FrameLimits& limits, std::string& route,
                     Incoming& message);

}  // namespace hadar
