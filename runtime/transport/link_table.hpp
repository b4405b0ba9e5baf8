// Which links there are and which peer each belongs to. Plain bookkeeping; private to this room.
#pragma once

#include <chrono>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "messages/types/link.hpp"
#include "runtime/transport/outbox.hpp"

namespace hadar {

using LinkClock = std::chrono::steady_clock;
using LinkTime = LinkClock::time_point;

enum class LinkSide : std::uint8_t {
  kInbound,  // the other side connected; named by its routing id
  kOutbound  // we connected; named by the endpoint
};

struct LinkKey {
  LinkSide side = LinkSide::kInbound;
  std::string id;

  friend bool operator==(const LinkKey&, const LinkKey&) = default;
};

struct LinkKeyHash {
  std::size_t operator()(const LinkKey& key) const noexcept {
    return std::hash<std::string>{}(key.id) ^ static_cast<std::size_t>(key.side);
  }
};

// A link with a finished handshake.
struct Link {
  std::string peer;
  LinkTime heard;   // last message from the other side
  LinkTime pinged;  // last ping to it
};

// A process with at least one link. All packets to it go over the first link, so that their order holds.
struct Peer {
  PeerInfo info;
  std::chrono::system_clock::time_point since;  // only for texts
  std::vector<LinkKey> links;
  GatePtr gate;
  std::deque<Outgoing> backlog;  // what the link would not take yet
};

class LinkTable {
 public:
  // The link, or null.
  Link* find(const LinkKey& key);
  // The peer, or null.
  Peer* find_peer(const std::string& name);

  // Adds a link; creates its peer when it is the first. A link replaces an older one of the same side as the carrier:
  // the other side connected anew. Returns whether the peer is new.
  bool add(const LinkKey& key, const PeerInfo& info, LinkTime now);
  // Removes a link and returns its peer's name; the peer goes with its last link.
  std::string remove(const LinkKey& key);

  [[nodiscard]] std::unordered_map<LinkKey, Link, LinkKeyHash>& links() { return links_; }
  [[nodiscard]] std::unordered_map<std::string, Peer>& peers() { return peers_; }

 private:
  std::unordered_map<LinkKey, Link, LinkKeyHash> links_;
  std::unordered_map<std::string, Peer> peers_;
};

}  // namespace hadar
