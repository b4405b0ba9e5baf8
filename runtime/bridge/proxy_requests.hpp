// The requests that a proxy has open, without their types. Private to this room.
#pragma once

#include <caf/actor_clock.hpp>
#include <caf/response_promise.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "runtime/bridge/bridge_hub.hpp"

namespace hadar {

struct ProxyOptions {
  // After it the caller gets kTimedOut. On the actor system's clock, so virtual in a simulation.
  std::chrono::milliseconds request_limit{5000};
  // Open requests; more are answered kOverloaded.
  std::size_t max_pending = 4096;
};

using CafTime = caf::actor_clock::time_point;

// One thread at a time: it belongs to a proxy actor.
class ProxyRequests {
 public:
  // Delivers a decoded answer to the caller.
  using Finish = void (*)(caf::response_promise&, const Packet&, BridgeCounters&);

  ProxyRequests(std::shared_ptr<BridgeHub> hub, std::uint32_t number, ProxyOptions options, std::string target);

  // The correlation of the next request.
  std::uint64_t next_correlation();
  // Sends a request, or answers it with an error at once.
  void ask(Packet request, caf::response_promise promise, Finish finish, CafTime now);
  // Sends a one-way message, or drops and counts it.
  void tell(Packet message);
  // Answers a request whose message cannot leave this process.
  static void refuse_local(caf::response_promise promise);

  void on_answer(const Inbound& answer);
  void on_change(const PeerChange& change);
  // Fails the requests that waited too long. Returns whether others are still open.
  bool sweep(CafTime now);

  // How often sweep() is due while requests are open.
  [[nodiscard]] std::chrono::milliseconds sweep_interval() const;
  [[nodiscard]] bool idle() const { return pending_.empty(); }

  // Whether a sweep is on its way; kept by the proxy.
  bool sweeping = false;

 private:
  struct Pending {
    caf::response_promise promise;
    Finish finish = nullptr;
  };

  void fail_all(const Error& error);
  [[nodiscard]] Error not_up() const;

  std::shared_ptr<BridgeHub> hub_;
  std::uint64_t base_;
  ProxyOptions options_;
  std::string target_;  // for texts
  std::string peer_;    // empty: none is up
  std::string why_down_ = "not seen yet";
  std::uint64_t sequence_ = 0;
  std::unordered_map<std::uint64_t, Pending> pending_;
  std::deque<std::pair<CafTime, std::uint64_t>> deadlines_;  // rising: the limit is the same for all
};

}  // namespace hadar
