// The nodes of a cluster that is declared rather than found: for local clusters and for the simulation.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "messages/types/cluster.hpp"
#include "messages/types/result.hpp"

namespace hadar {

struct ClusterConfig {
  std::vector<NodeInventory> nodes;  // in the file's order; `count = 3` of "n" becomes n-1, n-2, n-3
  bool emulated = false;             // GPUs are declared types played by pacing; copied into every node
  std::filesystem::path
      throughputs;        // table the emulated types follow; empty = none. The file says it relative to itself
  double time_scale = 1;  // table speeds times this are the speeds emulated

  friend bool operator==(const ClusterConfig&, const ClusterConfig&) = default;
};

// Reads a cluster TOML: top-level emulated, throughputs, time_scale; [[nodes]] name, count, gpus = [{type, count}],
// pcie_gb_s, net_gb_s (GB/s, one direction; 0 = unknown). Errors: kNotFound, kIo, kInvalidArgument
// "file:line:column: key: …": no nodes, a name twice, a node without GPUs, a count below 1, an unknown key.
Result<ClusterConfig> load_cluster(const std::filesystem::path& file);

// The same from text; `file` stands for the file in errors and for relative paths.
Result<ClusterConfig> parse_cluster(const std::string& text, const std::filesystem::path& file);

}  // namespace hadar
