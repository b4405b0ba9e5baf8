#include "actors/tracker/merge_order.hpp"

#include <algorithm>
#include <map>

namespace hadar {
namespace {

std::string why_out(const LeaseReport& report, const MergeOrder& order) {
  if (report.end == LeaseEndReason::kFailed) return "failed: " + report.detail;
  if (report.steps == 0) return report.detail.empty() ? "no steps" : "no steps: " + report.detail;
  if (report.base.version != order.base.version) return "its base is not the current version";
  return "";
}

// Sample-weighted mean of each metric over the forks that are in.
Metrics mean_metrics(const std::vector<const LeaseReport*>& in) {
  std::map<std::string, std::pair<double, double>> sums;
  for (const auto* report : in)
    for (const auto& [name, value] : report->metrics) {
      auto& [sum, weight] = sums[name];
      const auto samples = static_cast<double>(std::max<std::uint64_t>(1, report->samples));
      sum += value * samples;
      weight += samples;
    }
  Metrics metrics;
  for (const auto& [name, sum] : sums) metrics[name] = sum.first / sum.second;
  return metrics;
}

}  // namespace

MergeDecision decide_merge(const MergeOrder& order) {
  MergeDecision decision;
  auto& settle = decision.settle;
  settle.job = order.job;
  settle.base = order.base;
  settle.forks = order.others;
  std::vector<const LeaseReport*> in;
  double samples = 0;
  for (const auto& report : order.reports) {
    const auto why = why_out(report, order);
    settle.forks.push_back({report.lease, report.fork.fork, why.empty() ? report.steps : 0, why.empty(), false, why});
    if (!why.empty()) continue;
    in.push_back(&report);
    samples += static_cast<double>(std::max<std::uint64_t>(1, report.samples));
  }
  std::sort(settle.forks.begin(), settle.forks.end(), [](const auto& a, const auto& b) { return a.lease < b.lease; });
  settle.metrics = mean_metrics(in);
  if (in.size() == 1) settle.weights = in.front()->weights;
  for (const auto* report : in) {
    if (report->weights.empty() || in.size() < 2) continue;
    const auto share = static_cast<double>(std::max<std::uint64_t>(1, report->samples)) / samples;
    decision.inputs.push_back(MergeInput{report->lease, report->weights, share});
  }
  return decision;
}

void leave_out(SettleForks& settle, const std::vector<RefusedLease>& left_out) {
  for (const auto& out : left_out)
    for (auto& fork : settle.forks) {
      if (fork.lease != out.lease) continue;
      fork.in = false;
      fork.steps = 0;
      fork.reason = out.reason;
    }
}

}  // namespace hadar
