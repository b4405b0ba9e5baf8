// How good first guesses of speeds are: what is left out of a table of speeds is guessed from the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "actors/throughput/colocation.hpp"
#include "actors/throughput/speed_prior.hpp"
#include "messages/types/result.hpp"
#include "runtime/config/throughput_csv.hpp"

namespace hadar {

struct EstimateCheckOptions {
  std::size_t references = 16;  // job types taken as measured in full
  double profiled = 0.2;        // part of its pairs that each other job type is measured on
  std::uint64_t seed = 1;       // of which ones
};

struct EstimateCheck {
  SpeedPrior prior;                  // fitted to the whole table
  std::vector<PriorError> models;    // each left out in turn
  ColocationCheck colocation;        // pairs on one GPU left out
  std::size_t columns_left_out = 0;  // (GPU type, partner) that are not measured for every job type: not looked at
};

// Pure. Errors: kInvalidArgument when the table is too small for a fit or the split leaves nothing (see fit_prior and
// check_colocation).
[[nodiscard]] Result<EstimateCheck> check_estimates(const ThroughputFile& file, const EstimateCheckOptions& options);

}  // namespace hadar
