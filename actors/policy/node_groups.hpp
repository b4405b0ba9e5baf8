// Nodes of a plan grouped by what is free on them, so that a search looks at each kind of node once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace hadar {

// Nodes are in one group exactly while all their counts are equal. Groups are numbered as they first come up and keep
// their number. Single thread.
class NodeGroups {
 public:
  struct Group {
    std::vector<std::uint32_t> counts;
    std::vector<std::uint32_t> nodes;  // rising
    std::size_t place = 0;             // in `occupied`, while it has nodes
  };

  // Puts a node into the group with these counts; costs O(log groups) and moving the numbers
  // of its old and new neighbours.
  void put(std::uint32_t node, const std::vector<std::uint32_t>& counts);

  // Puts a node into the group of another one.
  void put_beside(std::uint32_t node, std::uint32_t other) { put_into(node, of(other)); }

  // Numbers of the groups that have nodes, in no order that may be relied on.
  [[nodiscard]] const std::vector<std::uint32_t>& occupied() const { return occupied_; }
  [[nodiscard]] const Group& group(std::uint32_t number) const { return groups_[number]; }
  // The number of a node's group; the node must have been put.
  [[nodiscard]] std::uint32_t of(std::uint32_t node) const { return group_of_[node]; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::uint32_t number_of(std::uint32_t node, const std::vector<std::uint32_t>& counts);
  void put_into(std::uint32_t node, std::uint32_t number);
  void remove(std::uint32_t node);

  std::map<std::vector<std::uint32_t>, std::uint32_t> numbers_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> occupied_;
  std::vector<std::uint32_t> group_of_;
};

}  // namespace hadar
