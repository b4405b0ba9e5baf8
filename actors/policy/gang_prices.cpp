#include "actors/policy/gang_prices.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

namespace hadar {
namespace {

double found_or_zero(const std::map<GpuType, double>& values, const GpuType& type) {
  const auto it = values.find(type);
  return it == values.end() ? 0 : std::max(0.0, it->second);
}

}  // namespace

GangPrices::GangPrices(const PlanBuilder& plan) : plan_(&plan) {
  const auto& board = plan.input().prices;
  const auto& cluster = plan.cluster();
  for (const auto& type : cluster.type_names()) price_.push_back(found_or_zero(board.price, type));
  least_ = price_;
  if (!board.exponential) return;
  const auto types = cluster.types();
  curves_.resize(std::size_t{cluster.nodes()} * types);
  for (std::uint32_t node = 0; node < cluster.nodes(); ++node)
    for (const auto type : cluster.gpu_types(node)) curves_[node * types + type].capacity += 1;
  for (std::uint32_t type = 0; type < types; ++type) {
    const double u_min = found_or_zero(board.u_min, cluster.type_name(type));
    const double u_max = found_or_zero(board.u_max, cluster.type_name(type));
    least_[type] = std::min(price_[type], u_min);
    for (std::size_t cell = type; cell < curves_.size(); cell += types)
      if (curves_[cell].capacity > 0) curves_[cell] = bounded_curve(u_min, u_max, curves_[cell].capacity);
  }
}

double GangPrices::of(const Gang& gang) const {
  double sum = 0;
  for (const auto& part : gang)
    sum += rise() ? cost_of(curve(part.node, part.type), taken(part.node, part.type), part.count)
                  : price_[part.type] * part.count;
  return sum;
}

double GangPrices::unit(std::uint32_t node, std::uint32_t type, std::uint32_t more) const {
  return rise() ? cost_of(curve(node, type), taken(node, type) + more, 1) : price_[type];
}

GangPrices::Asked GangPrices::asked(std::uint32_t type) const {
  if (!rise()) return {price_[type], ClusterIndex::kNone};
  Asked least{HUGE_VAL, ClusterIndex::kNone};
  for (std::uint32_t node = 0; node < plan_->cluster().nodes(); ++node) {
    if (curve(node, type).capacity <= 0) continue;
    const double price = price_at(curve(node, type), taken(node, type));
    if (price < least.price) least = {price, node};
  }
  return least.node == ClusterIndex::kNone ? Asked{} : least;
}

std::vector<GangPrices::Unit> GangPrices::cheapest_on(std::uint32_t node, const std::vector<std::uint32_t>& types,
                                                      std::uint32_t most) const {
  std::vector<Unit> units;
  std::vector<std::uint32_t> taken_here(types.size(), 0);
  while (units.size() < most) {
    double least = HUGE_VAL;
    std::size_t at = types.size();
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (taken_here[i] == plan_->free(node, types[i])) continue;
      const double price = unit(node, types[i], taken_here[i]);
      if (!(price < least)) continue;
      least = price;
      at = i;
    }
    if (at == types.size()) break;
    ++taken_here[at];
    units.push_back({types[at], least});
  }
  return units;
}

Gang GangPrices::cheapest(const std::vector<std::uint32_t>& types, std::uint32_t gpus) const {
  // price, place of the type in `types`, node, GPUs taken of it so far: the least first
  using Next = std::tuple<double, std::size_t, std::uint32_t, std::uint32_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  for (std::uint32_t node = 0; node < plan_->cluster().nodes(); ++node)
    for (std::size_t i = 0; i < types.size(); ++i)
      if (plan_->free(node, types[i]) > 0) next.emplace(unit(node, types[i], 0), i, node, 0);
  Gang gang;
  for (std::uint32_t missing = gpus; missing > 0; --missing) {
    if (next.empty()) return {};
    const auto [price, at, node, before] = next.top();
    next.pop();
    gang.push_back({node, types[at], 1});
    if (before + 1 < plan_->free(node, types[at]))
      next.emplace(unit(node, types[at], before + 1), at, node, before + 1);
  }
  return normalized(std::move(gang));
}

void add_units(std::uint32_t node, const std::vector<GangPrices::Unit>& units, Gang& gang) {
  for (const auto& unit : units) {
    const auto part =
        std::find_if(gang.begin(), gang.end(), [&](const Part& p) { return p.node == node && p.type == unit.type; });
    if (part == gang.end())
      gang.push_back({node, unit.type, 1});
    else
      ++part->count;
  }
}

}  // namespace hadar
