#include "launchers/makespan_bound.hpp"

#include <algorithm>

#include "actors/policy/feasibility.hpp"
#include "actors/pricing/makespan_shares.hpp"

namespace hadar {
namespace {

constexpr std::size_t kArrivals = 16;  // that are tried

struct Work {
  double arrival_s = 0;
  double gpus = 1;
  std::vector<double> rate;  // parts of the job per second, by type
};

double least_of(const std::vector<Work>& work, std::size_t first, const std::vector<double>& capacity) {
  solvers::Market market;
  market.types = capacity.size();
  market.capacity = capacity;
  for (auto i = first; i < work.size(); ++i) {
    market.gpus.push_back(work[i].gpus);
    market.utility.insert(market.utility.end(), work[i].rate.begin(), work[i].rate.end());
  }
  return least_makespan(market);
}

}  // namespace

std::optional<double> makespan_bound(const std::vector<TraceJob>& jobs, const std::vector<NodeInventory>& nodes,
                                     const ThroughputBook& book) {
  const auto totals = totals_of(nodes);
  std::vector<double> capacity;
  for (const auto& [type, count] : totals) capacity.push_back(count);
  std::vector<Work> work;
  for (const auto& job : jobs) {
    const auto& allowed = job.spec.gpu_types;
    Work one{job.arrival_s, static_cast<double>(job.spec.gpus), {}};
    for (const auto& [type, count] : totals) {
      const bool may = allowed.empty() || std::find(allowed.begin(), allowed.end(), type) != allowed.end();
      const double speed = std::max(book.declared(job.spec, type), book.declared(job.spec, type, Placement::kSpread));
      one.rate.push_back(may ? speed / static_cast<double>(std::max<std::uint64_t>(1, job.spec.total_steps)) : 0);
    }
    if (*std::max_element(one.rate.begin(), one.rate.end()) > 0) work.push_back(std::move(one));
  }
  if (work.empty()) return std::nullopt;
  std::stable_sort(work.begin(), work.end(), [](const Work& a, const Work& b) { return a.arrival_s < b.arrival_s; });
  double end_s = 0;
  for (const auto& job : work)
    end_s = std::max(end_s, job.arrival_s + 1 / *std::max_element(job.rate.begin(), job.rate.end()));
  for (std::size_t k = 0; k < kArrivals; ++k) {
    const auto first = k * work.size() / kArrivals;
    if (k > 0 && work[first].arrival_s == work.front().arrival_s) continue;
    end_s = std::max(end_s, work[first].arrival_s + least_of(work, first, capacity));
  }
  return end_s - work.front().arrival_s;
}

}  // namespace hadar
