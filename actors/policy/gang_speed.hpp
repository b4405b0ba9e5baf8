// How fast a gang takes its synchronous steps.
#pragma once

#include "actors/policy/cluster_index.hpp"
#include "actors/policy/plan_builder.hpp"

namespace hadar {

// Steps/s of a whole gang. Its slowest member sets the pace (Hadar, arXiv 2503.10918); with `proportional_batch` the
// batch is split by speed and the pace is the members' mean. A gang over several nodes uses the spread estimates; where
// there is none it pays for exchanging gradients: 2(K-1)/K x model bytes / slowest network of its K nodes per step when
// both are known, otherwise a tenth of its speed; the more of the two when only some networks are known, so that a node
// about which nothing is known never speeds a gang up. Compute and exchange are taken not to overlap.
[[nodiscard]] double gang_speed(const PlanBuilder& plan, std::size_t j, const Gang& gang);

}  // namespace hadar
