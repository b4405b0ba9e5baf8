#include "runtime/bridge/bridge.hpp"

#include <utility>

namespace hadar {

Bridge::Bridge(caf::actor_system& system, BridgeObservers observers)
    : system_(system), observers_(std::move(observers)), hub_(std::make_shared<BridgeHub>()) {}

Bridge::~Bridge() {
  detach();
  hub_->close();
}

TransportEvents Bridge::events() {
  TransportEvents sinks;
  sinks.on_up = [this](const PeerInfo& info) {
    dispatch([this, info] {
      hub_->peer_up(info);
      if (observers_.on_peer_up) observers_.on_peer_up(info);
    });
  };
  sinks.on_down = [this](const std::string& name, const Error& why) {
    dispatch([this, name, why] {
      hub_->peer_down(name, why.message);
      if (observers_.on_peer_down) observers_.on_peer_down(name, why);
    });
  };
  sinks.on_packet = [this](const std::string& name, Packet packet) {
    const std::lock_guard lock(events_mutex_);
    if (attached_) return hub_->packet(name, std::move(packet));
    early_.emplace_back([this, name, packet] { hub_->packet(name, packet); });
  };
  sinks.on_refused = [this](const std::string& endpoint, const Error& why) {
    dispatch([this, endpoint, why] {
      if (observers_.on_refused) observers_.on_refused(endpoint, why);
    });
  };
  sinks.on_directory = [this](const PeerInfo& info) {
    dispatch([this, info] {
      hub_->directory(info);
      if (observers_.on_directory) observers_.on_directory(info);
    });
  };
  return sinks;
}

void Bridge::dispatch(std::function<void()> event) {
  const std::lock_guard lock(events_mutex_);
  if (attached_)
    event();
  else
    early_.push_back(std::move(event));
}

void Bridge::attach(Transport& transport) {
  hub_->attach(&transport);
  const std::lock_guard lock(events_mutex_);
  attached_ = true;
  for (const auto& event : std::exchange(early_, {})) event();
}

void Bridge::detach() {
  hub_->attach(nullptr);
}

void Bridge::forget(const std::string& peer) {
  const std::lock_guard lock(proxies_mutex_);
  std::erase_if(proxies_, [&](const auto& entry) {
    return entry.first.by == ProxyTarget::By::kName && entry.first.value == peer;
  });
  hub_->forget(peer);
}

std::optional<PeerInfo> Bridge::peer(const std::string& name) const {
  return hub_->peer(name);
}

std::vector<PeerInfo> Bridge::peers() const {
  return hub_->peers();
}

std::map<std::string, std::uint64_t> Bridge::counters() const {
  BridgeCounters& counted = hub_->counters();
  return {{"bodies_refused", counted.bodies_refused},         {"requests_refused", counted.requests_refused},
          {"requests_served", counted.requests_served},       {"requests_sent", counted.requests_sent},
          {"requests_timed_out", counted.requests_timed_out}, {"oneways_dropped", counted.oneways_dropped},
          {"answers_dropped", counted.answers_dropped}};
}

}  // namespace hadar
