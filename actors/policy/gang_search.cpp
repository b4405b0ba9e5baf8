#include "actors/policy/gang_search.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>

#include "actors/policy/few_nodes.hpp"
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
  std::stable_sort(types.begin(), types.end(),
                   [&](auto a, auto b) { return value.prices().of_type(a) < value.prices().of_type(b); });
  return types;
}

// GPUs of a gang that some job holds and could go on holding.
std::uint32_t taken_back(const PlanBuilder& plan, const Gang& gang) {
  std::uint32_t gpus = 0;
  for (const auto& part : gang) gpus += part.count - std::min(part.count, plan.idle(part.node, part.type));
  return gpus;
}

// As many free GPUs of a node; `types` are in the order of their prices, while those do not rise.
void take_cheapest_on(const PlanBuilder& plan, const Valuation& value, std::uint32_t node,
                      const std::vector<std::uint32_t>& types, std::uint32_t gpus, Gang& gang) {
  if (value.prices().rise())
    add_units(node, value.prices().cheapest_on(node, types, gpus), gang);
  else
    take_on(plan, node, types, gpus, gang);
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
    take_cheapest_on(plan, value, node, types, plan.job(j).gpus, gang);
    const auto key = std::make_tuple(value.prices().of(gang), taken_back(plan, gang), free, node);
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

// Type after type, the cheapest first, each on the nodes with most free GPUs of it; GPU after GPU where prices rise.
Gang on_cheapest_types(const PlanBuilder& plan, const Valuation& value, std::size_t j,
                       const std::vector<std::uint32_t>& types) {
  if (value.prices().rise()) return value.prices().cheapest(types, plan.job(j).gpus);
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

// Types a gang over several nodes may use, cheapest first: for every type as the slowest across nodes those at least as
// fast there, and of these only the ones whose speed there is known, which do not pay for exchanging gradients.
std::vector<std::vector<std::uint32_t>> spread_sets(const Valuation& value, std::size_t j) {
  const auto& speeds = value.speeds(j);
  std::vector<std::vector<std::uint32_t>> sets;
  const auto add_set = [&](double least, bool known_only) {
    std::vector<std::uint32_t> types;
    for (const auto type : speeds.order())
      if (speeds.member(type, true) >= least && (!known_only || speeds.knows_spread(type))) types.push_back(type);
    std::reverse(types.begin(), types.end());
    std::stable_sort(types.begin(), types.end(),
                     [&](auto a, auto b) { return value.prices().of_type(a) < value.prices().of_type(b); });
    if (!types.empty() && std::find(sets.begin(), sets.end(), types) == sets.end()) sets.push_back(std::move(types));
  };
  for (const auto slowest : speeds.order())
    for (const bool known_only : {false, true}) add_set(speeds.member(slowest, true), known_only);
  return sets;
}

// Gangs over several nodes whose speed depends on which nodes these are.
void add_spread(const PlanBuilder& plan, const Valuation& value, std::size_t j, std::vector<Offer>& found) {
  const auto& order = value.speeds(j).order();
  const auto known =
      std::count_if(order.begin(), order.end(), [&](auto type) { return value.speeds(j).knows_spread(type); });
  const bool exchanges = plan.job(j).model_bytes > 0 && known < static_cast<std::ptrdiff_t>(order.size());
  const bool few = exchanges && plan.cluster().nodes() <= kFewNodes;
  if (known == 0 && !few) return;      // across nodes the types keep their order and all pay alike
  std::set<double> nets = {HUGE_VAL};  // the unknown ones alone
  for (const auto& node : plan.input().nodes) nets.insert(node.net_gb_s);
  for (const auto& types : spread_sets(value, j)) {
    add(value, j, on_cheapest_types(plan, value, j, types), found);
    if (!few) continue;
    for (const double net : nets)
      for (const bool unknown : {false, true})
        for (auto& gang : cheapest_on_few(plan, value, j, types, {net, unknown})) add(value, j, std::move(gang), found);
  }
}

// Every way to make up a gang of so many GPUs by type, for a job whose speed is its members' mean.
class Mixes {
 public:
  Mixes(const PlanBuilder& plan, const Valuation& value, std::size_t j, std::vector<Offer>& found)
      : plan_(plan), value_(value), j_(j), found_(found) {}

  void add_all() { grow(0, plan_.job(j_).gpus); }

 private:
  static constexpr std::size_t kMost = 400;

  void grow(std::size_t place, std::uint32_t missing) {
    const auto& order = value_.speeds(j_).order();
    if (place == order.size() || tried_ >= kMost) return;
    const auto type = order[place];
    const bool last = place + 1 == order.size();
    for (auto count = std::min(missing, plan_.free_of_type(type));; --count) {
      mix_.emplace_back(type, count);
      if (count == missing)
        try_mix();
      else if (!last)
        grow(place + 1, missing - count);
      mix_.pop_back();
      if (count == 0 || (last && count < missing)) return;
    }
  }

  void try_mix() {
    ++tried_;
    for (const auto number : plan_.groups().occupied()) {
      const auto node = *plan_.groups().group(number).nodes.begin();
      Gang gang;
      for (const auto& [type, count] : mix_)
        if (plan_.free(node, type) >= count) gang.push_back({node, type, count});
      if (gang.size() == mix_.size()) add(value_, j_, std::move(gang), found_);
    }
    Gang spread;
    for (const auto& [type, count] : mix_)
      if (!take_anywhere(type, count, spread)) return;
    add(value_, j_, std::move(spread), found_);
  }

  bool take_anywhere(std::uint32_t type, std::uint32_t count, Gang& gang) const {
    if (count == 0) return true;
    if (!value_.prices().rise()) return take_by_free(plan_, {type}, count, gang) == count;
    const auto cheapest = value_.prices().cheapest({type}, count);
    gang.insert(gang.end(), cheapest.begin(), cheapest.end());
    return !cheapest.empty();
  }

  const PlanBuilder& plan_;
  const Valuation& value_;
  std::size_t j_;
  std::vector<Offer>& found_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> mix_;
  std::size_t tried_ = 0;
};

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
    add(value, j, on_cheapest_types(plan, value, j, types), found);
  }
  if (job.gpus > 1) add_spread(plan, value, j, found);
  if (job.gpus > 1 && job.proportional_batch) Mixes(plan, value, j, found).add_all();
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
    take_cheapest_on(plan, value, node, types, plan.job(j).gpus, gang);
    return value.offer(j, normalized(std::move(gang)));
  }
  return std::nullopt;
}

}  // namespace hadar
