#include "actors/throughput/throughput_book.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "actors/throughput/gpu_facts.hpp"
#include "actors/throughput/speed_prior.hpp"
#include "messages/types/check.hpp"

namespace hadar {
namespace {

constexpr double kFreshWeight = 0.5;
constexpr double kLeastTrainS = 0.01;
constexpr double kNoNews = 1e-6;  // of the known speed

const std::string& model_of(const JobSpec& spec) {
  return spec.model.empty() ? spec.workload : spec.model;
}

bool synthetic(const JobSpec& spec) {
  return spec.workload == "sleep";
}

template <class Key, class Value>
const Value* find_in(const std::map<Key, Value>& all, const Key& key) {
  const auto it = all.find(key);
  return it == all.end() ? nullptr : &it->second;
}

}  // namespace

ThroughputBook::ThroughputBook(ThroughputTable table, double time_scale, const PairTable& pairs, bool learns)
    : learns_(learns) {
  HADAR_REQUIRE(time_scale > 0);
  for (const auto& row : table) {
    table_[{{row.model, row.batch_size, row.gpus}, {row.type, row.placement}}] = row.steps_per_s * time_scale;
    if (!types_.contains(row.type)) types_[row.type] = facts_of(row.type);
  }
  for (const auto& row : pairs) {
    pairs_[{row.b, row.a, row.gpus}][row.type] = {row.b_steps_per_s * time_scale, row.a_steps_per_s * time_scale};
    pairs_[{row.a, row.b, row.gpus}][row.type] = {row.a_steps_per_s * time_scale, row.b_steps_per_s * time_scale};
  }
}

const std::map<GpuType, std::array<double, 2>>* ThroughputBook::find_pair(const WorkloadKey& a, const WorkloadKey& b,
                                                                          std::uint32_t gpus) const {
  for (const auto& mine : {a, WorkloadKey{a.model, 0}})
    for (const auto& other : {b, WorkloadKey{b.model, 0}})
      if (const auto found = pairs_.find({mine, other, gpus}); found != pairs_.end()) return &found->second;
  return nullptr;
}

std::array<double, 2> ThroughputBook::declared_pair(const JobSpec& a, const JobSpec& b, const GpuType& type) const {
  if (synthetic(a) || synthetic(b) || a.gpus != b.gpus) return {0, 0};
  const auto* speeds = find_pair({model_of(a), a.batch_size}, {model_of(b), b.batch_size}, a.gpus);
  if (speeds == nullptr || !speeds->contains(type)) return {0, 0};
  return speeds->at(type);
}

PairTable ThroughputBook::pairs_of(const std::vector<std::shared_ptr<const JobSpec>>& specs) const {
  PairTable table;
  if (pairs_.empty()) return table;
  std::map<std::uint32_t, std::set<WorkloadKey>> by_gang;
  for (const auto& spec : specs)
    if (!synthetic(*spec)) by_gang[spec->gpus].insert({model_of(*spec), spec->batch_size});
  for (const auto& [gpus, workloads] : by_gang)
    for (auto a = workloads.begin(); a != workloads.end(); ++a)
      for (auto b = a; b != workloads.end(); ++b)
        if (const auto* speeds = find_pair(*a, *b, gpus))
          for (const auto& [type, speed] : *speeds) table.push_back({*a, *b, gpus, type, speed[0], speed[1]});
  std::sort(table.begin(), table.end(), [](const PairEstimate& x, const PairEstimate& y) {
    return std::tie(x.a, x.b, x.gpus, x.type) < std::tie(y.a, y.b, y.gpus, y.type);
  });
  return table;
}

double ThroughputBook::declared(const JobSpec& spec, const GpuType& type, Placement placement) const {
  if (synthetic(spec)) {
    const auto own = spec.sleep.steps_per_s.find(type);
    return own == spec.sleep.steps_per_s.end() || placement == Placement::kSpread ? 0 : own->second;
  }
  for (const auto gpus : {spec.gpus, 1U}) {
    const auto it = table_.find({{model_of(spec), spec.batch_size, gpus}, {type, placement}});
    if (it != table_.end()) return it->second;
  }
  return 0;
}

std::vector<Estimate> ThroughputBook::estimates_for(JobId job, const JobSpec& spec) const {
  auto types = types_;
  for (const auto& [type, speed] : spec.sleep.steps_per_s)
    if (!types.contains(type)) types[type] = facts_of(type);
  const auto* of_job = find_in(by_job_, job);
  const auto* of_model = synthetic(spec) ? nullptr : find_in(by_model_, key_of(spec));
  std::map<Place, Estimate> found;
  for (const auto& [type, facts] : types)
    for (const auto placement : {Placement::kPacked, Placement::kSpread}) {
      const Place place = {type, placement};
      auto source = EstimateSource::kMeasured;
      double speed = found_in(of_job, place);
      if (speed <= 0) speed = found_in(of_model, place);
      if (speed <= 0) {
        source = EstimateSource::kDeclared;
        speed = declared(spec, type, placement);
      }
      if (speed > 0) found[place] = {type, placement, speed, source};
    }
  add_priors(spec, types, found);
  std::vector<Estimate> estimates;
  for (const auto& [place, estimate] : found) estimates.push_back(estimate);
  return estimates;
}

void ThroughputBook::add_priors(const JobSpec& spec, const Types& types, std::map<Place, Estimate>& found) const {
  double log_scale = 0;
  double known = 0;
  for (const auto& [place, estimate] : found) {
    const auto& facts = types.at(place.first);
    if (!facts || place.second != Placement::kPacked) continue;
    log_scale += std::log(estimate.steps_per_s / performance_index(*facts));
    known += 1;
  }
  const auto guess = [&](const GpuFacts& facts) {
    return known > 0 ? std::exp(log_scale / known) * performance_index(facts)
                     : calibrated_prior().steps_per_s(facts, spec.batch_size, complexity_of(model_of(spec)));
  };
  for (const auto& [type, facts] : types) {
    const Place place = {type, Placement::kPacked};
    if (!facts || found.contains(place)) continue;
    found[place] = {type, Placement::kPacked, guess(*facts), EstimateSource::kPrior};
  }
}

void ThroughputBook::measured(JobId job, const JobSpec& spec, const GpuType& type, std::uint64_t steps, double train_s,
                              Placement placement) {
  if (!learns_ || steps == 0 || !(train_s >= kLeastTrainS)) return;
  const double speed = static_cast<double>(steps) / train_s;
  const Place place = {type, placement};
  if (!types_.contains(type)) {
    types_[type] = facts_of(type);
    news_.all_ = true;
  }
  if (learn(by_job_[job], place, speed)) news_.jobs_.insert(job);
  if (synthetic(spec)) return;
  if (learn(by_model_[key_of(spec)], place, speed)) news_.models_.insert(key_of(spec));
}

bool ThroughputBook::learn(Learned& learned, const Place& place, double speed) {
  const auto [it, fresh] = learned.try_emplace(place, speed);
  if (fresh) return true;
  if (std::abs(speed - it->second) <= kNoNews * it->second) return false;
  it->second = kFreshWeight * speed + (1 - kFreshWeight) * it->second;
  return true;
}

double ThroughputBook::found_in(const Learned* learned, const Place& place) {
  const auto* speed = learned ? find_in(*learned, place) : nullptr;
  return speed ? *speed : 0;
}

ThroughputBook::ModelKey ThroughputBook::key_of(const JobSpec& spec) {
  return {model_of(spec), spec.batch_size, spec.gpus};
}

bool ThroughputBook::News::about(JobId job, const JobSpec& spec) const {
  if (all_ || jobs_.contains(job)) return true;
  if (models_.empty() || synthetic(spec)) return false;
  return std::any_of(models_.begin(), models_.end(), [&](const ModelKey& key) {
    const auto& [model, batch_size, gpus] = key;
    return model == model_of(spec) && batch_size == spec.batch_size && gpus == spec.gpus;
  });
}

void ThroughputBook::forget(JobId job) {
  by_job_.erase(job);
}

}  // namespace hadar
