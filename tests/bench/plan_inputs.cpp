#include "tests/bench/plan_inputs.hpp"

#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <string>

namespace hadar {
namespace {

std::string numbered(const char* what, std::size_t number) {
  char text[32];
  std::snprintf(text, sizeof text, "%s%05zu", what, number);
  return text;
}

// Four GPUs, of one type unless mixed.
NodeCapacity node_of(const Shape& shape, std::size_t n) {
  const auto type = n % shape.types;
  NodeCapacity node{numbered("n", n), {{numbered("type", type), 4}}, {0, 1, 2, 3}, 12, 10};
  if (!shape.mixed) return node;
  if (n % 3 == 0 && type + 1 < shape.types) node.gpus = {{numbered("type", type), 1}, {numbered("type", type + 1), 3}};
  if (n % 5 == 0) node.net_gb_s = 1;
  return node;
}

}  // namespace

RoundInput waiting_input(const Shape& shape, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto draw = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(engine() >> 11) / static_cast<double>(1ULL << 53);
  };
  RoundInput input;
  input.round = RoundId{1};
  input.now_s = 100000;
  input.round_s = input.window_s = 360;
  for (std::size_t n = 0; n < shape.nodes; ++n) input.nodes.push_back(node_of(shape, n));
  for (std::size_t j = 1; j <= shape.jobs; ++j) {
    JobView job;
    job.job = JobId{j};
    job.model = "m";
    const auto gang = draw(0, 1);
    job.gpus = gang < 0.7 ? 1 : gang < 0.8 ? 2 : gang < 0.95 ? 4 : 8;
    job.forkable = shape.forkable;
    job.submitted_t_s = draw(0, input.now_s);
    const auto speed = draw(1, 100);
    double factor = 1;
    for (std::size_t t = 0; t < shape.types; ++t, factor *= draw(0.3, 0.9))
      job.estimates.push_back({numbered("type", t), Placement::kPacked, speed * factor, EstimateSource::kDeclared});
    job.steps_total = static_cast<std::uint64_t>(speed * draw(600, 200000));
    job.attained_service_gpu_s = draw(0, 1) < 0.5 ? 0 : draw(0, 50000);
    job.model_bytes = static_cast<std::uint64_t>(draw(1e6, 1e9));
    input.jobs.push_back(std::make_shared<const JobView>(std::move(job)));
  }
  return input;
}

RoundInput running_input(const RoundInput& before, const RoundPlan& plan) {
  auto input = before;
  input.round.value += 1;
  input.now_s += input.round_s;
  input.memory = plan.memory;
  std::map<NodeName, NodeCapacity*> nodes;
  for (auto& node : input.nodes) nodes[node.node] = &node;
  auto allocation = plan.allocations.begin();
  for (auto& view : input.jobs) {
    auto job = *view;
    for (; allocation != plan.allocations.end() && allocation->fork.job == job.job; ++allocation) {
      job.held.push_back(*allocation);
      job.steps_issued += allocation->quota_steps;
      for (const auto& slice : allocation->slices)
        for (const auto gpu : slice.gpus) std::erase(nodes[slice.node]->idle_gpus, gpu);
    }
    view = std::make_shared<const JobView>(std::move(job));
  }
  return input;
}

}  // namespace hadar
