// Small round inputs for tests.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "messages/types/round.hpp"

namespace hadar::testing {

inline NodeCapacity node_of(const NodeName& name, std::vector<GpuGroup> gpus) {
  NodeCapacity node;
  node.node = name;
  node.gpus = std::move(gpus);
  for (std::uint32_t gpu = 0; gpu < gpu_types_by_index(node.gpus).size(); ++gpu) node.idle_gpus.push_back(gpu);
  return node;
}

// A border of 10 s rounds on idle nodes.
inline RoundInput input_of(std::vector<NodeCapacity> nodes) {
  RoundInput input;
  input.round = RoundId{7};
  input.round_s = 10;
  input.window_s = 10;
  input.nodes = std::move(nodes);
  return input;
}

inline JobView job_of(std::uint64_t id, std::uint32_t gpus, std::uint64_t steps,
                      const std::map<GpuType, double>& speeds) {
  JobView job;
  job.job = JobId{id};
  job.model = "m";
  job.gpus = gpus;
  job.steps_total = steps;
  for (const auto& [type, speed] : speeds)
    job.estimates.push_back({type, Placement::kPacked, speed, EstimateSource::kDeclared});
  return job;
}

inline void add(RoundInput& input, JobView job) {
  input.jobs.push_back(std::make_shared<const JobView>(std::move(job)));
}

// Lets a job hold GPUs that were idle. Call before `add`.
inline void hold(RoundInput& input, JobView& job, std::uint32_t fork, std::vector<GpuSlice> slices, std::uint64_t quota,
                 bool ends_at_border = false) {
  for (auto& node : input.nodes)
    for (const auto& slice : slices)
      if (slice.node == node.node)
        std::erase_if(node.idle_gpus, [&](auto gpu) {
          return std::find(slice.gpus.begin(), slice.gpus.end(), gpu) != slice.gpus.end();
        });
  job.steps_issued += quota;
  job.held.push_back({{job.job, fork}, std::move(slices), quota, ends_at_border, 1});
}

inline const Reason& reason_of(const RoundPlan& plan, std::uint64_t job) {
  for (const auto& outcome : plan.outcomes)
    if (outcome.job.value == job) return outcome.reason;
  static const Reason kNone;
  return kNone;
}

inline std::vector<Allocation> allocations_of(const RoundPlan& plan, std::uint64_t job) {
  std::vector<Allocation> found;
  for (const auto& allocation : plan.allocations)
    if (allocation.fork.job.value == job) found.push_back(allocation);
  return found;
}

}  // namespace hadar::testing
