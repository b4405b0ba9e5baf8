// The bridge of a process: its actors are served to other processes, and theirs are used here through proxies.
#pragma once

#include <caf/actor_system.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <typeindex>
#include <vector>

#include "runtime/bridge/proxy.hpp"
#include "runtime/bridge/stub.hpp"
#include "runtime/transport/transport.hpp"

namespace hadar {

// Told after the proxies of that peer, on the transport's thread (or in attach()); must not block. May call the bridge.
struct BridgeObservers {
  std::function<void(const PeerInfo&)> on_peer_up;
  std::function<void(const std::string& name, const Error& why)> on_peer_down;
  std::function<void(const std::string& endpoint, const Error& why)> on_refused;
  std::function<void(const PeerInfo&)> on_directory;
};

// Order of life: actor system, bridge, transport (opened with events()), attach(); and back: the transport first, then
// the bridge, then the actor system. serve() comes before attach(), so that no early request is turned away. All
// methods are thread-safe.
class Bridge {
 public:
  // Neither is owned.
  explicit Bridge(caf::actor_system& system, BridgeObservers observers = {});
  // Detaches and ends all proxies and stubs; open requests are answered kUnreachable.
  ~Bridge();
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;

  // The sinks to open the transport with. What comes before attach() is kept until then. The bridge must outlive it.
  TransportEvents events();
  // From now on packets are sent, and events delivered.
  void attach(Transport& transport);
  // No more packets are sent; returns when none is under way. The destructor calls it.
  void detach();

  // Other processes reach `actor` under `key` from now on. Messages of its contract without a codec stay local. The
  // last actor served under a key is the one.
  template <class Handle>
  void serve(ActorKey key, const Handle& actor, ServeOptions options = {}) {
    hub_->add_stub(key, system_.spawn(bridge_detail::StubOf<Handle>::run, actor, hub_, options),
                   options.max_open_per_peer);
  }

  // The actor `key` in the process of that name, now or later. The same handle for the same question; `options` count
  // for the first one.
  template <class Handle>
  Handle proxy_for(const std::string& peer, ActorKey key, ProxyOptions options = {}) {
    return find_or_spawn<Handle>({ProxyTarget::By::kName, peer}, key, options);
  }

  // The actor `key` in whichever process with this role is up. With several, the one it has stays until that is down.
  template <class Handle>
  Handle proxy_to_role(const std::string& role, ActorKey key, ProxyOptions options = {}) {
    return find_or_spawn<Handle>({ProxyTarget::By::kRole, role}, key, options);
  }

  // Ends the proxies to a name that will not come back; their handles answer with errors.
  void forget(const std::string& peer);

  // A peer that is up, with the directory it last told.
  [[nodiscard]] std::optional<PeerInfo> peer(const std::string& name) const;
  [[nodiscard]] std::vector<PeerInfo> peers() const;

  // "bodies_refused", "requests_refused", "requests_served", "requests_sent", "requests_timed_out", "oneways_dropped",
  // "answers_dropped".
  [[nodiscard]] std::map<std::string, std::uint64_t> counters() const;

 private:
  struct ProxyKey {
    ProxyTarget::By by;
    std::string value;
    ActorKey key;
    std::type_index contract;
    auto operator<=>(const ProxyKey&) const = default;
  };

  template <class Handle>
  Handle find_or_spawn(ProxyTarget target, ActorKey key, ProxyOptions options) {
    const std::lock_guard lock(proxies_mutex_);
    auto& known = proxies_[ProxyKey{target.by, target.value, key, typeid(Handle)}];
    if (!known) {
      known = std::make_shared<Handle>(spawn_proxy<Handle>(system_, hub_, target, key, options));
    }
    return *std::static_pointer_cast<Handle>(known);
  }

  void dispatch(std::function<void()> event);

  caf::actor_system& system_;
  BridgeObservers observers_;
  std::shared_ptr<BridgeHub> hub_;

  std::mutex proxies_mutex_;
  std::map<ProxyKey, std::shared_ptr<void>> proxies_;  // each holds a handle of the key's contract

  std::recursive_mutex events_mutex_;  // held while an event is delivered, so that events keep their order
  std::vector<std::function<void()>> early_;
  bool attached_ = false;
};

}  // namespace hadar
