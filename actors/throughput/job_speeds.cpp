#include "actors/throughput/job_speeds.hpp"

#include <algorithm>

namespace hadar {
namespace {

int rank_of(EstimateSource source) {
  switch (source) {
    case EstimateSource::kPrior: return 1;
    case EstimateSource::kDeclared: return 2;
    case EstimateSource::kMeasured: return 3;
  }
  return 0;
}

// A name's place in a rising list, or its end. Estimates mostly rise by type too: the last place and the one after it
// are tried first.
std::vector<GpuType>::const_iterator find_near(const std::vector<GpuType>& types,
                                               std::vector<GpuType>::const_iterator last, const GpuType& name) {
  for (int step = 0; step < 2 && last != types.end(); ++step, ++last)
    if (*last == name) return last;
  const auto it = std::lower_bound(types.begin(), types.end(), name);
  return it != types.end() && *it == name ? it : types.end();
}

}  // namespace

JobSpeeds::JobSpeeds(const JobView& job, const std::vector<GpuType>& types)
    : packed_(types.size(), 0), spread_(types.size(), 0), knows_spread_(types.size()), guessed_(types.size()) {
  for (std::uint32_t type = 0; type < types.size(); ++type)
    if (job.gpu_types.empty() ||
        std::find(job.gpu_types.begin(), job.gpu_types.end(), types[type]) != job.gpu_types.end())
      order_.push_back(type);
  read_estimates(job, types);
  guess_unknown();
  for (const auto type : order_) best_ = std::max(best_, packed_[type]);
  std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return packed_[a] > packed_[b]; });
}

void JobSpeeds::read_estimates(const JobView& job, const std::vector<GpuType>& types) {
  std::vector<int> ranks(2 * types.size(), 0);
  auto it = types.begin();
  for (const auto& estimate : job.estimates) {
    it = find_near(types, it, estimate.type);
    if (it == types.end() || !(estimate.steps_per_s > 0)) continue;
    const auto type = static_cast<std::uint32_t>(it - types.begin());
    if (std::find(order_.begin(), order_.end(), type) == order_.end()) continue;
    const bool spread = estimate.placement == Placement::kSpread;
    auto& rank = ranks[2 * type + (spread ? 1 : 0)];
    if (rank >= rank_of(estimate.source)) continue;
    rank = rank_of(estimate.source);
    (spread ? spread_ : packed_)[type] = estimate.steps_per_s;
    if (spread) knows_spread_[type] = true;
  }
}

void JobSpeeds::guess_unknown() {
  double sum = 0;
  double known = 0;
  for (const auto type : order_) {
    if (packed_[type] == 0) packed_[type] = spread_[type];
    if (spread_[type] == 0) spread_[type] = packed_[type];
    if (packed_[type] == 0) continue;
    sum += packed_[type];
    known += 1;
  }
  for (const auto type : order_) {
    if (packed_[type] > 0) continue;
    guessed_[type] = true;
    packed_[type] = spread_[type] = known > 0 ? sum / known : 1.0;
  }
}

}  // namespace hadar
