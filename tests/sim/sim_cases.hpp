// Nodes, jobs and options in few words.
#pragma once

#include <map>
#include <string>

#include "launchers/simulated_cluster.hpp"
#include "tests/sim/log_checks.hpp"

namespace hadar {

inline NodeInventory node_of(const std::string& name, const GpuType& type, std::uint32_t count) {
  return NodeInventory{name, {{type, count}}, 12, 1.25, true};
}

inline JobSpec sleep_job(const std::string& name, std::uint32_t gpus, std::uint64_t steps,
                         const std::map<GpuType, double>& steps_per_s) {
  JobSpec spec;
  spec.name = name;
  spec.workload = "sleep";
  spec.model = "sleep";
  spec.gpus = gpus;
  spec.total_steps = steps;
  spec.forkable = gpus == 1;
  spec.user = "tester";
  spec.sleep.steps_per_s = steps_per_s;
  return spec;
}

// Five nodes of one GPU each, speeds 10:6:4:3:2, as the default local cluster.
inline SimulatedClusterOptions five_nodes(const std::string& policy, double round_s) {
  SimulatedClusterOptions options;
  options.scheduler.policy = policy;
  options.scheduler.round_s = round_s;
  const char* types[] = {"A", "B", "C", "D", "E"};
  for (int i = 0; i < 5; ++i) options.nodes.push_back(node_of("n" + std::to_string(i + 1), types[i], 1));
  return options;
}

inline std::map<GpuType, double> five_speeds(double factor = 1) {
  return {{"A", 10 * factor}, {"B", 6 * factor}, {"C", 4 * factor}, {"D", 3 * factor}, {"E", 2 * factor}};
}

}  // namespace hadar
