// The requests that a stub has open, without their types. Private to this room.
#pragma once

#include <caf/actor_clock.hpp>
#include <caf/error.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "runtime/bridge/bridge_hub.hpp"

namespace hadar {

struct ServeOptions {
  // Open requests of one peer; more are answered kOverloaded.
  std::uint32_t max_open_per_peer = 1024;
  // After it the peer gets kTimedOut and its place is free again; the actor's late answer is dropped.
  std::chrono::milliseconds request_limit{30000};
};

// A request on its way through a local actor.
struct OpenRequest {
  std::string peer;
  ActorKey target = ActorKey::kNone;
  std::uint64_t correlation = 0;
  std::shared_ptr<RequestSlot> slot;  // null once answered
};
using OpenRequestPtr = std::shared_ptr<OpenRequest>;

// One thread at a time: it belongs to a stub actor.
class StubRequests {
 public:
  StubRequests(std::shared_ptr<BridgeHub> hub, ServeOptions options);

  OpenRequestPtr open(const Inbound& request, caf::actor_clock::time_point now);
  // Sends the answer, unless there was one already.
  void answer(OpenRequest& request, Packet packet);
  void answer(OpenRequest& request, const caf::error& error);
  // Answers bytes that do not decode, or a message that the actor does not take.
  void refuse(const Inbound& message, Error why);
  // Fails the requests that waited too long.
  void sweep(caf::actor_clock::time_point now);

  [[nodiscard]] std::chrono::milliseconds sweep_interval() const;
  [[nodiscard]] bool idle() const { return open_.empty(); }

  // Whether a sweep is on its way; kept by the stub.
  bool sweeping = false;

 private:
  void drop_answered();

  std::shared_ptr<BridgeHub> hub_;
  ServeOptions options_;
  std::deque<std::pair<caf::actor_clock::time_point, OpenRequestPtr>> open_;  // rising deadlines
};

}  // namespace hadar
