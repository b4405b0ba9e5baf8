#include "actors/throughput/throughput_book.hpp"

#include <set>

namespace hadar {
namespace {

constexpr double kNewestWeight = 0.5;

template <class Map, class Key>
void average_in(Map& map, const Key& key, double value) {
  const auto [found, fresh] = map.try_emplace(key, value);
  if (!fresh) found->second += kNewestWeight * (value - found->second);
}

}  // namespace

ThroughputBook::ThroughputBook(ThroughputTable table, double time_scale)
    : table_(std::move(table)), time_scale_(time_scale) {}

double ThroughputBook::declared(const JobSpec& spec, const GpuType& type) const {
  if (spec.workload == "sleep") {
    const auto found = spec.sleep.steps_per_s.find(type);
    return found == spec.sleep.steps_per_s.end() ? 0 : found->second;
  }
  for (const auto& row : table_)
    if (row.model == spec.model && row.batch_size == spec.batch_size && row.gpus == 1 && row.type == type &&
        row.placement == Placement::kPacked)
      return row.steps_per_s * time_scale_;
  return 0;
}

std::vector<Estimate> ThroughputBook::estimates_for(JobId job, const JobSpec& spec) const {
  std::set<GpuType> types;
  for (const auto& row : table_) types.insert(row.type);
  for (const auto& [type, speed] : spec.sleep.steps_per_s) types.insert(type);
  for (const auto& [key, speed] : by_model_) types.insert(std::get<2>(key));
  std::vector<Estimate> estimates;
  for (const auto& type : types) {
    const auto own = by_job_.find({job, type});
    const auto shared = by_model_.find({spec.model, spec.batch_size, type});
    const bool comparable = spec.workload != "sleep";  // sleep jobs of one name may have any speeds
    if (own != by_job_.end()) {
      estimates.push_back({type, Placement::kPacked, own->second, EstimateSource::kMeasured});
    } else if (comparable && shared != by_model_.end()) {
      estimates.push_back({type, Placement::kPacked, shared->second, EstimateSource::kMeasured});
    } else if (const auto speed = declared(spec, type); speed > 0) {
      estimates.push_back({type, Placement::kPacked, speed, EstimateSource::kDeclared});
    }
  }
  return estimates;
}

void ThroughputBook::measured(JobId job, const JobSpec& spec, const GpuType& type, std::uint64_t steps,
                              double train_s) {
  const auto speed = static_cast<double>(steps) / train_s;
  average_in(by_job_, std::pair{job, type}, speed);
  if (spec.workload != "sleep") average_in(by_model_, ModelKey{spec.model, spec.batch_size, type}, speed);
}

}  // namespace hadar
