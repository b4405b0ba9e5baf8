// A run of the simulator: a cluster, a workload, a policy and a seed in; figures, and events as they happen, out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "actors/throughput/throughput_book.hpp"
#include "launchers/simulated_cluster.hpp"
#include "launchers/simulation_figures.hpp"
#include "runtime/config/fault_plan.hpp"

namespace hadar {

// The workload of jobs that only exist in traces.
inline constexpr const char* kTraceWorkload = "trace";

// A row of a trace, ready to run. Its speeds come from the run's table, or from the job itself when its workload is
// "sleep"; types without a speed are not used.
struct TraceJob {
  JobSpec spec;
  double arrival_s = 0;

  friend bool operator==(const TraceJob&, const TraceJob&) = default;
};

struct SimulationOptions {
  std::string policy;
  PolicySettings settings;
  PriceOptions prices;
  std::vector<NodeInventory> nodes;
  ThroughputTable throughputs;
  PairTable pairs;          // speeds of two jobs on the same GPUs
  bool gavel_2022 = false;  // to the letter of Gavel's simulator; for policies that share time
  double time_scale = 1;    // table speeds times this
  double round_s = 360;
  std::uint64_t seed = 1;
  std::function<TrainerCosts(const JobSpec&)> costs;  // empty: starts and saves take no time
  double noise = 0;                                   // as SimulatedClusterOptions
  std::optional<double> merge_efficiency;             // the same; set: jobs end by what their steps are worth
  double spread_factor = 1;
  std::optional<double> checkpoint_s;  // between saves of a running job; 0 = a round; absent = as the policy needs it
  FaultPlan faults;
  std::map<GpuType, double> cost_per_gpu_h;  // empty: no cost is reckoned
  std::size_t first_measured = 0;            // as FigureOptions
  std::size_t last_measured = SIZE_MAX;
  double limit_s = 0;  // cluster time after which the run is given up; 0 = 100 years, the most
  EventObserver observer;
  // Told now and then: jobs ended so far, and the cluster time.
  std::function<void(std::uint64_t ended, double t_s)> progress;
  // Told what each plan took on this machine, in seconds.
  std::function<void(double)> planned;
};

// A job that this cluster can never run: it is not submitted.
struct InfeasibleJob {
  std::size_t index = 0;  // in the workload
  Reason reason;
};

// A job whose trainers failed too often in a row.
struct FailedJob {
  std::string name;
  std::string reason;
};

struct SimulationResult {
  RunFigures figures;
  std::vector<InfeasibleJob> infeasible;
  std::vector<FailedJob> failed;
  bool ended = true;                    // false: the limit came first
  double now_s = 0;                     // cluster time at the end
  std::vector<std::string> violations;  // rules of the cluster that were broken; a fault of ours
};

// Runs until every job has ended. The same arguments give the same result and the same events, byte for byte; several
// may run at once on different threads. Errors: kNotFound and kInvalidArgument as make_policy; kInvalidArgument for a
// fault at a node that is not there.
Result<SimulationResult> run_simulation(const SimulationOptions& options, const std::vector<TraceJob>& workload);

}  // namespace hadar
