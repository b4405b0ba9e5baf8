// Speeds of jobs on GPU types.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "messages/types/ids.hpp"

namespace hadar {

enum class Placement : std::uint8_t { kPacked = 1, kSpread = 2 };  // on one node / over several

enum class EstimateSource : std::uint8_t {
  kDeclared = 1,  // a table or the job file says so
  kPrior = 2,     // derived from GPU facts
  kMeasured = 3,  // steps divided by time, as reported by trainers
};

// Steps per second of ONE gang member of a job on one GPU of `type`. A type without an estimate is unknown, not slow.
struct Estimate {
  GpuType type;
  Placement placement = Placement::kPacked;
  double steps_per_s = 0;
  EstimateSource source = EstimateSource::kPrior;

  friend bool operator==(const Estimate&, const Estimate&) = default;
};

// One row of a throughput table.
struct ThroughputRow {
  std::string model;
  std::uint32_t batch_size = 0;
  std::uint32_t gpus = 1;
  GpuType type;
  Placement placement = Placement::kPacked;
  double steps_per_s = 0;

  friend bool operator==(const ThroughputRow&, const ThroughputRow&) = default;
};

using ThroughputTable = std::vector<ThroughputRow>;

// What a job runs, as far as its speed beside another goes.
struct WorkloadKey {
  std::string model;
  std::uint32_t batch_size = 0;  // in tables: 0 = any

  friend auto operator<=>(const WorkloadKey&, const WorkloadKey&) = default;
};

// Steps per second of one gang member of each of two jobs that share the same GPUs; equal gang sizes. Both 0: they do
// not fit.
struct PairEstimate {
  WorkloadKey a;
  WorkloadKey b;  // not before a
  std::uint32_t gpus = 1;
  GpuType type;
  double a_steps_per_s = 0;
  double b_steps_per_s = 0;

  friend bool operator==(const PairEstimate&, const PairEstimate&) = default;
};

using PairTable = std::vector<PairEstimate>;

}  // namespace hadar
