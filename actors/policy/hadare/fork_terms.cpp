#include "actors/policy/hadare/fork_terms.hpp"

#include <algorithm>

namespace hadar {
namespace {

constexpr double kUnknownMergeFraction = 0.01;  // of a round
constexpr double kMostMergeFraction = 0.1;      // of a round

// Nodes with so many GPUs of the types.
std::uint32_t nodes_with(const ClusterIndex& cluster, std::uint32_t gpus, const std::vector<bool>& types) {
  std::uint32_t nodes = 0;
  for (std::uint32_t node = 0; node < cluster.nodes(); ++node) {
    const auto all = cluster.gpu_types(node);
    const auto fitting = std::count_if(all.begin(), all.end(), [&](auto type) { return types[type]; });
    if (fitting >= static_cast<std::ptrdiff_t>(gpus)) ++nodes;
  }
  return nodes;
}

// The mean of what was measured on jobs; `fallback` where it was on none.
double mean_eta(const PlanBuilder& plan, double fallback) {
  double sum = 0;
  std::size_t known = 0;
  for (std::size_t j = 0; j < plan.jobs(); ++j) {
    if (!plan.job(j).merge_efficiency) continue;
    sum += *plan.job(j).merge_efficiency;
    ++known;
  }
  return known > 0 ? sum / static_cast<double>(known) : fallback;
}

}  // namespace

ForkTerms::ForkTerms(const PlanBuilder& plan, const Valuation& value, const ForkSettings& settings)
    : plan_(plan), settings_(settings), unknown_eta_(mean_eta(plan, settings.merge_efficiency)) {
  const auto& cluster = plan.cluster();
  std::map<std::pair<std::uint32_t, std::vector<bool>>, std::uint32_t> fitting;  // (gang size, types) → nodes
  for (std::size_t j = 0; j < plan.jobs(); ++j) {
    const auto gpus = plan.job(j).gpus;
    std::vector<bool> types;
    for (std::uint32_t type = 0; type < cluster.types(); ++type) {
      types.push_back(value.speeds(j).allows(type));
      const auto [it, fresh] = hosts_.try_emplace({type, gpus}, 0);
      std::vector<bool> only(cluster.types(), false);
      only[type] = true;
      if (fresh) it->second = nodes_with(cluster, gpus, only);
    }
    const auto [it, fresh] = fitting.try_emplace({gpus, types}, 0);
    if (fresh) it->second = nodes_with(cluster, gpus, types);
    forks_.push_back(plan.job(j).forkable && settings.max_forks > 1 && it->second > 1);
  }
}

std::uint32_t ForkTerms::hosts(std::size_t j, std::uint32_t type) const {
  return plan_.allows(j, type) ? hosts_.at({type, plan_.job(j).gpus}) : 0;
}

double ForkTerms::merge_s(std::size_t j) const {
  const double round_s = plan_.input().round_s;
  const double fallback = settings_.merge_s > 0 ? settings_.merge_s : kUnknownMergeFraction * round_s;
  const double known = plan_.job(j).merge_s;
  return std::min(known > 0 ? known : fallback, kMostMergeFraction * round_s);
}

double ForkTerms::usable_s(std::size_t j) const {
  return plan_.input().window_s - merge_s(j);
}

double ForkTerms::least_s(std::size_t j) const {
  return std::max(2 * (merge_s(j) + settings_.start_s), settings_.least_window * plan_.input().round_s);
}

double ForkTerms::training_part(std::size_t j) const {
  return std::max(0.0, 1 - (merge_s(j) + settings_.start_s) / plan_.input().round_s);
}

}  // namespace hadar
