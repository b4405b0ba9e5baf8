#include "runtime/config/cluster_config.hpp"

#include <set>

#include "runtime/config/names.hpp"
#include "runtime/config/table_reader.hpp"
#include "runtime/config/text.hpp"
#include "runtime/config/toml_tree.hpp"

namespace hadar {
namespace {

constexpr double kMostNodes = 100'000;
constexpr double kMostBandwidth = 1e6;  // GB/s

void read_nodes(const TomlTable& table, TomlPlace place, FirstFault& fault, ClusterConfig& config,
                std::set<NodeName>& names) {
  TableReader reader(table, "nodes.", fault, place);
  NodeInventory node;
  std::uint32_t count = 1;
  reader.read("name", node.name);
  reader.read("count", count, {1, kMostNodes});
  reader.read("gpus", node.gpus, false);
  reader.read("pcie_gb_s", node.pcie_gb_s, {0, kMostBandwidth});
  reader.read("net_gb_s", node.net_gb_s, {0, kMostBandwidth});
  reader.done();
  if (fault.any()) return;
  node.emulated = config.emulated;
  if (!is_plain_name(node.name))
    return reader.fault("name", "got " + quote_toml(node.name) + ", must be " + kPlainNameRule);
  if (node.gpus.empty())
    return reader.fault("gpus",
                        "node " + node.name + " has no gpus, must have some, like [{type = \"V100\", count = 2}]");
  const auto base = node.name;
  for (std::uint32_t i = 1; i <= count; ++i) {
    if (count > 1) node.name = base + "-" + std::to_string(i);
    if (!names.insert(node.name).second)
      return reader.fault("name", "node " + node.name + " is there twice, must be unique");
    config.nodes.push_back(node);
  }
  if (static_cast<double>(config.nodes.size()) > kMostNodes)
    reader.fault("count", "the cluster has over " + number_text(kMostNodes) + " nodes, must have at most that many");
}

}  // namespace

Result<ClusterConfig> parse_cluster(const std::string& text, const std::filesystem::path& file) {
  const auto table = parse_toml(text, file.string());
  if (!table) return tl::unexpected(table.error());
  FirstFault fault(file.string());
  TableReader reader(*table, "", fault);
  ClusterConfig config;
  reader.read("emulated", config.emulated);
  reader.read("throughputs", config.throughputs, file.parent_path());
  reader.read("time_scale", config.time_scale, {1e-6, 1e6});
  const auto* nodes = reader.find("nodes");
  reader.done();
  const auto* list = nodes ? std::get_if<TomlArray>(&nodes->value.data) : nullptr;
  if (!list || list->empty()) {
    const auto what = nodes ? "got " + describe(nodes->value) : "got no nodes";
    reader.fault("nodes", what + ", must be one [[nodes]] table per kind of node");
  }
  std::set<NodeName> names;
  for (std::size_t i = 0; !fault.any() && i < list->size(); ++i) {
    const auto& item = (*list)[i];
    if (const auto* node = std::get_if<TomlTable>(&item.data)) {
      read_nodes(*node, item.place, fault, config, names);
    } else {
      fault.note(item.place, "nodes", "got " + describe(item) + ", must be a [[nodes]] table");
    }
  }
  if (auto status = fault.status(); !status) return tl::unexpected(status.error());
  return config;
}

Result<ClusterConfig> load_cluster(const std::filesystem::path& file) {
  const auto text = read_text(file);
  if (!text) return tl::unexpected(text.error());
  return parse_cluster(*text, file);
}

}  // namespace hadar
