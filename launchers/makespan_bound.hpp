// The makespan that no scheduler can beat.
#pragma once

#include <optional>
#include <vector>

#include "actors/throughput/throughput_book.hpp"
#include "launchers/simulation.hpp"

namespace hadar {

// Seconds from the first arrival that any scheduler needs for these jobs at their declared speeds, as long as no job
// runs on more GPUs than its gang and no GPU serves two: the largest, over some arrivals a, of a + the least makespan
// of the jobs that come from then on (the makespan's linear program, actors/pricing). All arrivals would be exact but
// slow; any of them bounds. Jobs without a speed here do not count. nullopt: no job counts.
[[nodiscard]] std::optional<double> makespan_bound(const std::vector<TraceJob>& jobs,
                                                   const std::vector<NodeInventory>& nodes, const ThroughputBook& book);

}  // namespace hadar
