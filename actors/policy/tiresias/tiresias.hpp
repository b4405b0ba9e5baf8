// Tiresias (Gu et al., NSDI'19): least attained service over two dimensions, GPUs and time.
#pragma once

#include "actors/policy/policy.hpp"

namespace hadar {

// Both policies: jobs move down through priority queues as the service they received (GPUs x time) reaches one
// threshold after another. At every border the queues are walked from the top; a job runs when its gang fits into what
// those before it left, otherwise it is passed over, and preempted if it was running (2DAS, discretised; the walk does
// not block). Between borders only idle GPUs are given, in the same order.
// Inside a queue: `tiresias-las` by time of first start, then by submission. `tiresias-gittins` by Gittins index over
// the services of ended jobs, then the same; while fewer than `min_samples` are known its order is that of
// `tiresias-las`.
//
// Neither knows speeds. The paper has one kind of GPU; on several:
//   placement "sticky" (default): a job that keeps running keeps its GPUs; others get whichever GPUs fit tightest, of
//     one type unless no type has room for the gang. It is the paper's algorithm as it stands.
//   placement "re-placed": at every border all jobs are placed anew, in the order of the queues, each on its fastest
//     type with room. Not blind any more, and a far stronger opponent.
// The paper consolidates only models with skewed tensors, which it profiles; that is not known here, so every gang is
// put on one node, or few, where that is possible.
//
// Settings: thresholds_gpu_s (3600, the two queues of the public simulator's example; "3250, 7200, 18000" gives four),
// promote_after (0 = off, as in published comparisons; p: a job that waited p times as long as it ran goes back
// to the top queue with its service forgiven; under LAS only one below the top queue), placement; and
// `tiresias-gittins`: min_samples (10), delta_gpu_s (0 = the supremum; the public simulator: 3250), services_gpu_s
// (services of earlier jobs, beside those that end).
[[nodiscard]] Result<std::unique_ptr<Policy>> make_tiresias_las(const PolicySettings& settings);
[[nodiscard]] Result<std::unique_ptr<Policy>> make_tiresias_gittins(const PolicySettings& settings);

}  // namespace hadar
