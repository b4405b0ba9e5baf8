// When nodes had a trainer inside its step loop, however many trainers a node ran at once.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "messages/types/ids.hpp"

namespace hadar {

class NodeBusyTime {
 public:
  // A trainer of the node was inside its loop from `from_s` to `to_s`; ends must not fall from call to call.
  void add(const NodeName& node, double from_s, double to_s) {
    auto& busy = intervals_[node];
    // Ends come in order, so that earlier intervals can only grow into this one.
    while (!busy.empty() && busy.back().second >= from_s - kTouching_s) {
      from_s = std::min(from_s, busy.back().first);
      busy.pop_back();
    }
    busy.emplace_back(from_s, to_s);
  }

  // Per node, apart from each other, rising.
  [[nodiscard]] const std::map<NodeName, std::vector<std::pair<double, double>>>& intervals() const {
    return intervals_;
  }

  // Summed over nodes up to a moment, each counted once at any time.
  [[nodiscard]] double until(double t_s) const {
    double sum_s = 0;
    for (const auto& [node, busy] : intervals_)
      for (const auto& [from_s, to_s] : busy) sum_s += std::max(0.0, std::min(to_s, t_s) - from_s);
    return sum_s;
  }

 private:
  static constexpr double kTouching_s = 1e-9;
  std::map<NodeName, std::vector<std::pair<double, double>>> intervals_;
};

}  // namespace hadar
