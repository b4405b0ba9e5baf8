// What GPUs cost, to the figures and to policies that weigh costs.
#pragma once

#include "tools/cli/simulate_args.hpp"

namespace hadar::cli {

// "TYPE=COST" of --gpu-cost. kInvalidArgument.
Result<std::map<GpuType, double>> parse_gpu_costs(const std::vector<std::string>& texts);

// Gives every policy of the plan that weighs costs its prices: those of --set, else those of --gpu-cost; lists the
// types that have neither. Refuses, with kInvalidArgument, a cost of a type that the cluster lacks and two prices of
// one type.
Status price_policies(SimulatePlan& plan);

// GPU types of the cluster that --gpu-cost says nothing of.
std::vector<GpuType> types_without_cost(const SimulationOptions& base);

}  // namespace hadar::cli
