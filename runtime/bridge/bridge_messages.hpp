// What the bridge's own actors tell each other. Private to this room.
#pragma once

#include <atomic>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/typed_actor.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/transport/transport.hpp"

namespace hadar {

// One of the requests that a peer may have open at an actor; given back by the destructor.
class RequestSlot {
 public:
  explicit RequestSlot(std::shared_ptr<std::atomic<std::uint32_t>> open) : open_(std::move(open)) { ++*open_; }
  ~RequestSlot() { --*open_; }
  RequestSlot(const RequestSlot&) = delete;
  RequestSlot& operator=(const RequestSlot&) = delete;

 private:
  std::shared_ptr<std::atomic<std::uint32_t>> open_;
};

// A packet for a proxy (an answer) or a stub (a request or one-way message).
struct Inbound {
  std::string peer;
  Packet packet;
  std::shared_ptr<RequestSlot> slot;  // of a request
};

// The peer behind a proxy came up or went down.
struct PeerChange {
  std::string peer;
  bool up = false;
  std::string why;    // of a down
  bool last = false;  // the proxy ends
};

// Time to look for requests that waited too long.
struct SweepRequests {};

using ProxyInbox = caf::typed_actor<caf::reacts_to<Inbound>, caf::reacts_to<PeerChange>>;
using StubInbox = caf::typed_actor<caf::reacts_to<Inbound>, caf::reacts_to<SweepRequests>>;

}  // namespace hadar

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::Inbound)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::PeerChange)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::SweepRequests)
