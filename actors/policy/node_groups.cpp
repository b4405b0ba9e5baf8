#include "actors/policy/node_groups.hpp"

#include <algorithm>

namespace hadar {

void NodeGroups::remove(std::uint32_t node) {
  auto& group = groups_[group_of_[node]];
  group.nodes.erase(std::lower_bound(group.nodes.begin(), group.nodes.end(), node));
  if (!group.nodes.empty()) return;
  groups_[occupied_.back()].place = group.place;
  occupied_[group.place] = occupied_.back();
  occupied_.pop_back();
}

// Often that of the node before.
std::uint32_t NodeGroups::number_of(std::uint32_t node, const std::vector<std::uint32_t>& counts) {
  if (node > 0 && node <= group_of_.size() && group_of_[node - 1] != kNone &&
      groups_[group_of_[node - 1]].counts == counts)
    return group_of_[node - 1];
  const auto next = static_cast<std::uint32_t>(groups_.size());
  const auto number = numbers_.try_emplace(counts, next).first->second;
  if (number == next) groups_.push_back({counts, {}, 0});
  return number;
}

void NodeGroups::put(std::uint32_t node, const std::vector<std::uint32_t>& counts) {
  put_into(node, number_of(node, counts));
}

void NodeGroups::put_into(std::uint32_t node, std::uint32_t number) {
  while (node >= group_of_.size()) group_of_.push_back(kNone);
  if (group_of_[node] == number) return;
  if (group_of_[node] != kNone) remove(node);
  group_of_[node] = number;
  auto& group = groups_[number];
  if (group.nodes.empty()) {
    group.place = occupied_.size();
    occupied_.push_back(number);
  }
  const bool last = group.nodes.empty() || group.nodes.back() < node;
  group.nodes.insert(last ? group.nodes.end() : std::upper_bound(group.nodes.begin(), group.nodes.end(), node), node);
}

}  // namespace hadar
