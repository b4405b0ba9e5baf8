// Shares of time: the question a Gavel policy asks, and its answer. The round mechanism turns answers into rounds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "messages/types/ids.hpp"
#include "messages/types/result.hpp"

namespace hadar {

// A job as the question sees it. Speeds are those of the whole gang, in steps per second.
struct ShareJob {
  JobId job;
  std::uint32_t gpus = 1;  // gang size; Gavel's scale factor
  double weight = 1;
  double steps_left = 0;
  double age_s = 0;                          // since its submission
  std::optional<double> time_to_deadline_s;  // may be zero or negative
  std::size_t entity = 0;                    // index into ShareProblem::entities
  double isolated_history = 0;               // Gavel's cum_i: sum of (steps done) / (isolated steps per s) so far
  std::optional<std::size_t> placed_on;      // index of the type it runs on; for policies that do not move jobs
  std::vector<double> steps_per_s;           // by type; 0 = cannot run there
};

// Two jobs that may share the same GPUs; only pairs of equal gang size.
struct SharePair {
  std::size_t a = 0;  // indices into ShareProblem::jobs, a < b
  std::size_t b = 0;
  std::vector<std::array<double, 2>> steps_per_s;  // by type: speed of a and of b; 0, 0 = does not fit
};

enum class EntityRule : std::uint8_t { kFairness = 1, kFifo = 2 };

// A group of jobs that shares one weight, for hierarchical policies.
struct ShareEntity {
  std::string name;
  double weight = 1;
  EntityRule rule = EntityRule::kFairness;
};

struct ShareProblem {
  std::vector<GpuType> types;
  std::vector<double> gpus;                // by type; > 0
  std::vector<double> price_per_gpu_hour;  // by type; empty = unknown
  std::vector<ShareJob> jobs;              // rising ids
  std::vector<SharePair> pairs;            // rising (a, b); empty unless the policy shares GPUs
  std::vector<ShareEntity> entities;       // empty = every job on its own
  std::uint64_t seed = 0;                  // for policies that draw
};

struct PairShare {
  std::size_t a = 0;  // indices into ShareProblem::jobs, a < b
  std::size_t b = 0;
  std::vector<double> share;  // by type
};

// x[job][type]: the part of wall time a job runs alone on a type; pairs the part two jobs run there together.
// Feasible: a job's shares sum to at most 1, a type's GPUs are not exceeded.
struct TimeShares {
  std::vector<std::vector<double>> alone;  // [job][type]
  std::vector<PairShare> together;         // rising (a, b); only pairs with a share
  double objective = 0;                    // in the policy's own measure
  std::vector<std::string> notes;          // fallbacks taken, one sentence each
};

// A policy as an optimisation problem: pure, deterministic, no clock; limits on effort count iterations.
using ShareRule = Result<TimeShares> (*)(const ShareProblem& problem);

}  // namespace hadar
