// One round from shares: who gets GPUs of which type, and which ones.
#pragma once

#include <optional>
#include <vector>

#include "actors/policy/plan_builder.hpp"
#include "actors/policy/round_mechanism/fair_state.hpp"

namespace hadar {

// What the choice needs to know of the jobs, by their place in the plan's input.
struct FairJobs {
  std::vector<std::vector<double>> alone;  // steps/s by type; 0 = cannot run there
  bool leftovers = true;                   // GPUs that no share claims go to jobs without one
};

// Fills a plan. Claims, one per combination and type with a share, are served by how far behind they will be when the
// round ends if they get nothing (Gavel, OSDI'20, section 5, orders by share over time received; claims in seconds keep
// their meaning when shares change and converge in the same way), ties by share, then by age. A claim is passed over
// when one of its jobs has a place or the type has too few GPUs left. Then, oldest first, jobs without a place take the
// type on which they are fastest among those with GPUs left. Gangs are of one type.
//
// Placement per type, largest gangs first: those that hold such GPUs keep them; others go to the node they leave the
// fewest free GPUs on, or over the fewest nodes. In an early replan only idle GPUs are given away.
//
// Returns the places after the plan, held ones included.
[[nodiscard]] std::vector<FairPlace> fill_round(PlanBuilder& plan, const FairState& state, const FairJobs& jobs);

}  // namespace hadar
