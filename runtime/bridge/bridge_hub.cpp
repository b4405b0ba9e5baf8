#include "runtime/bridge/bridge_hub.hpp"

#include <algorithm>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>
#include <utility>

#include "runtime/bridge/wire_contract.hpp"

namespace hadar {
namespace {

constexpr std::size_t kLongestErrorText = 4096;

bool matches(const ProxyTarget& target, const PeerInfo& info) {
  if (target.by == ProxyTarget::By::kName) return info.name == target.value;
  return std::find(info.roles.begin(), info.roles.end(), target.value) != info.roles.end();
}

}  // namespace

Packet error_packet(ActorKey target, std::uint64_t correlation, Error error) {
  if (error.message.size() > kLongestErrorText) error.message.resize(kLongestErrorText);
  Packet packet;
  packet.envelope = {MessageKind::kNone, target, EnvelopeFlag::kError, correlation, std::move(error)};
  return packet;
}

void BridgeHub::attach(Transport* transport) {
  const std::lock_guard lock(transport_mutex_);
  transport_ = transport;
}

Status BridgeHub::send(const std::string& peer, Packet packet) {
  const std::lock_guard lock(transport_mutex_);
  if (transport_ == nullptr) return fail(ErrorCode::kUnreachable, "send: this process has no transport (any more)");
  return transport_->send(peer, std::move(packet));
}

void BridgeHub::bind(Proxy& proxy) {
  const auto found = std::find_if(peers_.begin(), peers_.end(),
                                  [&](const auto& entry) { return matches(proxy.target, entry.second); });
  if (found == peers_.end()) return;
  proxy.bound = found->first;
  caf::anon_send(proxy.inbox, PeerChange{proxy.bound, true, {}, false});
}

void BridgeHub::peer_up(const PeerInfo& info) {
  const std::lock_guard lock(mutex_);
  peers_[info.name] = info;
  for (auto& [number, proxy] : proxies_)
    if (proxy.bound.empty() && matches(proxy.target, info)) bind(proxy);
}

void BridgeHub::peer_down(const std::string& name, const std::string& why) {
  const std::lock_guard lock(mutex_);
  peers_.erase(name);
  for (auto& [key, stub] : stubs_) stub.open.erase(name);
  for (auto& [number, proxy] : proxies_) {
    if (proxy.bound != name) continue;
    caf::anon_send(proxy.inbox, PeerChange{name, false, why, false});
    proxy.bound.clear();
    bind(proxy);
  }
}

void BridgeHub::directory(const PeerInfo& info) {
  const std::lock_guard lock(mutex_);
  const auto found = peers_.find(info.name);
  if (found != peers_.end()) found->second.directory = info.directory;
}

void BridgeHub::packet(const std::string& peer, Packet packet) {
  const EnvelopeFlag flag = packet.envelope.flag;
  if (flag == EnvelopeFlag::kReply || flag == EnvelopeFlag::kError)
    deliver_answer(peer, std::move(packet));
  else
    deliver_request(peer, std::move(packet));
}

void BridgeHub::deliver_answer(const std::string& peer, Packet packet) {
  const auto number = static_cast<std::uint32_t>(packet.envelope.correlation >> kSequenceBits);
  const std::lock_guard lock(mutex_);
  const auto found = proxies_.find(number);
  if (found == proxies_.end() || found->second.bound != peer) {
    ++counters_.answers_dropped;
    return;
  }
  caf::anon_send(found->second.inbox, Inbound{peer, std::move(packet), nullptr});
}

void BridgeHub::deliver_request(const std::string& peer, Packet packet) {
  const Envelope envelope = packet.envelope;
  const bool asks = envelope.flag == EnvelopeFlag::kRequest;
  std::optional<Error> why;
  {
    const std::lock_guard lock(mutex_);
    const auto found = stubs_.find(envelope.target);
    if (found == stubs_.end()) {
      why = Error{ErrorCode::kNotFound,
                  "this process has no actor of key " + std::to_string(static_cast<unsigned>(envelope.target))};
    } else {
      Stub& stub = found->second;
      auto& open = stub.open[peer];
      if (!open) open = std::make_shared<std::atomic<std::uint32_t>>(0);
      if (!asks || *open < stub.max_open) {
        auto slot = asks ? std::make_shared<RequestSlot>(open) : nullptr;
        caf::anon_send(stub.inbox, Inbound{peer, std::move(packet), std::move(slot)});
        return;
      }
      why = Error{ErrorCode::kOverloaded,
                  std::to_string(stub.max_open) + " requests of \"" + peer + "\" are open here; try again later"};
    }
  }
  refuse_request(peer, envelope, std::move(*why));
}

void BridgeHub::refuse_request(const std::string& peer, const Envelope& request, Error why) {
  ++counters_.requests_refused;
  if (request.flag != EnvelopeFlag::kRequest) return;
  if (!send(peer, error_packet(request.target, request.correlation, std::move(why)))) ++counters_.answers_dropped;
}

std::uint32_t BridgeHub::new_proxy_number() {
  const std::lock_guard lock(mutex_);
  return ++last_number_;
}

void BridgeHub::add_proxy(std::uint32_t number, ProxyTarget target, ProxyInbox proxy) {
  const std::lock_guard lock(mutex_);
  Proxy& added = proxies_.insert_or_assign(number, Proxy{std::move(target), std::move(proxy), {}}).first->second;
  bind(added);
}

void BridgeHub::add_stub(ActorKey key, StubInbox stub, std::uint32_t max_open) {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = stubs_.try_emplace(key);
  if (!is_new) caf::anon_send_exit(place->second.inbox, caf::exit_reason::user_shutdown);
  place->second = Stub{std::move(stub), max_open, {}};
}

// The proxy first answers those who wait, then ends.
void BridgeHub::end(const Proxy& proxy, const std::string& why) {
  caf::anon_send(proxy.inbox, PeerChange{proxy.bound, false, why, true});
}

void BridgeHub::forget(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  std::erase_if(proxies_, [&](const auto& entry) {
    const ProxyTarget& target = entry.second.target;
    const bool gone = target.by == ProxyTarget::By::kName && target.value == peer;
    if (gone) end(entry.second, "\"" + peer + "\" was forgotten");
    return gone;
  });
}

void BridgeHub::close() {
  const std::lock_guard lock(mutex_);
  for (const auto& [number, proxy] : proxies_) end(proxy, "this process stops");
  for (const auto& [key, stub] : stubs_) caf::anon_send_exit(stub.inbox, caf::exit_reason::user_shutdown);
  proxies_.clear();
  stubs_.clear();
}

std::optional<PeerInfo> BridgeHub::peer(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = peers_.find(name);
  if (found == peers_.end()) return std::nullopt;
  return found->second;
}

std::vector<PeerInfo> BridgeHub::peers() const {
  const std::lock_guard lock(mutex_);
  std::vector<PeerInfo> all;
  for (const auto& [name, info] : peers_) all.push_back(info);
  return all;
}

}  // namespace hadar
