#include "tests/answers/random_rounds.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string>

namespace hadar::answers {
namespace {

const std::vector<GpuType> kTypes = {"A", "B", "C"};

std::vector<NodeCapacity> random_nodes(Dice& dice, const RoundShape& shape, std::uint32_t types) {
  std::vector<NodeCapacity> nodes;
  const auto count = 1 + dice.upto(shape.most_nodes - 1);
  for (std::uint32_t n = 0; n < count; ++n) {
    NodeCapacity node;
    node.node = "n" + std::to_string(n);
    for (std::uint32_t type = 0; type < types; ++type)
      if (const auto gpus = dice.upto(shape.most_gpus); gpus > 0) node.gpus.push_back({kTypes[type], gpus});
    if (node.gpus.empty()) node.gpus.push_back({kTypes[0], 1});
    for (std::uint32_t gpu = 0; gpu < gpu_types_by_index(node.gpus).size(); ++gpu) node.idle_gpus.push_back(gpu);
    node.net_gb_s = dice.chance(0.2) ? 0 : dice.chance(0.5) ? 1 : 10;
    nodes.push_back(std::move(node));
  }
  return nodes;
}

// Some job holds its gang's worth of idle GPUs, in the order of nodes.
void let_run(Dice& dice, JobView& job, std::vector<NodeCapacity>& nodes) {
  std::vector<GpuSlice> slices;
  std::uint32_t missing = job.gpus;
  const auto first = dice.upto(static_cast<std::uint32_t>(nodes.size()) - 1);
  for (std::size_t k = 0; k < nodes.size() && missing > 0; ++k) {
    auto& node = nodes[(first + k) % nodes.size()];
    GpuSlice slice{node.node, {}};
    for (const auto gpu : node.idle_gpus) {
      const auto type = gpu_types_by_index(node.gpus)[gpu];
      const bool allowed = job.gpu_types.empty() || std::count(job.gpu_types.begin(), job.gpu_types.end(), type) > 0;
      if (missing == 0 || !allowed) continue;
      slice.gpus.push_back(gpu);
      --missing;
    }
    if (!slice.gpus.empty()) slices.push_back(std::move(slice));
  }
  if (missing > 0) return;
  std::sort(slices.begin(), slices.end(), [](const auto& a, const auto& b) { return a.node < b.node; });
  for (auto& node : nodes)
    for (const auto& slice : slices)
      if (slice.node == node.node)
        std::erase_if(node.idle_gpus, [&](auto gpu) { return std::count(slice.gpus.begin(), slice.gpus.end(), gpu); });
  job.steps_issued = job.steps_total;
  job.held.push_back({{job.job, 0}, std::move(slices), job.steps_total, false, 1});
}

JobView random_job(Dice& dice, const RoundShape& shape, std::uint32_t types, std::uint64_t id) {
  JobView job;
  job.job = JobId{id};
  job.model = "m";
  job.gpus = 1 + dice.upto(shape.most_gang - 1);
  job.steps_total = 10 + dice.upto(5000);
  job.proportional_batch = shape.proportional;
  job.merge_s = dice.chance(0.5) ? 0 : dice.between(0, 3);
  job.model_bytes = dice.chance(0.5) ? 0 : static_cast<std::uint64_t>(dice.between(1e6, 1e9));
  const bool filtered = dice.chance(0.3);
  for (std::uint32_t type = 0; type < types; ++type) {
    if (filtered && (type > 0 || !dice.chance(0.5)) && dice.chance(0.4)) continue;
    if (filtered) job.gpu_types.push_back(kTypes[type]);
    const double speed = 1 + dice.upto(19);
    job.estimates.push_back({kTypes[type], Placement::kPacked, speed, EstimateSource::kDeclared});
    if (dice.chance(0.3))
      job.estimates.push_back(
          {kTypes[type], Placement::kSpread, speed * dice.between(0.3, 1), EstimateSource::kDeclared});
  }
  return job;
}

}  // namespace

RoundInput random_round(std::uint64_t seed, const RoundShape& shape) {
  Dice dice(seed);
  RoundInput input;
  input.round = RoundId{1};
  input.round_s = input.window_s = 10;
  const auto types = 1 + dice.upto(2);
  input.nodes = random_nodes(dice, shape, types);
  const auto jobs = 1 + dice.upto(shape.most_jobs - 1);
  for (std::uint64_t id = 1; id <= jobs; ++id) {
    auto job = random_job(dice, shape, types, id);
    if (dice.chance(0.3)) let_run(dice, job, input.nodes);
    input.jobs.push_back(std::make_shared<const JobView>(std::move(job)));
  }
  for (std::uint32_t type = 0; type < types; ++type)
    input.prices.price[kTypes[type]] = dice.chance(0.2) ? 0 : dice.between(0, 2);
  input.prices.exponential = shape.exponential;
  if (shape.exponential)
    for (const auto& [type, price] : input.prices.price) {
      input.prices.u_max[type] = dice.between(0.1, 2);
      input.prices.u_min[type] = input.prices.u_max[type] * dice.between(0.001, 0.3);
    }
  return input;
}

std::vector<Gang> every_gang(const PlanBuilder& plan, std::size_t job) {
  std::vector<Part> cells;
  const auto& cluster = plan.cluster();
  for (std::uint32_t node = 0; node < cluster.nodes(); ++node)
    for (std::uint32_t type = 0; type < cluster.types(); ++type)
      if (plan.free(node, type) > 0 && plan.allows(job, type)) cells.push_back({node, type, plan.free(node, type)});
  std::vector<Gang> gangs;
  Gang gang;
  const std::function<void(std::size_t, std::uint32_t)> grow = [&](std::size_t cell, std::uint32_t missing) {
    if (missing == 0) gangs.push_back(gang);
    if (missing == 0 || cell == cells.size()) return;
    for (std::uint32_t count = 0; count <= std::min(missing, cells[cell].count); ++count) {
      if (count > 0) gang.push_back({cells[cell].node, cells[cell].type, count});
      grow(cell + 1, missing - count);
      if (count > 0) gang.pop_back();
    }
  };
  grow(0, plan.job(job).gpus);
  return gangs;
}

}  // namespace hadar::answers
