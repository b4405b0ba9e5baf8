// Where a process's proxies, stubs and transport meet. Private to this room.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/bridge/bridge_messages.hpp"
#include "runtime/transport/transport.hpp"

namespace hadar {

// Whom a proxy speaks to: one peer by its name, or whichever peer with a role is up.
struct ProxyTarget {
  enum class By { kName, kRole } by = By::kName;
  std::string value;
};

struct BridgeCounters {
  std::atomic<std::uint64_t> bodies_refused{0};    // requests and answers whose bytes break their format
  std::atomic<std::uint64_t> requests_refused{0};  // for an actor that is not here, or over the bound
  std::atomic<std::uint64_t> requests_served{0};
  std::atomic<std::uint64_t> requests_sent{0};
  std::atomic<std::uint64_t> requests_timed_out{0};  // at proxies and stubs
  std::atomic<std::uint64_t> oneways_dropped{0};     // their peer was down or its queue full
  std::atomic<std::uint64_t> answers_dropped{0};     // late, for nobody, or to a peer that is down
};

// Thread-safe.
class BridgeHub {
 public:
  // Passes packets on from now on. Detaching waits for sends that are under way.
  void attach(Transport* transport);
  // Errors: kUnreachable (also without a transport), kOverloaded, kInvalidArgument (too large).
  Status send(const std::string& peer, Packet packet);

  // Events of the transport, in their order.
  void peer_up(const PeerInfo& info);
  void peer_down(const std::string& name, const std::string& why);
  void packet(const std::string& peer, Packet packet);
  void directory(const PeerInfo& info);

  // A number for a proxy, to be used in its correlations.
  std::uint32_t new_proxy_number();
  // From now on the proxy hears of its peer, first of all at once if that is up.
  void add_proxy(std::uint32_t number, ProxyTarget target, ProxyInbox proxy);
  // Requests for `key` go to `stub`; at most `max_open` of one peer at a time. A second one replaces the first.
  void add_stub(ActorKey key, StubInbox stub, std::uint32_t max_open);
  // Ends the proxies to this name; their callers get kUnreachable.
  void forget(const std::string& peer);
  // Ends all proxies and stubs.
  void close();

  [[nodiscard]] std::optional<PeerInfo> peer(const std::string& name) const;
  [[nodiscard]] std::vector<PeerInfo> peers() const;
  [[nodiscard]] BridgeCounters& counters() { return counters_; }

  // A proxy's correlations carry its number above this many bits.
  static constexpr unsigned kSequenceBits = 40;

 private:
  struct Proxy {
    ProxyTarget target;
    ProxyInbox inbox;
    std::string bound;  // the peer it was last told is up; empty: none
  };
  struct Stub {
    StubInbox inbox;
    std::uint32_t max_open = 0;
    std::unordered_map<std::string, std::shared_ptr<std::atomic<std::uint32_t>>> open;  // by peer
  };

  void bind(Proxy& proxy);
  void deliver_answer(const std::string& peer, Packet packet);
  void deliver_request(const std::string& peer, Packet packet);
  void refuse_request(const std::string& peer, const Envelope& request, Error why);
  static void end(const Proxy& proxy, const std::string& why);

  mutable std::mutex mutex_;
  std::mutex transport_mutex_;  // taken after mutex_, never before it
  Transport* transport_ = nullptr;
  std::map<std::string, PeerInfo> peers_;
  std::unordered_map<std::uint32_t, Proxy> proxies_;
  std::map<ActorKey, Stub> stubs_;
  std::uint32_t last_number_ = 0;
  BridgeCounters counters_;
};

}  // namespace hadar
