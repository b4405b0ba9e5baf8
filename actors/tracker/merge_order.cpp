#include "actors/tracker/merge_order.hpp"

#include <algorithm>

#include "actors/consolidation/merge_rule.hpp"

namespace hadar {
namespace {

// Sample-weighted mean of each metric over the forks that are in.
Metrics mean_metrics(const MergeOrder& order, const MergePlan& plan) {
  std::map<std::string, std::pair<double, double>> sums;
  for (std::size_t i = 0; i < plan.members.size(); ++i) {
    if (!plan.members[i].in) continue;
    const auto weight = static_cast<double>(std::max<std::uint64_t>(1, order.reports[i].samples));
    for (const auto& [name, value] : order.reports[i].metrics) {
      sums[name].first += value * weight;
      sums[name].second += weight;
    }
  }
  Metrics metrics;
  for (const auto& [name, sum] : sums) metrics[name] = sum.first / sum.second;
  return metrics;
}

// A fork that failed says more of itself than the rule can.
void add_details(const MergeOrder& order, std::vector<event::MergedFork>& forks) {
  for (const auto& report : order.reports)
    for (auto& fork : forks)
      if (fork.lease == report.lease && !fork.in && !fork.reason.ends_with(report.detail))
        fork.reason += ": " + report.detail;
}

}  // namespace

Result<MergeDecision> decide_merge(const MergeOrder& order, const std::map<LeaseId, std::string>& excluded) {
  auto plan = plan_merge(MergeRequest{order.base, order.steps_left, order.reports, excluded, OuterKind::kAverage});
  if (!plan) return tl::unexpected<Error>(plan.error());
  MergeDecision decision;
  auto& settle = decision.settle;
  settle.job = order.job;
  settle.base = order.base;
  settle.forks = plan->merged_forks();
  for (auto& fork : settle.forks) fork.open = false;  // of a late one, its last checkpoint is all that counts
  add_details(order, settle.forks);
  settle.forks.insert(settle.forks.end(), order.others.begin(), order.others.end());
  std::sort(settle.forks.begin(), settle.forks.end(), [](const auto& a, const auto& b) { return a.lease < b.lease; });
  settle.metrics = mean_metrics(order, *plan);
  for (const auto& member : plan->members)
    if (member.in && plan->has_weights)
      decision.inputs.push_back(MergeInput{member.lease, member.weights, member.coefficient});
  if (decision.inputs.size() == 1) settle.weights = decision.inputs.front().weights;
  return decision;
}

}  // namespace hadar
