// The policies of Gavel (OSDI'20) and the baselines it is compared with, each as a rule from a share problem to time
// shares.
#pragma once

#include <string_view>
#include <vector>

#include "actors/policy/shares.hpp"

namespace hadar {

struct GavelRule {
  std::string_view name;     // as users write it
  std::string_view summary;  // one clause
  ShareRule solve = nullptr;
  std::string_view objective;    // what TimeShares::objective is, with its unit; empty = nothing to compare
  bool shares_gpus = false;      // reads ShareProblem::pairs and may answer with TimeShares::together
  bool whole_shares = false;     // every share is 0 or 1: a job has its GPUs or waits
  bool strict_queue = false;     // a job without a share must not run, even on idle GPUs
  bool needs_prices = false;     // refuses a problem without price_per_gpu_hour
  bool reads_placement = false;  // reads ShareJob::placed_on: jobs stay where they run
};

// All rules, in the order of the manual. Pure and thread-safe. Every rule checks its problem and fails with
// kInvalidArgument where it is malformed; a problem without jobs gives no shares. Feasible to 1e-9.
const std::vector<GavelRule>& gavel_rules();

// nullptr when no rule has that name.
const GavelRule* find_gavel_rule(std::string_view name);

}  // namespace hadar
