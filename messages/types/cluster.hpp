// Nodes, their GPUs and their states.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "messages/types/ids.hpp"

namespace hadar {

struct GpuGroup {
  GpuType type;
  std::uint32_t count = 0;

  friend bool operator==(const GpuGroup&, const GpuGroup&) = default;
};

// What a node offers. GPUs are numbered 0, 1, … through the groups in their order.
struct NodeInventory {
  NodeName name;
  std::vector<GpuGroup> gpus;
  double pcie_gb_s = 0;  // host to GPU, one direction; 0 = unknown
  double net_gb_s = 0;   // to other nodes; 0 = unknown
  bool emulated = false;

  friend bool operator==(const NodeInventory&, const NodeInventory&) = default;
};

// The type of every GPU of a node, by index.
inline std::vector<GpuType> gpu_types_by_index(const std::vector<GpuGroup>& groups) {
  std::vector<GpuType> types;
  for (const auto& group : groups) types.insert(types.end(), group.count, group.type);
  return types;
}

enum class NodeState : std::uint8_t {
  kUp = 1,
  kUnknown = 2,   // its link is down but its dead time has not passed: its GPUs are not idle
  kLost = 3,      // dead time passed; its leases are closed
  kDraining = 4,  // gets nothing new, still holds leases
  kDrained = 5,   // gets nothing new, holds nothing
};

constexpr const char* name_of(NodeState state) {
  switch (state) {
    case NodeState::kUp: return "UP";
    case NodeState::kUnknown: return "UNKNOWN";
    case NodeState::kLost: return "LOST";
    case NodeState::kDraining: return "DRAINING";
    case NodeState::kDrained: return "DRAINED";
  }
  return "?";
}

// A node as users and planners see it.
struct NodeView {
  NodeInventory inventory;
  NodeState state = NodeState::kUnknown;
  std::string reason;                    // why it is not plainly up; may be empty
  std::vector<std::uint32_t> idle_gpus;  // indices; empty unless kUp
  std::vector<LeaseId> leases;           // open leases on it
  Epoch epoch;
  double since_s = 0;           // cluster time of the last change of state
  double drain_deadline_s = 0;  // cluster time at which a draining node's leases are taken back; 0 = never

  friend bool operator==(const NodeView&, const NodeView&) = default;
};

}  // namespace hadar
