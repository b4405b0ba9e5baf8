#include "actors/throughput/job_speeds.hpp"

#include <algorithm>

namespace hadar {
namespace {

std::uint8_t rank_of(EstimateSource source) {
  switch (source) {
    case EstimateSource::kPrior: return 1;
    case EstimateSource::kDeclared: return 2;
    case EstimateSource::kMeasured: return 3;
  }
  return 0;
}

// A name's place in a rising list, or its end. What is looked for mostly rises too: the last place and the one after it
// are tried first.
std::vector<GpuType>::const_iterator find_near(const std::vector<GpuType>& types,
                                               std::vector<GpuType>::const_iterator last, const GpuType& name) {
  for (int step = 0; step < 2 && last != types.end(); ++step, ++last)
    if (*last == name) return last;
  const auto it = std::lower_bound(types.begin(), types.end(), name);
  return it != types.end() && *it == name ? it : types.end();
}

}  // namespace

JobSpeeds::JobSpeeds(const JobView& job, const std::vector<GpuType>& types) : types_(types.size()) {
  read_allowed(job, types);
  read_estimates(job, types);
  guess_unknown();
  for (const auto type : order_) best_ = std::max(best_, types_[type].packed);
  std::sort(order_.begin(), order_.end(), [&](auto a, auto b) {
    return types_[a].packed != types_[b].packed ? types_[a].packed > types_[b].packed : a < b;
  });
}

void JobSpeeds::read_allowed(const JobView& job, const std::vector<GpuType>& types) {
  auto it = types.begin();
  for (const auto& name : job.gpu_types) {
    it = find_near(types, it, name);
    if (it != types.end()) types_[static_cast<std::size_t>(it - types.begin())].allowed = true;
  }
  order_.reserve(types_.size());
  for (std::uint32_t type = 0; type < types_.size(); ++type) {
    types_[type].allowed = types_[type].allowed || job.gpu_types.empty();
    types_[type].guessed = types_[type].allowed;
    if (types_[type].allowed) order_.push_back(type);
  }
}

void JobSpeeds::read_estimates(const JobView& job, const std::vector<GpuType>& types) {
  auto it = types.begin();
  const GpuType* last = nullptr;
  for (const auto& estimate : job.estimates) {
    if (last == nullptr || *last != estimate.type) it = find_near(types, it, estimate.type);
    last = &estimate.type;
    if (it == types.end() || !(estimate.steps_per_s > 0)) continue;
    auto& type = types_[static_cast<std::size_t>(it - types.begin())];
    const bool spread = estimate.placement == Placement::kSpread;
    auto& rank = spread ? type.spread_rank : type.packed_rank;
    if (!type.allowed || rank >= rank_of(estimate.source)) continue;
    rank = rank_of(estimate.source);
    (spread ? type.spread : type.packed) = estimate.steps_per_s;
    if (estimate.source != EstimateSource::kPrior) type.guessed = false;
  }
}

void JobSpeeds::guess_unknown() {
  double sum = 0;
  double known = 0;
  for (const auto at : order_) {
    auto& type = types_[at];
    if (type.packed == 0) type.packed = type.spread;
    if (type.spread == 0) type.spread = type.packed;
    if (type.packed == 0) continue;
    sum += type.packed;
    known += 1;
  }
  for (const auto at : order_) {
    auto& type = types_[at];
    if (type.packed > 0) continue;
    type.packed = type.spread = known > 0 ? sum / known : 1.0;
  }
}

}  // namespace hadar
