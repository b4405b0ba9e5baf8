#include "actors/policy/gang_search.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "actors/policy/free_nodes.hpp"

namespace hadar {
namespace {

// Types a gang may use when `slowest` is its slowest member: cheapest first, among equals the slower, since the gang is
// no faster with better GPUs. One GPU is its own slowest member.
std::vector<std::uint32_t> cheapest_first(const PlanBuilder& plan, const Valuation& value, std::size_t j,
                                          std::size_t slowest) {
  const auto& order = value.speeds(j).order();
  if (plan.job(j).gpus == 1) return {order[slowest]};
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(slowest) + 1;
  std::vector<std::uint32_t> types(std::make_reverse_iterator(end), order.rend());
  std::stable_sort(types.begin(), types.end(), [&](auto a, auto b) { return value.price(a) < value.price(b); });
  return types;
}

// GPUs of a gang that some job holds and could go on holding.
std::uint32_t taken_back(const PlanBuilder& plan, const Gang& gang) {
  std::uint32_t gpus = 0;
  for (const auto& part : gang) gpus += part.count - std::min(part.count, plan.idle(part.node, part.type));
  return gpus;
}

// On the node where it costs least; among equals where fewest GPUs are taken back from others, then the fullest one.
// Nodes of a group are alike in all of these.
Gang on_one_node(const PlanBuilder& plan, const Valuation& value, std::size_t j,
                 const std::vector<std::uint32_t>& types) {
  Gang best;
  auto best_key = std::make_tuple(0.0, 0U, 0U, 0U);
  Gang gang;
  for (const auto number : plan.groups().occupied()) {
    const auto node = *plan.groups().group(number).nodes.begin();
    const auto free = free_on(plan, node, types);
    if (free < plan.job(j).gpus) continue;
    gang.clear();
    take_on(plan, node, types, plan.job(j).gpus, gang);
    const auto key = std::make_tuple(value.price(gang), taken_back(plan, gang), free, node);
    if (!best.empty() && key >= best_key) continue;
    best = gang;
    best_key = key;
  }
  return best;
}

// On the nodes with most free GPUs of the types, so that few are needed.
Gang on_few_nodes(const PlanBuilder& plan, std::size_t j, const std::vector<std::uint32_t>& types) {
  Gang gang;
  const auto gpus = plan.job(j).gpus;
  return take_by_free(plan, types, gpus, gang) == gpus ? normalized(std::move(gang)) : Gang{};
}

// Type after type, the cheapest first, each on the nodes with most free GPUs of it.
Gang on_cheapest_types(const PlanBuilder& plan, std::size_t j, const std::vector<std::uint32_t>& types) {
  Gang gang;
  auto missing = plan.job(j).gpus;
  for (const auto type : types) {
    missing -= take_by_free(plan, {type}, missing, gang);
    if (missing == 0) return normalized(std::move(gang));
  }
  return {};
}

bool is_free(const PlanBuilder& plan, const Gang& gang) {
  return !gang.empty() && std::all_of(gang.begin(), gang.end(),
                                      [&](const Part& part) { return plan.free(part.node, part.type) >= part.count; });
}

void add(const Valuation& value, std::size_t j, Gang gang, std::vector<Offer>& offers) {
  if (gang.empty()) return;
  gang = normalized(std::move(gang));
  for (const auto& offer : offers)
    if (offer.gang == gang) return;
  offers.push_back(value.offer(j, std::move(gang)));
}

}  // namespace

std::vector<Offer> offers(const PlanBuilder& plan, const Valuation& value, std::size_t j) {
  std::vector<Offer> found;
  const auto& job = plan.job(j);
  if (plan.free_for(j) < job.gpus) return found;
  for (const auto& held : job.held)
    if (auto gang = plan.cluster().gang_of(held); !held.ends_at_border && is_free(plan, gang))
      add(value, j, std::move(gang), found);
  const auto& order = value.speeds(j).order();
  std::uint32_t reachable = 0;
  for (std::size_t slowest = 0; slowest < order.size(); ++slowest) {
    const auto free = plan.free_of_type(order[slowest]);
    reachable += free;
    if (free == 0 || reachable < job.gpus) continue;
    const auto types = cheapest_first(plan, value, j, slowest);
    add(value, j, on_one_node(plan, value, j, types), found);
    if (job.gpus == 1) continue;
    add(value, j, on_few_nodes(plan, j, types), found);
    add(value, j, on_cheapest_types(plan, j, types), found);
  }
  std::stable_sort(found.begin(), found.end(), [](const Offer& a, const Offer& b) {
    const auto nodes_a = node_count(a.gang);
    const auto nodes_b = node_count(b.gang);
    if (a.payoff() != b.payoff()) return a.payoff() > b.payoff();
    return nodes_a != nodes_b ? nodes_a < nodes_b : a.gang.front().node < b.gang.front().node;
  });
  return found;
}

std::optional<Offer> best_offer(const PlanBuilder& plan, const Valuation& value, std::size_t j) {
  auto found = offers(plan, value, j);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::optional<Offer> offer_on_node(const PlanBuilder& plan, const Valuation& value, std::size_t j, std::uint32_t node) {
  const auto& order = value.speeds(j).order();
  for (std::size_t slowest = 0; slowest < order.size(); ++slowest) {
    const auto types = cheapest_first(plan, value, j, slowest);
    if (free_on(plan, node, types) < plan.job(j).gpus) continue;
    Gang gang;
    take_on(plan, node, types, plan.job(j).gpus, gang);
    return value.offer(j, normalized(std::move(gang)));
  }
  return std::nullopt;
}

}  // namespace hadar
