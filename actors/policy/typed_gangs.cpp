#include "actors/policy/typed_gangs.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "actors/policy/free_nodes.hpp"
#include "actors/policy/gang_speed.hpp"
#include "messages/types/check.hpp"

namespace hadar {
namespace {

std::uint32_t taken_back(const PlanBuilder& plan, std::uint32_t node, std::uint32_t type, std::uint32_t count) {
  return count - std::min(count, plan.idle(node, type));
}

// How good a place one node is for a whole gang of one type: GPUs taken back, GPUs left over, then numbers; smaller is
// better.
using Fit = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

// The best place on one node for a whole gang of any one of the types; empty when there is none.
Gang on_one_node(const PlanBuilder& plan, std::uint32_t gpus, const std::vector<std::uint32_t>& types) {
  Fit best;
  Gang gang;
  for (const auto number : plan.groups().occupied()) {
    const auto node = *plan.groups().group(number).nodes.begin();
    for (const auto type : types) {
      const auto free = plan.free(node, type);
      if (free < gpus) continue;
      const Fit fit{taken_back(plan, node, type, gpus), free - gpus, node, type};
      if (!gang.empty() && fit >= best) continue;
      best = fit;
      gang = {{node, type, gpus}};
    }
  }
  return gang;
}

Gang on_few_nodes(const PlanBuilder& plan, std::uint32_t gpus, const std::vector<std::uint32_t>& types) {
  Gang gang;
  return take_by_free(plan, types, gpus, gang) == gpus ? normalized(std::move(gang)) : Gang{};
}

std::vector<std::uint32_t> allowed_types(const PlanBuilder& plan, std::size_t j) {
  std::vector<std::uint32_t> types;
  for (std::uint32_t type = 0; type < plan.cluster().types(); ++type)
    if (plan.allows(j, type)) types.push_back(type);
  return types;
}

// What the job holds and could go on holding; empty when nothing.
Gang own_gang(const PlanBuilder& plan, std::size_t j) {
  const auto held = renewable(plan, j);
  return held ? plan.cluster().gang_of(plan.job(j).held[*held]) : Gang{};
}

bool same_types(const Gang& a, const Gang& b) {
  const auto has = [](const Gang& gang, std::uint32_t type) {
    return std::any_of(gang.begin(), gang.end(), [&](const Part& part) { return part.type == type; });
  };
  return std::all_of(a.begin(), a.end(), [&](const Part& part) { return has(b, part.type); }) &&
         std::all_of(b.begin(), b.end(), [&](const Part& part) { return has(a, part.type); });
}

}  // namespace

Gang gang_on_type(const PlanBuilder& plan, std::size_t j, std::uint32_t type) {
  const auto gpus = plan.job(j).gpus;
  if (!plan.allows(j, type) || plan.free_of_type(type) < gpus) return {};
  if (auto own = own_gang(plan, j); !own.empty() && same_types(own, {{0, type, 1}})) return own;
  auto gang = on_one_node(plan, gpus, {type});
  return gang.empty() ? on_few_nodes(plan, gpus, {type}) : gang;
}

Gang gang_on_any(const PlanBuilder& plan, std::size_t j, const std::vector<std::uint32_t>& types) {
  return on_few_nodes(plan, plan.job(j).gpus, types);
}

Gang tightest_gang(const PlanBuilder& plan, std::size_t j) {
  const auto gpus = plan.job(j).gpus;
  if (plan.free_for(j) < gpus) return {};
  const auto types = allowed_types(plan, j);
  if (auto gang = on_one_node(plan, gpus, types); !gang.empty()) return gang;
  Gang fewest;
  for (const auto type : types) {
    auto gang = gang_on_type(plan, j, type);
    if (!gang.empty() && (fewest.empty() || gang.size() < fewest.size())) fewest = std::move(gang);
  }
  return fewest.empty() ? gang_on_any(plan, j, types) : fewest;
}

Gang fastest_gang(const PlanBuilder& plan, std::size_t j) {
  if (plan.free_for(j) < plan.job(j).gpus) return {};
  const auto& order = plan.speeds(j).order();
  for (const auto type : order)
    if (auto gang = gang_on_type(plan, j, type); !gang.empty()) return gang;
  auto mixed = gang_on_any(plan, j, order);
  auto own = own_gang(plan, j);
  return !own.empty() && same_types(own, mixed) ? own : mixed;
}

std::optional<std::size_t> renewable(const PlanBuilder& plan, std::size_t j) {
  const auto& held = plan.job(j).held;
  if (plan.has_grant(j) || !plan.plannable(j)) return std::nullopt;
  for (std::size_t h = 0; h < held.size(); ++h) {
    if (held[h].ends_at_border) continue;
    const auto gang = plan.cluster().gang_of(held[h]);
    if (!gang.empty() && std::all_of(gang.begin(), gang.end(),
                                     [&](const Part& part) { return plan.free(part.node, part.type) >= part.count; }))
      return h;
  }
  return std::nullopt;
}

void give(PlanBuilder& plan, std::size_t j, const Gang& gang) {
  std::uint32_t fork = 0;
  for (const auto& held : plan.job(j).held)
    if (!held.ends_at_border && plan.cluster().gang_of(held) == gang) fork = held.fork.fork;
  const auto placed = plan.allocate(j, fork, gang, gang_speed(plan, j, gang));
  HADAR_ENSURE(placed.has_value());
}

}  // namespace hadar
