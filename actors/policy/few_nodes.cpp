#include "actors/policy/few_nodes.hpp"

#include <algorithm>
#include <cmath>

namespace hadar {
namespace {

struct Node {
  std::uint32_t number;
  std::vector<double> cost;  // of its cheapest 0, 1, … GPUs
};

Node costs_of(const Valuation& value, std::uint32_t number, const std::vector<std::uint32_t>& types,
              std::uint32_t most) {
  Node node{number, {0}};
  for (const auto& unit : value.prices().cheapest_on(number, types, most))
    node.cost.push_back(node.cost.back() + unit.price);
  return node;
}

}  // namespace

std::vector<Gang> cheapest_on_few(const PlanBuilder& plan, const Valuation& value, std::size_t j,
                                  const std::vector<std::uint32_t>& types, NetworkFilter filter) {
  const auto gpus = plan.job(j).gpus;
  std::vector<Node> nodes;
  for (std::uint32_t n = 0; n < plan.cluster().nodes(); ++n) {
    const double net = plan.input().nodes[n].net_gb_s;
    if (net > 0 ? net < filter.least_gb_s : !filter.unknown) continue;
    if (auto node = costs_of(value, n, types, gpus); node.cost.size() > 1) nodes.push_back(std::move(node));
  }
  // least[i][k][w]: of w GPUs on at most k of the first i nodes; taken[…]: how many of them on node i - 1
  const std::size_t width = gpus + 1;
  const std::size_t plane = (nodes.size() + 1) * width;
  std::vector<double> least((nodes.size() + 1) * plane, HUGE_VAL);
  std::vector<std::uint32_t> taken(least.size(), 0);
  for (std::size_t k = 0; k <= nodes.size(); ++k) least[k * width] = 0;
  for (std::size_t i = 1; i <= nodes.size(); ++i)
    for (std::size_t k = 0; k <= nodes.size(); ++k)
      for (std::uint32_t w = 0; w <= gpus; ++w) {
        auto& best = least[i * plane + k * width + w];
        best = least[(i - 1) * plane + k * width + w];
        const auto& cost = nodes[i - 1].cost;
        for (std::uint32_t take = 1; k > 0 && take <= w && take < cost.size(); ++take) {
          const double sum = least[(i - 1) * plane + (k - 1) * width + w - take] + cost[take];
          if (!(sum < best)) continue;
          best = sum;
          taken[i * plane + k * width + w] = take;
        }
      }
  std::vector<Gang> gangs;
  for (std::size_t most = 2; most <= nodes.size(); ++most) {
    if (least[nodes.size() * plane + most * width + gpus] == HUGE_VAL) continue;
    Gang gang;
    auto k = most;
    auto w = gpus;
    for (auto i = nodes.size(); i > 0; --i) {
      const auto take = taken[i * plane + k * width + w];
      if (take == 0) continue;
      add_units(nodes[i - 1].number, value.prices().cheapest_on(nodes[i - 1].number, types, take), gang);
      w -= take;
      --k;
    }
    gangs.push_back(normalized(std::move(gang)));
  }
  return gangs;
}

}  // namespace hadar
