// Can a cluster ever run a gang? Asked at submission over all known nodes; pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "messages/types/cluster.hpp"
#include "messages/types/job.hpp"
#include "messages/types/round.hpp"

namespace hadar {

// What a job asks of a cluster. Gangs may span nodes and mix the allowed types.
struct Demand {
  std::uint32_t gpus = 1;
  std::vector<GpuType> gpu_types;  // allowed; empty = any
};

[[nodiscard]] Demand demand_of(const JobSpec& spec);
[[nodiscard]] Demand demand_of(const JobView& job);

// GPUs per type.
using GpuTotals = std::map<GpuType, std::uint32_t>;

// The installed GPUs of all nodes that are known and not lost for good; states do not matter.
[[nodiscard]] GpuTotals totals_of(const std::vector<NodeInventory>& nodes);

// Nothing when the cluster could run the demand with all its GPUs idle, else why it never can:
// "infeasible_gpus" {wanted, most_possible} or "infeasible_type" {wanted, types_allowed} with the nearest type's name.
[[nodiscard]] std::optional<Reason> infeasible(const Demand& demand, const GpuTotals& totals);

}  // namespace hadar
