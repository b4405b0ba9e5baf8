#include "actors/scheduler/lease_table.hpp"

#include <algorithm>

#include "messages/types/lease_sharing.hpp"

namespace hadar {

// ---- what all changes go through ----

void LeaseTable::enter(const Lease& lease, LeaseId gang, LeasePhase phase) {
  if (const auto found = leases_.find(lease.id); found != leases_.end()) erase(found);
  nodes_[lease.node].leases.insert(lease.id);
  gangs_[gang].insert(lease.id);
  leases_[lease.id] = Entry{std::make_shared<const Lease>(lease), gang, phase};
  changed_nodes_.insert(lease.node);
  changed_open_.emplace(lease.fork, lease.id);
}

void LeaseTable::erase(Leases::iterator entry) {
  const auto& lease = *entry->second.lease;
  changed_nodes_.insert(lease.node);
  nodes_.at(lease.node).leases.erase(lease.id);
  const auto gang = gangs_.find(entry->second.gang);
  gang->second.erase(lease.id);
  if (gang->second.empty()) gangs_.erase(gang);
  changed_open_.emplace(lease.fork, lease.id);
  leases_.erase(entry);
}

void LeaseTable::set_phase(Leases::iterator entry, LeasePhase phase) {
  const bool frees = (entry->second.phase == LeasePhase::kOver) != (phase == LeasePhase::kOver);
  entry->second.phase = phase;
  if (!frees) return;
  changed_nodes_.insert(entry->second.lease->node);
  changed_open_.emplace(entry->second.lease->fork, entry->first);
}

template <class Change>
void LeaseTable::change(Entry& entry, Change how) {
  auto changed = *entry.lease;
  how(changed);
  entry.lease = std::make_shared<const Lease>(std::move(changed));
  changed_open_.emplace(entry.lease->fork, entry.lease->id);
}

// ---- changes ----

void LeaseTable::restore(const std::vector<Lease>& leases) {
  std::map<ForkId, LeaseId> gangs;
  for (const auto& lease : leases)
    enter(lease, gangs.try_emplace(lease.fork, lease.id).first->second, LeasePhase::kUnknown);
}

void LeaseTable::set_nodes(const NodeTable& table) {
  std::set<NodeName> named;
  for (const auto& view : table.nodes) {
    const auto& name = view.inventory.name;
    named.insert(name);
    auto& node = nodes_[name];
    if (node.known && node.view == view) continue;
    nodes_changed_ = nodes_changed_ || !node.known;
    node.known = true;
    node.view = view;
    changed_nodes_.insert(name);
  }
  for (auto& [name, node] : nodes_) {
    if (!node.known || named.count(name)) continue;
    node.known = false;
    nodes_changed_ = true;
  }
}

// Its GPUs are idle, or all under one lease that it shares them with.
bool LeaseTable::grantable(const Node& node, const Lease& lease) const {
  const auto idle = idle_on(node);
  if (std::includes(idle.begin(), idle.end(), lease.gpus.begin(), lease.gpus.end())) return true;
  std::size_t partners = 0;
  for (const auto id : node.leases) {
    const auto& other = leases_.at(id);
    if (other.phase == LeasePhase::kOver || !overlap(other.lease->gpus, lease.gpus)) continue;
    if (!may_share(*other.lease, lease)) return false;
    ++partners;
  }
  return partners == 1;
}

std::vector<RefusedLease> LeaseTable::begin(const std::vector<Lease>& leases) {
  std::vector<RefusedLease> refused;
  std::map<ForkId, LeaseId> gangs;
  for (const auto& lease : leases) {
    const auto gang = gangs.try_emplace(lease.fork, lease.id).first->second;
    const auto node = nodes_.find(lease.node);
    if (node == nodes_.end() || !node->second.known || node->second.view.state != NodeState::kUp) {
      refused.push_back({lease.id, "node " + lease.node + " is not up"});
      continue;
    }
    if (!grantable(node->second, lease)) {
      refused.push_back({lease.id, "a GPU of node " + lease.node + " is not idle"});
      continue;
    }
    enter(lease, gang, LeasePhase::kPreparing);
  }
  return refused;
}

void LeaseTable::commit(LeaseId lease) {
  const auto found = leases_.find(lease);
  if (found != leases_.end() && found->second.phase == LeasePhase::kPreparing) set_phase(found, LeasePhase::kRunning);
}

bool LeaseTable::over(LeaseId lease) {
  const auto found = leases_.find(lease);
  if (found == leases_.end() || found->second.phase == LeasePhase::kOver) return false;
  set_phase(found, LeasePhase::kOver);
  return true;
}

bool LeaseTable::end(LeaseId lease) {
  const auto found = leases_.find(lease);
  if (found == leases_.end()) return false;
  erase(found);
  return true;
}

bool LeaseTable::revoke(LeaseId lease) {
  const auto found = leases_.find(lease);
  if (found == leases_.end() || found->second.phase == LeasePhase::kOver) return false;
  set_phase(found, LeasePhase::kRevoking);
  return true;
}

void LeaseTable::lengthen(LeaseId lease, std::uint64_t quota_steps) {
  const auto found = leases_.find(lease);
  if (found != leases_.end()) change(found->second, [&](Lease& changed) { changed.quota_steps = quota_steps; });
}

NodeReconciled LeaseTable::reconcile(const ReconcileNode& hello, Epoch epoch, std::vector<LeaseId>& lost) {
  NodeReconciled answer;
  std::set<LeaseId> held;
  for (const auto& item : hello.held) {
    const auto id = item.lease.id;
    held.insert(id);
    if (item.over) {
      over(id);
      continue;
    }
    const auto found = leases_.find(id);
    if (found == leases_.end()) {
      answer.discard.push_back(id);
      continue;
    }
    if (found->second.phase != LeasePhase::kRevoking) set_phase(found, LeasePhase::kRunning);
    change(found->second, [&](Lease& changed) { changed.epoch = epoch; });
    answer.adopt.push_back(id);
  }
  for (const auto& id : on_node(hello.node))
    if (!held.count(id) && leases_.at(id).phase != LeasePhase::kPreparing) lost.push_back(id);
  return answer;
}

// ---- questions ----

bool LeaseTable::revoking(LeaseId lease) const {
  const auto found = leases_.find(lease);
  return found != leases_.end() && found->second.phase == LeasePhase::kRevoking;
}

std::vector<LeaseId> LeaseTable::on_node(const NodeName& node) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return {};
  return {found->second.leases.begin(), found->second.leases.end()};
}

