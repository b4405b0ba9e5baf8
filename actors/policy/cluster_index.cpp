#include "actors/policy/cluster_index.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace hadar {

std::uint32_t size_of(const Gang& gang) {
  std::uint32_t gpus = 0;
  for (const auto& part : gang) gpus += part.count;
  return gpus;
}

std::uint32_t node_count(const Gang& gang) {
  std::uint32_t nodes = 0;
  for (std::size_t i = 0; i < gang.size(); ++i)
    if (i == 0 || gang[i].node != gang[i - 1].node) ++nodes;
  return nodes;
}

Gang normalized(Gang gang) {
  std::sort(gang.begin(), gang.end(),
            [](const Part& a, const Part& b) { return a.node != b.node ? a.node < b.node : a.type < b.type; });
  std::size_t kept = 0;
  for (const auto part : gang) {
    if (part.count == 0) continue;
    if (kept > 0 && gang[kept - 1].node == part.node && gang[kept - 1].type == part.type)
      gang[kept - 1].count += part.count;
    else
      gang[kept++] = part;
  }
  gang.resize(kept);
  return gang;
}

namespace {

// Rising names of the types there are. Neighbours are mostly alike, so few names are looked for.
std::vector<GpuType> type_names_of(const std::vector<NodeCapacity>& nodes) {
  std::vector<GpuType> names;
  const GpuType* last = nullptr;
  for (const auto& node : nodes)
    for (const auto& group : node.gpus) {
      if (last != nullptr && *last == group.type) continue;
      last = &group.type;
      const auto at = std::lower_bound(names.begin(), names.end(), group.type);
      if (at == names.end() || *at != group.type) names.insert(at, group.type);
    }
  return names;
}

}  // namespace

Result<ClusterIndex> ClusterIndex::make(const std::vector<NodeCapacity>& nodes) {
  for (std::size_t n = 1; n < nodes.size(); ++n)
    if (!(nodes[n - 1].node < nodes[n].node))
      return fail(ErrorCode::kInvalidArgument,
                  "round input, node \"" + nodes[n].node + "\": node names must rise and be unique");
  ClusterIndex index;
  index.nodes_ = &nodes;
  index.type_names_ = type_names_of(nodes);
  index.installed_.assign(index.type_names_.size(), 0);
  index.first_gpu_.reserve(nodes.size() + 1);
  index.first_gpu_.push_back(0);
  std::uint32_t type = kNone;
  for (const auto& node : nodes) {
    for (const auto& group : node.gpus) {
      if (type == kNone || index.type_names_[type] != group.type) type = index.find_type(group.type);
      index.gpu_types_.insert(index.gpu_types_.end(), group.count, type);
      index.installed_[type] += group.count;
    }
    index.first_gpu_.push_back(index.gpu_types_.size());
  }
  index.number_names();
  return index;
}

// Plans ask for the node of every GPU that is held.
void ClusterIndex::number_names() {
  slots_.assign(std::bit_ceil(2 * nodes_->size() + 1), kNone);
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    auto slot = std::hash<NodeName>()(node_name(node)) & (slots_.size() - 1);
    while (slots_[slot] != kNone) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = node;
  }
}

std::uint32_t ClusterIndex::find_node(const NodeName& name) const {
  auto slot = std::hash<NodeName>()(name) & (slots_.size() - 1);
  while (slots_[slot] != kNone && node_name(slots_[slot]) != name) slot = (slot + 1) & (slots_.size() - 1);
  return slots_[slot];
}

std::uint32_t ClusterIndex::find_type(const GpuType& name) const {
  const auto it = std::lower_bound(type_names_.begin(), type_names_.end(), name);
  return it != type_names_.end() && *it == name ? static_cast<std::uint32_t>(it - type_names_.begin()) : kNone;
}

Gang ClusterIndex::gang_of(const Allocation& allocation) const {
  Gang gang;
  for (const auto& slice : allocation.slices) {
    const auto node = find_node(slice.node);
    if (node == kNone) return {};
    const auto types = gpu_types(node);
    for (const auto gpu : slice.gpus) {
      if (gpu >= types.size()) return {};
      add_gpu(gang, node, types[gpu]);
    }
  }
  return normalized(std::move(gang));
}

}  // namespace hadar
