#include "actors/policy/feasibility.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <string>

namespace hadar {
namespace {

std::string lower(std::string text) {
  for (auto& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Levenshtein distance, case ignored.
std::size_t distance(const std::string& left, const std::string& right) {
  const auto a = lower(left);
  const auto b = lower(right);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string nearest(const std::vector<GpuType>& wanted, const GpuTotals& totals) {
  std::string best;
  auto best_distance = SIZE_MAX;
  for (const auto& [type, count] : totals)
    for (const auto& name : wanted)
      if (const auto d = distance(name, type); d < best_distance) {
        best_distance = d;
        best = type;
      }
  return best;
}

std::string joined(const std::vector<GpuType>& types) {
  std::string text;
  for (const auto& type : types) text += (text.empty() ? "" : ", ") + type;
  return text;
}

}  // namespace

Demand demand_of(const JobSpec& spec) {
  return {spec.gpus, spec.gpu_types};
}

Demand demand_of(const JobView& job) {
  return {job.gpus, job.gpu_types};
}

GpuTotals totals_of(const std::vector<NodeInventory>& nodes) {
  GpuTotals totals;
  for (const auto& node : nodes)
    for (const auto& group : node.gpus) totals[group.type] += group.count;
  return totals;
}

std::optional<Reason> infeasible(const Demand& demand, const GpuTotals& totals) {
  std::uint32_t possible = 0;
  std::uint32_t all = 0;
  for (const auto& [type, count] : totals) {
    all += count;
    const auto& allowed = demand.gpu_types;
    if (allowed.empty() || std::find(allowed.begin(), allowed.end(), type) != allowed.end()) possible += count;
  }
  if (possible >= demand.gpus && demand.gpus > 0) return std::nullopt;
  const auto wanted = static_cast<double>(demand.gpus);
  if (possible == 0 && all > 0 && !demand.gpu_types.empty())
    return Reason{"infeasible_type",
                  "no node has GPU type " + joined(demand.gpu_types) + "; the nearest type here is " +
                      nearest(demand.gpu_types, totals),
                  {{"wanted", wanted}, {"types_allowed", static_cast<double>(demand.gpu_types.size())}}};
  const auto of_type = demand.gpu_types.empty() ? std::string() : " of type " + joined(demand.gpu_types);
  return Reason{"infeasible_gpus",
                "wants " + std::to_string(demand.gpus) + " GPUs" + of_type + " at once; this cluster has " +
                    std::to_string(possible) + " in all",
                {{"wanted", wanted}, {"most_possible", static_cast<double>(possible)}}};
}

}  // namespace hadar
