// The very steps of ECOS on share programs, for answers that are equal to its, not merely as good.
#pragma once

#include "actors/policy/round_mechanism/central_path.hpp"

namespace hadar {

// Solves kSum, kMaxMin or kFloors (without a start) as ECOS 2.0.10 would: rows and columns scaled three times by the
// roots of their largest entries, the self-dual embedding from its least-squares start, Mehrotra's predictor and
// corrector, its step lengths and tolerances (Domahidi, Chu and Boyd, ECOS: An SOCP Solver for Embedded Systems, ECC
// 2013; public ECOS code). Where many answers are best, and for kFloors all are, its answer depends on its way. The
// level of the answer is the smallest utility (0 under kSum). Nothing when it does not settle. Deterministic; counts
// steps.
[[nodiscard]] std::optional<CentralAnswer> follow_embedded_path(const CentralProgram& program);

}  // namespace hadar
