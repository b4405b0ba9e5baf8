#include "actors/policy/free_nodes.hpp"

#include <algorithm>

namespace hadar {

std::uint32_t free_on(const PlanBuilder& plan, std::uint32_t node, const std::vector<std::uint32_t>& types) {
  std::uint32_t gpus = 0;
  for (const auto type : types) gpus += plan.free(node, type);
  return gpus;
}

std::uint32_t take_on(const PlanBuilder& plan, std::uint32_t node, const std::vector<std::uint32_t>& types,
                      std::uint32_t most, Gang& gang) {
  std::uint32_t taken = 0;
  for (const auto type : types) {
    const auto count = std::min(most - taken, plan.free(node, type));
    if (count > 0) gang.push_back({node, type, count});
    taken += count;
    if (taken == most) break;
  }
  return taken;
}

std::uint32_t take_by_free(const PlanBuilder& plan, const std::vector<std::uint32_t>& types, std::uint32_t most,
                           Gang& gang) {
  using Nodes = std::vector<std::uint32_t>;
  struct Like {
    std::uint32_t free;
    Nodes::const_iterator next;
    Nodes::const_iterator end;
  };
  std::vector<Like> likes;
  for (const auto number : plan.groups().occupied()) {
    const auto& nodes = plan.groups().group(number).nodes;
    if (const auto free = free_on(plan, *nodes.begin(), types); free > 0)
      likes.push_back({free, nodes.begin(), nodes.end()});
  }
  std::uint32_t taken = 0;
  while (taken < most && !likes.empty()) {
    const auto first = std::min_element(likes.begin(), likes.end(), [](const Like& a, const Like& b) {
      return a.free != b.free ? a.free > b.free : *a.next < *b.next;
    });
    taken += take_on(plan, *first->next, types, most - taken, gang);
    if (++first->next == first->end) likes.erase(first);
  }
  return taken;
}

}  // namespace hadar
