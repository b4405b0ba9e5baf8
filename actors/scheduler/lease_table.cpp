#include "actors/scheduler/lease_table.hpp"

#include <algorithm>
#include <set>

namespace hadar {

void LeaseTable::restore(const std::vector<Lease>& leases) {
  for (const auto& lease : leases) leases_[lease.id] = Entry{lease, LeasePhase::kUnknown};
}

void LeaseTable::set_nodes(const NodeTable& table) {
  nodes_.clear();
  for (const auto& node : table.nodes) nodes_[node.inventory.name] = node;
}

std::vector<std::uint32_t> LeaseTable::idle_on(const NodeView& node) const {
  std::set<std::uint32_t> taken;
  for (const auto& [id, entry] : leases_)
    if (entry.lease.node == node.inventory.name && entry.phase != LeasePhase::kOver)
      taken.insert(entry.lease.gpus.begin(), entry.lease.gpus.end());
  std::uint32_t count = 0;
  for (const auto& group : node.inventory.gpus) count += group.count;
  std::vector<std::uint32_t> idle;
  for (std::uint32_t gpu = 0; gpu < count; ++gpu)
    if (!taken.count(gpu)) idle.push_back(gpu);
  return idle;
}

std::vector<RefusedLease> LeaseTable::begin(const std::vector<Lease>& leases) {
  std::vector<RefusedLease> refused;
  for (const auto& lease : leases) {
    const auto node = nodes_.find(lease.node);
    if (node == nodes_.end() || node->second.state != NodeState::kUp) {
      refused.push_back({lease.id, "node " + lease.node + " is not up"});
      continue;
    }
    const auto idle = idle_on(node->second);
    if (!std::includes(idle.begin(), idle.end(), lease.gpus.begin(), lease.gpus.end())) {
      refused.push_back({lease.id, "a GPU of node " + lease.node + " is not idle"});
      continue;
    }
    leases_[lease.id] = Entry{lease, LeasePhase::kPreparing};
  }
  return refused;
}

void LeaseTable::commit(LeaseId lease) {
  const auto found = leases_.find(lease);
  if (found != leases_.end() && found->second.phase == LeasePhase::kPreparing)
    found->second.phase = LeasePhase::kRunning;
}

bool LeaseTable::over(LeaseId lease) {
  const auto found = leases_.find(lease);
  if (found == leases_.end() || found->second.phase == LeasePhase::kOver) return false;
  found->second.phase = LeasePhase::kOver;
  return true;
}

bool LeaseTable::end(LeaseId lease) {
  return leases_.erase(lease) > 0;
}

bool LeaseTable::revoke(LeaseId lease) {
  const auto found = leases_.find(lease);
  if (found == leases_.end() || found->second.phase == LeasePhase::kOver) return false;
  found->second.phase = LeasePhase::kRevoking;
  return true;
}

bool LeaseTable::revoking(LeaseId lease) const {
  const auto found = leases_.find(lease);
  return found != leases_.end() && found->second.phase == LeasePhase::kRevoking;
}

void LeaseTable::lengthen(LeaseId lease, std::uint64_t quota_steps) {
  const auto found = leases_.find(lease);
  if (found != leases_.end()) found->second.lease.quota_steps = quota_steps;
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
    if (found->second.phase != LeasePhase::kRevoking) found->second.phase = LeasePhase::kRunning;
    found->second.lease.epoch = epoch;
    answer.adopt.push_back(id);
  }
  for (const auto& id : on_node(hello.node))
    if (!held.count(id) && leases_.at(id).phase != LeasePhase::kPreparing) lost.push_back(id);
  return answer;
}

std::vector<LeaseId> LeaseTable::on_node(const NodeName& node) const {
  std::vector<LeaseId> ids;
  for (const auto& [id, entry] : leases_)
    if (entry.lease.node == node) ids.push_back(id);
  return ids;
}

std::vector<LeaseId> LeaseTable::gang_of(LeaseId lease) const {
  std::vector<LeaseId> ids;
  const auto found = leases_.find(lease);
  if (found == leases_.end()) return ids;
  for (const auto& [id, entry] : leases_)
    if (id != lease && entry.lease.fork == found->second.lease.fork) ids.push_back(id);
  return ids;
}

const Lease* LeaseTable::find(LeaseId lease) const {
  const auto found = leases_.find(lease);
  return found == leases_.end() ? nullptr : &found->second.lease;
}

Epoch LeaseTable::epoch_of(const NodeName& node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? Epoch{} : found->second.epoch;
}

CapacityViewed LeaseTable::view() const {
  CapacityViewed viewed;
  std::map<NodeName, std::vector<LeaseId>> by_node;
  for (const auto& [id, entry] : leases_) {
    if (entry.phase == LeasePhase::kOver) continue;
    by_node[entry.lease.node].push_back(id);
    viewed.open.push_back(entry.lease);
  }
  for (const auto& [name, node] : nodes_) {
    auto copy = node;
    copy.leases = by_node[name];
    if (node.state == NodeState::kUp) copy.idle_gpus = idle_on(node);
    viewed.nodes.push_back(std::move(copy));
  }
  return viewed;
}

}  // namespace hadar
