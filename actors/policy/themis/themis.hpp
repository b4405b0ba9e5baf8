// Themis (Mahajan et al., NSDI'20): finish-time fairness by auctions among those worst off.
#pragma once

#include "actors/policy/policy.hpp"

namespace hadar {

// Finish-time fairness of a job: rho = T_sh / T_id. T_sh: its age plus the time its steps left take on the gang looked
// at; for no gang, the window until the next auction and then its fastest type. T_id: all its steps on 1/n of the
// cluster, n = jobs now: it has min(GPUs / n, its gang) GPUs of the average speed over the GPUs it may use.
//
// At every border the GPUs whose leases have ended are auctioned:
//   1. Offered to the (1 - fairness) x n jobs, at least one, with the worst rho, should they get nothing.
//   2. The one worst off is served first, on its best type with room: its rho grows without bound while it waits. Then
//      the product of V = 1 / rho over all of them is made large: (job, type) pairs by gain of log V per GPU, each job
//      once, while its gang fits. That is greedy where the paper solves exactly; a gang is whole or nothing.
//   3. What is left goes to all other jobs, the worst off first, each on its fastest type with room (work conserving).
// A gang stays on one type unless no type has room for it; among the GPUs of its type a job keeps those it holds.
// Between borders idle GPUs are given the same way, and nothing is taken.
//
// The paper's hidden payment (a winner keeps a fraction c of its win) makes bidding the truth pay. Here the bids are
// the scheduler's own estimates, nobody can lie, and a gang has no fractions: it is not charged.
//
// Settings: fairness (f = 0.8, as the paper), lease_rounds (1: every border ends all leases; more make a winner
// keep its GPUs for so many rounds, as the paper's leases do).
[[nodiscard]] Result<std::unique_ptr<Policy>> make_themis(const PolicySettings& settings);

}  // namespace hadar
