#include "tools/repro/clusters.hpp"

#include "tools/traces/measured_speeds.hpp"

namespace hadar::repro {

std::vector<NodeInventory> nodes_of(std::initializer_list<NodeKind> kinds) {
  std::vector<NodeInventory> all;
  for (const auto& kind : kinds)
    for (std::uint32_t i = 1; i <= kind.nodes; ++i) {
      NodeInventory node;
      node.name = kind.type + "-" + std::to_string(i);
      node.gpus = {{kind.type, kind.gpus}};
      all.push_back(std::move(node));
    }
  return all;
}

ThroughputTable free_placement_speeds() {
  ThroughputTable table;
  for (auto row : traces::gavel_throughput_file().rows) {
    if (row.placement == Placement::kSpread) continue;
    table.push_back(row);
    row.placement = Placement::kSpread;
    table.push_back(row);
  }
  return table;
}

}  // namespace hadar::repro
