#include "runtime/transport/link_table.hpp"

#include "messages/types/check.hpp"

namespace hadar {

Link* LinkTable::find(const LinkKey& key) {
  const auto found = links_.find(key);
  return found == links_.end() ? nullptr : &found->second;
}

Peer* LinkTable::find_peer(const std::string& name) {
  const auto found = peers_.find(name);
  return found == peers_.end() ? nullptr : &found->second;
}

bool LinkTable::add(const LinkKey& key, const PeerInfo& info, LinkTime now) {
  const bool added = links_.emplace(key, Link{info.name, now, now}).second;
  HADAR_REQUIRE(added);
  const auto [place, is_new] = peers_.try_emplace(info.name);
  Peer& peer = place->second;
  if (is_new) peer.since = std::chrono::system_clock::now();
  peer.info = info;
  const bool takes_over = !peer.links.empty() && peer.links.front().side == key.side;
  peer.links.insert(takes_over ? peer.links.begin() : peer.links.end(), key);
  return is_new;
}

std::string LinkTable::remove(const LinkKey& key) {
  const auto found = links_.find(key);
  HADAR_REQUIRE(found != links_.end());
  std::string name = std::move(found->second.peer);
  links_.erase(found);
  Peer& peer = peers_.at(name);
  std::erase(peer.links, key);
  if (peer.links.empty()) peers_.erase(name);
  return name;
}

}  // namespace hadar
