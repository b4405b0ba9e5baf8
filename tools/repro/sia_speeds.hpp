// Speeds of Sia's applications, from the step times that its public artifact (SOSP'23) measured.
#pragma once

#include <filesystem>
#include <vector>

#include "messages/types/result.hpp"
#include "messages/types/throughput.hpp"

namespace hadar::repro {

// An application at the batch size of one GPU, on so many GPUs.
struct SiaJobType {
  std::string application;
  std::uint32_t batch_size = 1;
  std::uint32_t gpus = 1;

  friend auto operator<=>(const SiaJobType&, const SiaJobType&) = default;
};

// Rows on "T4", "RTX2080Ti" and "A100" for each of the job types, from
// `folder`/traces/APP/placements-{aws,rtx,dgx-ext}.csv (local_bsz,step_time,sync_time,placement; a digit of placement =
// the GPUs used on one node). Between measured batch sizes step times are interpolated; beyond the largest one a step
// accumulates gradients over several; below the smallest it takes as long as that. Gangs of a size that was not
// measured take the next smaller one's. An application without a file for a type does not run there. Errors: kNotFound
// when `folder` has no traces; kInvalidArgument with file and line.
Result<ThroughputTable> sia_speeds(const std::filesystem::path& folder, const std::vector<SiaJobType>& types);

}  // namespace hadar::repro
