#include "actors/policy/speeds.hpp"

#include <algorithm>

#include "messages/types/check.hpp"

namespace hadar {
namespace {

// A better source wins; sources are numbered from worst to best but for kDeclared, which only measurement beats.
int rank_of(EstimateSource source) {
  switch (source) {
    case EstimateSource::kPrior: return 1;
    case EstimateSource::kDeclared: return 2;
    case EstimateSource::kMeasured: return 3;
  }
  return 0;
}

}  // namespace

JobSpeeds::JobSpeeds(const PlanBuilder& plan, std::size_t j)
    : proportional_(plan.job(j).proportional_batch),
      packed_(plan.cluster().types(), 0),
      spread_(plan.cluster().types(), 0),
      guessed_(plan.cluster().types(), false) {
  std::vector<int> packed_rank(packed_.size(), 0);
  std::vector<int> spread_rank(packed_.size(), 0);
  for (const auto& estimate : plan.job(j).estimates) {
    const auto type = plan.cluster().find_type(estimate.type);
    if (type == ClusterIndex::kNone || !(estimate.steps_per_s > 0)) continue;
    const bool spread = estimate.placement == Placement::kSpread;
    auto& rank = (spread ? spread_rank : packed_rank)[type];
    if (rank >= rank_of(estimate.source)) continue;
    rank = rank_of(estimate.source);
    (spread ? spread_ : packed_)[type] = estimate.steps_per_s;
  }
  double sum = 0;
  std::uint32_t known = 0;
  for (std::uint32_t type = 0; type < packed_.size(); ++type) {
    if (!plan.allows(j, type)) {
      packed_[type] = spread_[type] = 0;
      continue;
    }
    if (packed_[type] == 0) packed_[type] = spread_[type];
    if (spread_[type] == 0) spread_[type] = packed_[type];
    if (packed_[type] == 0) continue;
    sum += packed_[type];
    ++known;
  }
  for (std::uint32_t type = 0; type < packed_.size(); ++type) {
    if (!plan.allows(j, type)) continue;
    if (packed_[type] == 0) {
      guessed_[type] = true;
      packed_[type] = spread_[type] = known > 0 ? sum / known : 1.0;
    }
    best_ = std::max(best_, packed_[type]);
    order_.push_back(type);
  }
  std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return packed_[a] > packed_[b]; });
}

double JobSpeeds::of(const Gang& gang) const {
  HADAR_REQUIRE(!gang.empty());
  const bool spread = node_count(gang) > 1;
  double slowest = member(gang.front().type, spread);
  double sum = 0;
  for (const auto& part : gang) {
    const double speed = member(part.type, spread);
    slowest = std::min(slowest, speed);
    sum += speed * part.count;
  }
  return proportional_ ? sum / size_of(gang) : slowest;
}

}  // namespace hadar
