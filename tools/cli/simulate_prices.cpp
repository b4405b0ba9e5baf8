#include "tools/cli/simulate_prices.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "launchers/policies.hpp"
#include "launchers/share_rules.hpp"

namespace hadar::cli {
namespace {

std::set<GpuType> types_of(const SimulationOptions& base) {
  std::set<GpuType> types;
  for (const auto& node : base.nodes)
    for (const auto& group : node.gpus) types.insert(group.type);
  return types;
}

Status take_cost(const std::string& policy, const GpuType& type, double cost, PolicySettings& settings) {
  const auto key = "price." + type;
  if (const auto given = settings.find(key); given != settings.end()) {
    const auto* price = std::get_if<double>(&given->second);
    if (price == nullptr || *price == cost) return {};
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("--set {}.{}={:g}: --gpu-cost says {:g}, must be one price", policy, key, *price, cost));
  }
  settings[key] = cost;
  if (auto made = make_policy(policy, settings); !made)
    return fail(ErrorCode::kInvalidArgument, fmt::format("--gpu-cost {}={:g}: {}", type, cost, made.error().message));
  return {};
}

Status price_policy(const std::string& policy, SimulatePlan& plan) {
  auto& settings = plan.settings[policy];
  for (const auto& [type, cost] : plan.base.cost_per_gpu_h)
    if (auto taken = take_cost(policy, type, cost, settings); !taken) return taken;
  for (const auto& type : types_of(plan.base))
    if (!settings.contains("price." + type)) plan.unpriced.insert(type);
  return {};
}

}  // namespace

Result<std::map<GpuType, double>> parse_gpu_costs(const std::vector<std::string>& texts) {
  std::map<GpuType, double> costs;
  for (const auto& text : texts) {
    const auto equal = text.find('=');
    const auto type = text.substr(0, equal);
    const auto number = equal == std::string::npos ? "" : text.substr(equal + 1);
    double cost = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), cost);
    const bool whole = error == std::errc{} && end == number.data() + number.size();
    if (type.empty() || !whole || !std::isfinite(cost) || cost < 0)
      return fail(ErrorCode::kInvalidArgument, "--gpu-cost: got \"" + text + "\", must be TYPE=COST_PER_HOUR");
    if (!costs.emplace(type, cost).second)
      return fail(ErrorCode::kInvalidArgument, "--gpu-cost: " + type + " is there twice");
  }
  return costs;
}

Status price_policies(SimulatePlan& plan) {
  const auto types = types_of(plan.base);
  for (const auto& [type, cost] : plan.base.cost_per_gpu_h)
    if (!types.contains(type))
      return fail(ErrorCode::kInvalidArgument, "--gpu-cost: the cluster has no GPU of type " + type);
  for (const auto& policy : plan.policies)
    if (const auto rule = share_rule(policy); rule && (*rule)->needs_prices)
      if (auto priced = price_policy(policy, plan); !priced) return priced;
  return {};
}

std::vector<GpuType> types_without_cost(const SimulationOptions& base) {
  std::vector<GpuType> without;
  for (const auto& type : types_of(base))
    if (!base.cost_per_gpu_h.contains(type)) without.push_back(type);
  return without;
}

}  // namespace hadar::cli
