#include "actors/scheduler/node_table.hpp"

#include <utility>

namespace hadar {
namespace {

std::string seconds(double value) {
  auto text = std::to_string(value);
  return text.substr(0, text.find('.') + 2) + " s";
}

}  // namespace

// The state users see follows from the flags.
void NodeTableState::show(Node& node, double now_s) {
  auto state = NodeState::kUp;
  if (!node.linked)
    state = node.lost_at_s > 0 ? NodeState::kUnknown : NodeState::kLost;
  else if (node.drained)
    state = NodeState::kDrained;
  else if (node.drain)
    state = NodeState::kDraining;
  if (node.linked) node.view.reason = node.drain ? node.drain_reason : "";
  node.view.drain_deadline_s = node.drain_deadline_s;
  if (state != node.view.state) node.view.since_s = now_s;
  node.view.state = state;
}

void NodeTableState::restore(const std::vector<NodeView>& nodes, double now_s) {
  for (const auto& view : nodes) {
    Node node;
    node.view = view;
    node.drain = view.state == NodeState::kDraining || view.state == NodeState::kDrained;
    node.drained = view.state == NodeState::kDrained;
    node.drain_reason = node.drain ? view.reason : "";
    node.drain_deadline_s = node.drain && !node.drained ? view.drain_deadline_s : 0;
    if (view.state != NodeState::kLost) {
      node.lost_at_s = now_s + options_.waiting_window_s;
      node.view.reason = "the scheduler restarted and waits for it";
    }
    show(node, now_s);
    nodes_[view.inventory.name] = std::move(node);
  }
}

Result<HelloOutcome> NodeTableState::hello(const NodeHello& hello, double now_s) {
  std::uint32_t gpus = 0;
  for (const auto& group : hello.inventory.gpus) gpus += group.count;
  if (gpus == 0)
    return fail(ErrorCode::kInvalidArgument, "node " + hello.inventory.name + " offers no GPU, must offer at least 1");
  auto& node = nodes_[hello.inventory.name];
  const bool known = node.view.epoch.value > 0;
  const bool lost = known && !node.linked && node.lost_at_s == 0;
  const bool same_process = known && hello.epoch == node.view.epoch && !lost;
  HelloOutcome outcome;
  outcome.changed = !same_process || !(hello.inventory == node.view.inventory);
  if (!same_process) ++node.view.epoch.value;
  node.view.inventory = hello.inventory;
  node.linked = true;
  node.lost_at_s = 0;
  show(node, now_s);
  outcome.epoch = node.view.epoch;
  return outcome;
}

void NodeTableState::link_down(const NodeName& name, const std::string& why, double now_s) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end() || !found->second.linked) return;
  auto& node = found->second;
  node.linked = false;
  node.lost_at_s = now_s + options_.dead_after_s;
  node.view.reason = why;
  show(node, now_s);
}

std::vector<NodeGone> NodeTableState::declare_lost(double now_s) {
  std::vector<NodeGone> gone;
  for (auto& [name, node] : nodes_) {
    if (node.linked || node.lost_at_s == 0 || now_s < node.lost_at_s) continue;
    node.lost_at_s = 0;
    ++node.view.epoch.value;
    node.view.reason = "no heartbeat for " + seconds(now_s - node.view.since_s) + " (limit " +
                       seconds(options_.dead_after_s) + "): " + node.view.reason;
    show(node, now_s);
    gone.push_back(NodeGone{name, node.view.epoch, node.view.reason});
  }
  return gone;
}

std::optional<double> NodeTableState::next_deadline_s() const {
  std::optional<double> next;
  for (const auto& [name, node] : nodes_)
    if (!node.linked && node.lost_at_s > 0 && (!next || node.lost_at_s < *next)) next = node.lost_at_s;
  return next;
}

Result<EventBody> NodeTableState::command(const CommandNode& command, double now_s) {
  const auto found = nodes_.find(command.node);
  if (found == nodes_.end())
    return fail(ErrorCode::kNotFound,
                "node '" + command.node + "': no node of this name is known; it never joined or was forgotten");
  auto& node = found->second;
  switch (command.action) {
    case NodeAction::kDrain:
      node.drain = true;
      node.drained = node.overdue = node.undrain_asked = false;
      node.drain_reason = command.reason;
      node.drain_deadline_s = command.deadline_s > 0 ? now_s + command.deadline_s : 0;
      show(node, now_s);
      return EventBody{event::NodeDraining{command.node, command.reason, command.deadline_s}};
    case NodeAction::kUndrain:
      if (!node.drain) return fail(ErrorCode::kRefused, "node " + command.node + " is not drained");
      node.undrain_asked = true;
      return EventBody{event::NodeUndrained{command.node}};
    case NodeAction::kForget:
      if (node.linked || node.lost_at_s > 0)
        return fail(ErrorCode::kRefused,
                    "node " + command.node + " is " + name_of(node.view.state) + "; only a lost node can be forgotten");
      nodes_.erase(found);
      return EventBody{event::NodeForgotten{command.node}};
  }
  return fail(ErrorCode::kInvalidArgument, "unknown action on a node");
}

void NodeTableState::undrain(const NodeName& name, double now_s) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end() || !std::exchange(found->second.undrain_asked, false)) return;
  auto& node = found->second;
  node.drain = node.drained = false;
  node.drain_deadline_s = 0;
  show(node, now_s);
}

std::vector<EventBody> NodeTableState::finish_drains(const std::vector<NodeView>& with_leases, double now_s) {
  std::vector<EventBody> facts;
  for (const auto& view : with_leases) {
    const auto found = nodes_.find(view.inventory.name);
    if (found == nodes_.end() || !found->second.drain || found->second.drained || !view.leases.empty()) continue;
    found->second.drained = true;
    show(found->second, now_s);
    facts.emplace_back(event::NodeDrained{view.inventory.name, found->second.drain_reason});
  }
  return facts;
}

std::vector<NodeName> NodeTableState::overdue_drains(double now_s) {
  std::vector<NodeName> overdue;
  for (auto& [name, node] : nodes_) {
    if (!node.drain || node.drained || node.drain_deadline_s == 0 || now_s < node.drain_deadline_s) continue;
    if (!std::exchange(node.overdue, true)) overdue.push_back(name);
  }
  return overdue;
}

bool NodeTableState::draining() const {
  for (const auto& [name, node] : nodes_)
    if (node.drain && !node.drained) return true;
  return false;
}

NodeTable NodeTableState::table() const {
  NodeTable table;
  for (const auto& [name, node] : nodes_) table.nodes.push_back(node.view);
  return table;
}

}  // namespace hadar
