#include "actors/policy/cluster_index.hpp"

#include <algorithm>

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
  Gang merged;
  for (const auto& part : gang) {
    if (part.count == 0) continue;
    if (!merged.empty() && merged.back().node == part.node && merged.back().type == part.type)
      merged.back().count += part.count;
    else
      merged.push_back(part);
  }
  return merged;
}

Result<ClusterIndex> ClusterIndex::make(const std::vector<NodeCapacity>& nodes) {
  ClusterIndex index;
  for (const auto& node : nodes) {
    if (!index.node_names_.empty() && !(index.node_names_.back() < node.node))
      return fail(ErrorCode::kInvalidArgument,
                  "round input, node \"" + node.node + "\": node names must rise and be unique");
    index.node_names_.push_back(node.node);
    for (const auto& group : node.gpus) index.type_names_.push_back(group.type);
  }
  std::sort(index.type_names_.begin(), index.type_names_.end());
  index.type_names_.erase(std::unique(index.type_names_.begin(), index.type_names_.end()), index.type_names_.end());
  index.installed_.assign(index.type_names_.size(), 0);
  for (const auto& node : nodes) {
    auto& types = index.gpu_types_.emplace_back();
    for (const auto& group : node.gpus) {
      const auto type = index.find_type(group.type);
      types.insert(types.end(), group.count, type);
      index.installed_[type] += group.count;
    }
  }
  return index;
}

std::uint32_t ClusterIndex::find_node(const NodeName& name) const {
  const auto it = std::lower_bound(node_names_.begin(), node_names_.end(), name);
  return it != node_names_.end() && *it == name ? static_cast<std::uint32_t>(it - node_names_.begin()) : kNone;
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
    for (const auto gpu : slice.gpus) {
      if (gpu >= gpu_types_[node].size()) return {};
      gang.push_back({node, gpu_types_[node][gpu], 1});
    }
  }
  return normalized(std::move(gang));
}

}  // namespace hadar
