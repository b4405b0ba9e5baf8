#include "tools/traces/model_draw.hpp"

#include <algorithm>
#include <tuple>

#include "messages/types/split_mix.hpp"

namespace hadar::traces {
namespace {

bool is_v100(const GpuType& type) {
  return type == "V100" || type == "v100";
}

// Which of two rows of one job type says how fast it runs: packed before spread, then V100, then the faster.
bool speaks_before(const ThroughputRow& a, const ThroughputRow& b) {
  return std::tuple(a.placement == Placement::kPacked, is_v100(a.type), a.steps_per_s) >
         std::tuple(b.placement == Placement::kPacked, is_v100(b.type), b.steps_per_s);
}

}  // namespace

std::uint64_t stable_hash(std::string_view name, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return mix_bits(hash + (seed + 1) * 0x9e3779b97f4a7c15);
}

ModelDraw::ModelDraw(const ThroughputTable& table) {
  std::map<std::tuple<std::uint32_t, std::string, std::uint32_t>, const ThroughputRow*> best;
  for (const auto& row : table) {
    if (!(row.steps_per_s > 0)) continue;
    auto& slot = best[{row.gpus, row.model, row.batch_size}];
    if (slot == nullptr || speaks_before(row, *slot)) slot = &row;
  }
  for (const auto& [key, row] : best) by_gpus_[row->gpus].push_back({row->model, row->batch_size, row->steps_per_s});
}

const std::vector<JobType>& ModelDraw::types_for(std::uint32_t gpus) const {
  if (const auto found = by_gpus_.find(gpus); found != by_gpus_.end()) return found->second;
  const auto one = by_gpus_.find(1);
  return one == by_gpus_.end() ? none_ : one->second;
}

const JobType* ModelDraw::at(std::string_view model, std::uint32_t batch_size, std::uint32_t gpus) const {
  const auto types = by_gpus_.find(gpus);
  if (types == by_gpus_.end()) return nullptr;
  for (const auto& type : types->second)
    if (type.batch_size == batch_size && type.model == model) return &type;
  return nullptr;
}

bool ModelDraw::measured(std::string_view model, std::uint32_t batch_size, std::uint32_t gpus) const {
  return at(model, batch_size, gpus) != nullptr;
}

const JobType* ModelDraw::find(std::string_view model, std::uint32_t batch_size, std::uint32_t gpus) const {
  const auto* type = at(model, batch_size, gpus);
  return type != nullptr ? type : at(model, batch_size, 1);
}

const JobType* ModelDraw::draw(std::string_view job_id, std::uint32_t gpus, std::uint64_t seed) const {
  const auto& types = types_for(gpus);
  return types.empty() ? nullptr : &types[stable_hash(job_id, seed) % types.size()];
}

}  // namespace hadar::traces
