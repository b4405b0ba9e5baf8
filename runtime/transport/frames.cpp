#include "runtime/transport/frames.hpp"

#include <cerrno>
#include <memory>
#include <utility>

namespace hadar {
namespace {

// Below this a copy is cheaper than an owner of its own.
constexpr std::size_t kCopyBelow = 4096;

// Keeps a frame alive, and its bytes counted, until ZeroMQ lets go of it.
struct FrameHold {
  Payload bytes;
  GatePtr gate;
  ~FrameHold() {
    if (gate) gate->bytes -= bytes.size();
  }
};

void let_go(void*, void* hold) {
  delete static_cast<FrameHold*>(hold);
}

int try_send(zmq::socket_t& socket, zmq::message_t& frame, int flags) {
  int rc = 0;
  do {
    rc = zmq_msg_send(frame.handle(), socket.handle(), flags | ZMQ_DONTWAIT);
  } while (rc < 0 && errno == EINTR);
  return rc < 0 ? errno : 0;
}

// The first frame decides: once ZeroMQ took it, it takes the rest.
int send_bytes(zmq::socket_t& socket, const Payload& bytes, const GatePtr& gate, int flags) {
  if (bytes.size() < kCopyBelow) {
    zmq::message_t frame(bytes.bytes().data(), bytes.size());
    const int error = try_send(socket, frame, flags);
    if (error == 0 && gate) gate->bytes -= bytes.size();
    return error;
  }
  auto* hold = new FrameHold{bytes, gate};
  // The frame is only read; ZeroMQ's interface has no const.
  zmq::message_t frame(const_cast<std::byte*>(bytes.bytes().data()), bytes.size(), let_go, hold);
  return try_send(socket, frame, flags);
}

SendOutcome outcome_of(int error) {
  if (error == 0) return SendOutcome::kSent;
  return error == EAGAIN ? SendOutcome::kFull : SendOutcome::kGone;
}

bool try_receive(zmq::socket_t& socket, zmq::message_t& frame) {
  int rc = 0;
  do {
    rc = zmq_msg_recv(frame.handle(), socket.handle(), ZMQ_DONTWAIT);
  } while (rc < 0 && errno == EINTR);
  return rc >= 0;
}

Payload adopt(zmq::message_t&& frame) {
  auto owner = std::make_shared<zmq::message_t>(std::move(frame));
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(owner->data()), owner->size());
  return Payload(std::move(owner), bytes);
}

}  // namespace

SendOutcome send_message(zmq::socket_t& socket, const std::string& route, const Outgoing& packet) {
  if (!route.empty()) {
    zmq::message_t frame(route.data(), route.size());
    const int error = try_send(socket, frame, ZMQ_SNDMORE);
    if (error != 0) return outcome_of(error);
  }
  const bool has_payload = !packet.payload.empty();
  int error = 0;
  {
    // The envelope is bounded and small: always copied.
    zmq::message_t frame(packet.envelope.bytes().data(), packet.envelope.size());
    error = try_send(socket, frame, ZMQ_SNDMORE);
  }
  if (error != 0) return outcome_of(error);
  if (packet.gate) {
    packet.gate->packets -= 1;
    packet.gate->bytes -= packet.envelope.size();
  }
  error = send_bytes(socket, packet.body, packet.gate, has_payload ? ZMQ_SNDMORE : 0);
  if (error == 0 && has_payload) error = send_bytes(socket, packet.payload, packet.gate, 0);
  return error == 0 ? SendOutcome::kSent : SendOutcome::kGone;
}

bool receive_message(zmq::socket_t& socket, bool routed, const FrameLimits& limits, std::string& route,
                     Incoming& message) {
  message = {};
  zmq::message_t frame;
  if (!try_receive(socket, frame)) return false;
  if (routed) {
    route.assign(static_cast<const char*>(frame.data()), frame.size());
    if (!frame.more()) return true;
    if (!try_receive(socket, frame)) return true;
  }
  const std::size_t limit[] = {limits.envelope, limits.body, limits.payload};
  Payload* const part[] = {&message.envelope, &message.body, &message.payload};
  std::size_t parts = 0;
  bool fits = true;
  // All frames of a message arrive together, so none of these receives has to wait.
  for (bool more = true; more; ++parts) {
    if (parts > 0 && !try_receive(socket, frame)) break;
    more = frame.more();
    fits = fits && parts < 3 && frame.size() <= limit[parts];
    if (fits) *part[parts] = adopt(std::move(frame));
    frame = zmq::message_t();
  }
  message.well_formed = fits && parts >= 2;
  return true;
}

}  // namespace hadar