std::vector<LeaseId> LeaseTable::gang_of(LeaseId lease) const {
  std::vector<LeaseId> ids;
  const auto found = leases_.find(lease);
  if (found == leases_.end()) return ids;
  for (const auto id : gangs_.at(found->second.gang))
    if (id != lease) ids.push_back(id);
  return ids;
}

const Lease* LeaseTable::find(LeaseId lease) const {
  const auto found = leases_.find(lease);
  return found == leases_.end() ? nullptr : found->second.lease.get();
}

Epoch LeaseTable::epoch_of(const NodeName& node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() || !found->second.known ? Epoch{} : found->second.view.epoch;
}

std::vector<std::uint32_t> LeaseTable::idle_on(const Node& node) const {
  std::uint32_t count = 0;
  for (const auto& group : node.view.inventory.gpus) count += group.count;
  std::vector<bool> taken(count, false);
  for (const auto id : node.leases) {
    const auto& entry = leases_.at(id);
    if (entry.phase == LeasePhase::kOver) continue;
    for (const auto gpu : entry.lease->gpus)
      if (gpu < count) taken[gpu] = true;
  }
  std::vector<std::uint32_t> idle;
  for (std::uint32_t gpu = 0; gpu < count; ++gpu)
    if (!taken[gpu]) idle.push_back(gpu);
  return idle;
}

// ---- the view ----

NodeView LeaseTable::shown(const Node& node) const {
  auto view = node.view;
  view.leases.clear();
  view.idle_gpus.clear();
  for (const auto id : node.leases)
    if (leases_.at(id).phase != LeasePhase::kOver) view.leases.push_back(id);
  if (view.state == NodeState::kUp) view.idle_gpus = idle_on(node);
  return view;
}

void LeaseTable::refresh_nodes() {
  auto& shown_nodes = view_->nodes;
  if (nodes_changed_) {
    shown_nodes.clear();
    for (const auto& [name, node] : nodes_)
      if (node.known) shown_nodes.push_back(shown(node));
  } else {
    for (const auto& name : changed_nodes_) {
      const auto at = std::lower_bound(shown_nodes.begin(), shown_nodes.end(), name,
                                       [](const NodeView& view, const NodeName& n) { return view.inventory.name < n; });
      if (at != shown_nodes.end() && at->inventory.name == name) *at = shown(nodes_.at(name));
    }
  }
  nodes_changed_ = false;
  changed_nodes_.clear();
}

void LeaseTable::refresh_open() {
  using Key = std::pair<ForkId, LeaseId>;
  auto& open = view_->open;
  for (const auto& key : std::exchange(changed_open_, {})) {
    const auto found = leases_.find(key.second);
    const bool is_open = found != leases_.end() && found->second.phase != LeasePhase::kOver;
    const auto at = std::lower_bound(open.begin(), open.end(), key, [](const auto& lease, const Key& wanted) {
      return Key{lease->fork, lease->id} < wanted;
    });
    const bool there = at != open.end() && (*at)->fork == key.first && (*at)->id == key.second;
    if (is_open && there)
      *at = found->second.lease;
    else if (is_open)
      open.insert(at, found->second.lease);
    else if (there)
      open.erase(at);
  }
}

CapacityPtr LeaseTable::view() {
  if (!view_)
    view_ = std::make_shared<CapacityViewed>();
  else if (view_.use_count() > 1)
    view_ = std::make_shared<CapacityViewed>(*view_);
  refresh_nodes();
  refresh_open();
  return view_;
}

}  // namespace hadar
