#include "actors/consolidation/merge_rule.hpp"

#include <algorithm>
#include <cmath>

namespace hadar {
namespace {

constexpr double kNesterovRate = 0.7;
constexpr double kNesterovMomentum = 0.9;

bool all_finite(const LeaseReport& report) {
  return std::isfinite(report.train_s) && std::all_of(report.metrics.begin(), report.metrics.end(),
                                                      [](const auto& metric) { return std::isfinite(metric.second); });
}

// Why a report is out; empty when it is in.
std::string reason_out(const LeaseReport& report, const MergeRequest& request, bool wants_weights) {
  if (const auto it = request.excluded.find(report.lease); it != request.excluded.end()) return it->second;
  if (report.steps == 0) {
    const std::string why = report.detail.empty() ? name_of(report.end) : report.detail;
    return "did no steps: " + why;
  }
  if (report.base != request.base)
    return "started from version " + std::to_string(report.base.version) + ", the current one is " +
           std::to_string(request.base.version);
  if (!all_finite(report)) return "its metrics are not finite";
  if (wants_weights && report.weights.empty()) return "sent no weights";
  return {};
}

bool counts_samples(const MergePlan& plan) {
  return std::all_of(plan.members.begin(), plan.members.end(),
                     [](const MergeMember& member) { return !member.in || member.samples > 0; });
}

void weigh(MergePlan& plan) {
  const bool by_samples = counts_samples(plan);
  double sum = 0;
  for (auto& member : plan.members) {
    if (!member.in) continue;
    member.coefficient = static_cast<double>(by_samples ? member.samples : member.steps);
    sum += member.coefficient;
  }
  for (auto& member : plan.members) member.coefficient = member.in ? member.coefficient / sum : 0;
}

void normalize_by_steps(MergePlan& plan) {
  double mean_steps = 0;
  for (const auto& member : plan.members) mean_steps += member.coefficient * static_cast<double>(member.steps);
  double rest = 1;
  for (auto& member : plan.members) {
    if (!member.in) continue;
    member.coefficient *= mean_steps / static_cast<double>(member.steps);
    rest -= member.coefficient;
  }
  plan.outer.base_coefficient = rest;
}

}  // namespace

Result<OuterKind> outer_kind(std::string_view name) {
  if (name == "average") return OuterKind::kAverage;
  if (name == "nesterov") return OuterKind::kNesterov;
  if (name == "fednova") return OuterKind::kFedNova;
  return fail(ErrorCode::kInvalidArgument,
              "outer optimiser \"" + std::string(name) + "\": unknown, give average, nesterov or fednova");
}

std::vector<event::MergedFork> MergePlan::merged_forks() const {
  std::vector<event::MergedFork> forks;
  for (const auto& member : members) {
    event::MergedFork fork;
    fork.lease = member.lease;
    fork.fork = member.fork.fork;
    fork.steps = member.steps;
    fork.in = member.in;
    fork.open = member.open;
    fork.reason = member.reason;
    forks.push_back(std::move(fork));
  }
  return forks;
}

Result<MergePlan> plan_merge(const MergeRequest& request) {
  MergePlan plan;
  const bool wants_weights =
      !request.base.weights.empty() || std::any_of(request.reports.begin(), request.reports.end(),
                                                   [](const auto& report) { return !report.weights.empty(); });
  for (const auto& report : request.reports) {
    auto reason = reason_out(report, request, wants_weights);
    const bool in = reason.empty();
    plan.members.push_back({report.lease, report.fork, report.steps, report.samples, in,
                            report.end == LeaseEndReason::kRunning, std::move(reason), 0, report.weights});
    if (in) plan.credited += report.steps;
  }
  if (plan.credited > request.steps_left)
    return fail(ErrorCode::kInternal, "merge of version " + std::to_string(request.base.version) + ": forks report " +
                                          std::to_string(plan.credited) + " steps, only " +
                                          std::to_string(request.steps_left) + " are left");
  if (plan.empty()) return plan;
  plan.has_weights = wants_weights;
  weigh(plan);
  if (request.base.weights.empty() || request.outer == OuterKind::kAverage) return plan;
  plan.outer.kind = request.outer;
  if (request.outer == OuterKind::kFedNova) {
    normalize_by_steps(plan);
  } else {
    plan.outer.learning_rate = kNesterovRate;
    plan.outer.momentum = kNesterovMomentum;
  }
  return plan;
}

}  // namespace hadar
