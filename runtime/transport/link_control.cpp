#include "runtime/transport/link_control.hpp"

#include <algorithm>
#include <utility>

#include "messages/codec/envelope_codec.hpp"
#include "messages/codec/link_codec.hpp"
#include "runtime/transport/handshake.hpp"

namespace hadar {
namespace {

// The goodbye to a link that never finished its handshake here, or whose handshake we forgot. Unlike a goodbye on
// purpose it means that packets were lost.
constexpr const char* kNoHandshake = "no handshake on this link; say hello first";

std::string seconds(LinkClock::duration span) {
  const auto tenths = std::chrono::duration_cast<std::chrono::milliseconds>(span).count() / 100;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

}  // namespace

LinkControl::LinkControl(const TransportOptions& options, const TransportEvents& events, Outbox& outbox,
                         TransportCounters& counters, LinkWire& wire)
    : options_(options), events_(events), outbox_(outbox), counters_(counters), wire_(wire) {}

template <class Message>
SendOutcome LinkControl::tell(const LinkKey& key, const Message& message) {
  Envelope envelope;
  envelope.kind = Codec<Message>::kind;
  return wire_.send(
      key, Outgoing{Payload(encode_envelope(envelope)), Payload(Codec<Message>::encode(message).body), {}, nullptr});
}

// ---- incoming

void LinkControl::received(const LinkKey& key, Incoming message, LinkTime now) {
  if (!message.well_formed) return refuse_frame(key, false);
  auto envelope = decode_envelope(message.envelope.bytes());
  if (!envelope) return refuse_frame(key, false);
  if (Link* link = table_.find(key)) link->heard = now;
  switch (envelope->kind) {
    case MessageKind::kLinkHello: return on_hello(key, message, now);
    case MessageKind::kLinkWelcome: return on_welcome(key, message, now);
    case MessageKind::kLinkRefused: return on_refused(key, message);
    case MessageKind::kLinkPing: return on_ping(key, message);
    case MessageKind::kLinkPong: return on_pong(key, message, now);
    case MessageKind::kLinkBye: return on_bye(key, message, now);
    default: return on_packet(key, std::move(*envelope), std::move(message), now);
  }
}

void LinkControl::on_hello(const LinkKey& key, const Incoming& message, LinkTime now) {
  const auto hello = Codec<LinkHello>::decode(message.body.bytes());
  if (!hello || key.side != LinkSide::kInbound) return refuse_frame(key, false);
  if (auto why = refuse_hello(options_, *hello)) return turn_down(key, *why);
  if (const Link* link = table_.find(key)) {
    const Peer* peer = table_.find_peer(link->peer);
    // A hello that crossed our welcome.
    if (peer->info.name == hello->self.name && peer->info.incarnation == hello->self.incarnation)
      tell(key, LinkWelcome{options_.protocol_version, options_.self});
    else
      refuse_frame(key, false);
    return;
  }
  admit(key, hello->self, now);
}

void LinkControl::on_welcome(const LinkKey& key, const Incoming& message, LinkTime now) {
  const auto welcome = Codec<LinkWelcome>::decode(message.body.bytes());
  if (!welcome) return refuse_frame(key, false);
  if (const Link* link = table_.find(key)) {
    Peer* peer = table_.find_peer(link->peer);
    if (peer->info.name != welcome->self.name || peer->info.incarnation != welcome->self.incarnation)
      return refuse_frame(key, false);
    const bool changed = peer->info.directory != welcome->self.directory;
    peer->info.directory = welcome->self.directory;
    if (changed && events_.on_directory) events_.on_directory(peer->info);
    return;
  }
  const auto dial = dials_.find(key.id);
  if (key.side != LinkSide::kOutbound || dial == dials_.end() || dial->second.state != DialState::kHello)
    return refuse_frame(key, false);
  // The listening side checked the cluster; the rules about names hold here as well.
  if (auto why = refuse_hello(options_, {options_.cluster_id, welcome->protocol_version, welcome->self}))
    return turn_down(key, *why);
  dial->second.state = DialState::kChecking;
  admit(key, welcome->self, now);
}

void LinkControl::on_refused(const LinkKey& key, const Incoming& message) {
  const auto refused = Codec<LinkRefused>::decode(message.body.bytes());
  const auto dial = dials_.find(key.id);
  if (!refused || key.side != LinkSide::kOutbound || dial == dials_.end() || dial->second.state != DialState::kHello)
    return refuse_frame(key, false);
  ++counters_.refused_by_peer;
  dial_failed(key.id, Error{refused->code, refused->text});
}

void LinkControl::on_ping(const LinkKey& key, const Incoming& message) {
  const auto ping_seen = Codec<LinkPing>::decode(message.body.bytes());
  if (!ping_seen || table_.find(key) == nullptr) return refuse_frame(key, ping_seen.has_value());
  // Should the connection be gone: more from it may wait to be read, and the probe drops it after that.
  tell(key, LinkPong{ping_seen->nonce});
}

void LinkControl::on_pong(const LinkKey& key, const Incoming& message, LinkTime) {
  const auto pong = Codec<LinkPong>::decode(message.body.bytes());
  const Link* link = table_.find(key);
  if (!pong || link == nullptr) return refuse_frame(key, pong.has_value());
  const auto asked = std::find_if(challenges_.begin(), challenges_.end(), [&](const Challenge& challenge) {
    return challenge.nonce == pong->nonce && challenge.info.name == link->peer;
  });
  if (asked == challenges_.end()) return;
  const Challenge failed = std::move(*asked);
  challenges_.erase(asked);
  const Peer* holder = table_.find_peer(link->peer);
  turn_down(failed.newcomer, name_in_use(holder->info, holder->since));
}

void LinkControl::on_bye(const LinkKey& key, const Incoming& message, LinkTime now) {
  const auto bye = Codec<LinkBye>::decode(message.body.bytes());
  if (!bye) return refuse_frame(key, false);
  // Without a link it answers something that we sent before our hello: nothing to do.
  if (table_.find(key) == nullptr) return;
  const bool lost = bye->text == kNoHandshake;
  drop_link(key, {ErrorCode::kUnreachable, lost ? "the other side had dropped the link" : bye->text}, lost, now);
  const auto dial = dials_.find(key.id);
  if (lost && key.side == LinkSide::kOutbound && dial != dials_.end()) say_hello(key.id, dial->second, now);
}

void LinkControl::on_packet(const LinkKey& key, Envelope envelope, Incoming message, LinkTime) {
  const Link* link = table_.find(key);
  if (link == nullptr) return refuse_frame(key, true);
  ++counters_.packets_in;
  if (events_.on_packet)
    events_.on_packet(link->peer, Packet{std::move(envelope), std::move(message.body), std::move(message.payload)});
}

void LinkControl::refuse_frame(const LinkKey& key, bool answer) {
  ++counters_.frames_refused;
  if (answer) tell(key, LinkBye{kNoHandshake});
}

// ---- handshake

void LinkControl::admit(const LinkKey& key, const PeerInfo& info, LinkTime now) {
  const Peer* holder = table_.find_peer(info.name);
  if (holder == nullptr || holder->info.incarnation == info.incarnation) return establish(key, info, now);
  challenge(key, info, now);
}

void LinkControl::challenge(const LinkKey& key, const PeerInfo& info, LinkTime now) {
  for (const Challenge& open : challenges_) {
    if (open.newcomer == key) return;  // the newcomer repeats its hello
    if (open.info.name == info.name)
      return turn_down(key, {ErrorCode::kAlreadyExists,
                             "another new process asks for the name \"" + info.name + "\"; choose another name"});
  }
  const std::uint64_t nonce = next_nonce_++;
  challenges_.push_back({key, info, nonce, now + options_.name_check_limit});
  const std::vector<LinkKey> links = table_.find_peer(info.name)->links;
  for (const LinkKey& link : links) {
    if (table_.find(link) == nullptr) continue;
    if (ping(link, nonce, now) == SendOutcome::kGone)
      drop_link(link, {ErrorCode::kUnreachable, "the connection closed"}, true, now);
  }
}

void LinkControl::establish(const LinkKey& key, const PeerInfo& info, LinkTime now) {
  if (key.side == LinkSide::kInbound &&
      tell(key, LinkWelcome{options_.protocol_version, options_.self}) == SendOutcome::kGone)
    return;
  if (key.side == LinkSide::kOutbound) dials_.at(key.id).state = DialState::kUp;
  const bool is_new = table_.add(key, info, now);
  Peer& peer = *table_.find_peer(info.name);
  if (is_new) return came_up(peer);
  // The same process connected once more: its older connection may be dead.
  if (key.side == LinkSide::kInbound) probe_inbound(now);
}

void LinkControl::turn_down(const LinkKey& key, const Error& why) {
  ++counters_.handshakes_refused;
  if (key.side == LinkSide::kInbound) {
    tell(key, LinkRefused{why.message, why.code});
    return;
  }
  tell(key, LinkBye{why.message});
  dial_failed(key.id, why);
}

void LinkControl::settle_challenges(const std::string& free_name, LinkTime now) {
  const auto open = std::find_if(challenges_.begin(), challenges_.end(),
                                 [&](const Challenge& challenge) { return challenge.info.name == free_name; });
  if (open == challenges_.end()) return;
  const Challenge won = std::move(*open);
  challenges_.erase(open);
  establish(won.newcomer, won.info, now);
}

void LinkControl::expire_challenges(LinkTime now) {
  while (true) {
    const auto due = std::find_if(challenges_.begin(), challenges_.end(),
                                  [&](const Challenge& challenge) { return challenge.deadline <= now; });
    if (due == challenges_.end()) return;
    const PeerInfo info = due->info;
    // Dropping the holder settles the challenge.
    drop_peer(info.name, name_taken_over(info), now);
  }
}

// ---- up and down

void LinkControl::came_up(Peer& peer) {
  peer.gate = outbox_.open(peer.info.name);
  ++counters_.peers_up;
  if (events_.on_up) events_.on_up(peer.info);
}

void LinkControl::went_down(const std::string& name, std::size_t backlog, const Error& why) {
  outbox_.close(name);
  --counters_.peers_up;
  ++counters_.peers_lost;
  counters_.sends_dropped += backlog;
  if (events_.on_down) events_.on_down(name, why);
}

void LinkControl::drop_link(const LinkKey& key, const Error& why, bool lost, LinkTime now) {
  if (key.side == LinkSide::kOutbound)
    if (const auto dial = dials_.find(key.id); dial != dials_.end()) dial->second.state = DialState::kHello;
  const Link* link = table_.find(key);
  if (link == nullptr) return;
  Peer* peer = table_.find_peer(link->peer);
  const std::string name = link->peer;
  if (peer->links.size() == 1) {
    const std::size_t backlog = peer->backlog.size();
    table_.remove(key);
    went_down(name, backlog, why);
    return settle_challenges(name, now);
  }
  table_.remove(key);
  if (!lost) return;
  const std::size_t backlog = peer->backlog.size();
  peer->backlog.clear();
  went_down(name, backlog, why);
  came_up(*peer);
}

void LinkControl::drop_peer(const std::string& name, const Error& why, LinkTime now) {
  Peer* peer = table_.find_peer(name);
  if (peer == nullptr) return settle_challenges(name, now);
  const std::vector<LinkKey> links = peer->links;
  // All but the last go without an event.
  for (const LinkKey& key : links) {
    if (key.side == LinkSide::kOutbound) redial(key.id, now);
    drop_link(key, why, false, now);
  }
}

void LinkControl::redial(const std::string& endpoint, LinkTime now) {
  wire_.reopen(endpoint);
  dials_[endpoint] = {DialState::kHello, false, now, {}};
}

void LinkControl::probe_inbound(LinkTime now) {
  std::vector<LinkKey> inbound;
  for (const auto& [key, link] : table_.links())
    if (key.side == LinkSide::kInbound) inbound.push_back(key);
  for (const LinkKey& key : inbound)
    if (table_.find(key) != nullptr && ping(key, 0, now) == SendOutcome::kGone)
      drop_link(key, {ErrorCode::kUnreachable, "the connection closed"}, true, now);
}

SendOutcome LinkControl::ping(const LinkKey& key, std::uint64_t nonce, LinkTime now) {
  table_.find(key)->pinged = now;
  return tell(key, LinkPing{nonce});
}

void LinkControl::tick(LinkTime now) {
  std::vector<LinkKey> idle;
  for (const auto& [key, link] : table_.links())
    if (now - link.heard >= options_.ping_interval) idle.push_back(key);
  for (const LinkKey& key : idle) {
    const Link* link = table_.find(key);
    if (link == nullptr) continue;
    const auto silence = now - link->heard;
    if (silence >= options_.silence_limit) {
      if (key.side == LinkSide::kOutbound) redial(key.id, now);
      drop_link(key, {ErrorCode::kUnreachable, "no answer for " + seconds(silence)}, true, now);
    } else if (now - link->pinged >= options_.ping_interval && ping(key, 0, now) == SendOutcome::kGone) {
      drop_link(key, {ErrorCode::kUnreachable, "the connection closed"}, true, now);
    }
  }
  expire_challenges(now);
  for (auto& [endpoint, dial] : dials_) {
    if (dial.state != DialState::kHello || !dial.connected) continue;
    if (now - dial.opened >= options_.handshake_limit) {
      redial(endpoint, now);
    } else if (now - dial.last_hello >= options_.hello_interval) {
      say_hello(endpoint, dial, now);
    }
  }
}

void LinkControl::forgive(LinkClock::duration gap) {
  for (auto& [key, link] : table_.links()) link.heard += gap;
  for (Challenge& open : challenges_) open.deadline += gap;
  for (auto& [endpoint, dial] : dials_) dial.opened += gap;
}

// ---- our side of a connection

void LinkControl::say_hello(const std::string& endpoint, Dial& dial, LinkTime now) {
  dial.last_hello = now;
  tell({LinkSide::kOutbound, endpoint}, LinkHello{options_.cluster_id, options_.protocol_version, options_.self});
}

void LinkControl::dial_opened(const std::string& endpoint, LinkTime now) {
  dials_.insert_or_assign(endpoint, Dial{DialState::kHello, false, now, {}});
}

void LinkControl::dial_connected(const std::string& endpoint, LinkTime now) {
  const auto dial = dials_.find(endpoint);
  if (dial == dials_.end() || dial->second.state == DialState::kRefused) return;
  dial->second.connected = true;
  dial->second.opened = now;
  if (dial->second.state == DialState::kHello) say_hello(endpoint, dial->second, now);
}

void LinkControl::dial_lost(const std::string& endpoint, LinkTime now) {
  const auto dial = dials_.find(endpoint);
  if (dial == dials_.end() || dial->second.state == DialState::kRefused) return;
  const LinkKey key{LinkSide::kOutbound, endpoint};
  std::erase_if(challenges_, [&](const Challenge& open) { return open.newcomer == key; });
  // What the old connection had not sent must not reach whoever answers next.
  if (dial->second.connected) redial(endpoint, now);
  drop_link(key, {ErrorCode::kUnreachable, "the connection closed"}, true, now);
}

void LinkControl::dial_closed(const std::string& endpoint, LinkTime now) {
  const LinkKey key{LinkSide::kOutbound, endpoint};
  std::erase_if(challenges_, [&](const Challenge& open) { return open.newcomer == key; });
  if (dials_.erase(endpoint) == 0) return;
  tell(key, LinkBye{"disconnected on purpose"});
  wire_.close(endpoint);
  drop_link(key, {ErrorCode::kUnreachable, "disconnected on purpose"}, false, now);
}

void LinkControl::dial_failed(const std::string& endpoint, const Error& why) {
  dials_[endpoint].state = DialState::kRefused;
  wire_.close(endpoint);
  if (events_.on_refused) events_.on_refused(endpoint, why);
}

// ---- outgoing

void LinkControl::send(const std::string& name, Outgoing packet, LinkTime now) {
  Peer* peer = table_.find_peer(name);
  if (peer == nullptr || peer->gate != packet.gate) {
    ++counters_.sends_dropped;
    return;
  }
  peer->backlog.push_back(std::move(packet));
  if (peer->backlog.size() == 1) push_out(name, now);
}

// Returns whether packets still wait.
bool LinkControl::push_out(const std::string& name, LinkTime now) {
  while (Peer* peer = table_.find_peer(name)) {
    if (peer->backlog.empty()) return false;
    const LinkKey carrier = peer->links.front();
    switch (wire_.send(carrier, peer->backlog.front())) {
      case SendOutcome::kSent:
        ++counters_.packets_out;
        peer->backlog.pop_front();
        break;
      case SendOutcome::kFull: return true;
      case SendOutcome::kGone: drop_link(carrier, {ErrorCode::kUnreachable, "the connection closed"}, true, now); break;
    }
  }
  return false;
}

bool LinkControl::flush(LinkTime now) {
  std::vector<std::string> waiting;
  for (const auto& [name, peer] : table_.peers())
    if (!peer.backlog.empty()) waiting.push_back(name);
  bool left = false;
  for (const std::string& name : waiting) left = push_out(name, now) || left;
  return left;
}

void LinkControl::set_directory(const std::map<std::string, std::string>& directory, LinkTime now) {
  options_.self.directory = directory;
  std::vector<LinkKey> carriers;
  for (const auto& [name, peer] : table_.peers()) carriers.push_back(peer.links.front());
  for (const LinkKey& key : carriers)
    if (table_.find(key) != nullptr &&
        tell(key, LinkWelcome{options_.protocol_version, options_.self}) == SendOutcome::kGone)
      drop_link(key, {ErrorCode::kUnreachable, "the connection closed"}, true, now);
}

void LinkControl::stop() {
  const LinkBye bye{"\"" + options_.self.name + "\" stopped"};
  for (const auto& [key, link] : table_.links())
    if (key.side == LinkSide::kInbound) tell(key, bye);
  // Also where no welcome came yet: it may be on its way.
  for (const auto& [endpoint, dial] : dials_) tell({LinkSide::kOutbound, endpoint}, bye);
}

}  // namespace hadar
