// The jobs of a round as their utilities see them.
#pragma once

#include <vector>

#include "actors/policy/solvers/market.hpp"
#include "actors/pricing/utility.hpp"
#include "actors/throughput/job_speeds.hpp"
#include "messages/types/round.hpp"

namespace hadar {

// Steps of a job still to be done, as far as known: those not issued and what open leases have left; at least 1.
[[nodiscard]] double steps_undone(const JobView& job);

// What is left to do as a market over `types` (rising names): capacity = installed GPUs, utility = parts of a job's
// work per second. `speeds`: one per job.
[[nodiscard]] solvers::Market work_left(const RoundInput& input, const std::vector<GpuType>& types,
                                        const std::vector<JobSpeeds>& speeds);

// One entry per job of the input; makespan shares are 0 where the utility of `settings` does not look at them.
// `speeds`: one per job, over `types` (rising names).
[[nodiscard]] std::vector<UtilityJob> utility_jobs(const RoundInput& input, const UtilitySettings& settings,
                                                   const std::vector<GpuType>& types,
                                                   const std::vector<JobSpeeds>& speeds);

}  // namespace hadar
