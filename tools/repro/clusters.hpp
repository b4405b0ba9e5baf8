// Clusters and tables that several recipes share.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "messages/types/cluster.hpp"
#include "messages/types/throughput.hpp"

namespace hadar::repro {

struct NodeKind {
  GpuType type;
  std::uint32_t gpus = 1;  // on each node
  std::uint32_t nodes = 1;
};

// Nodes "V100-1", "V100-2", …, kind after kind.
std::vector<NodeInventory> nodes_of(std::initializer_list<NodeKind> kinds);

// Gavel's measured speeds with free placement, as in Gavel's simulator: a gang over several nodes is as fast as on one.
ThroughputTable free_placement_speeds();

}  // namespace hadar::repro
