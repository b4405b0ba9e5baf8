// The very steps of ECOS on share programs, for answers that are equal to its, not merely as good.
#pragma once

#include "actors/policy/round_mechanism/central_path.hpp"

namespace hadar {

// Solves any goal (kFloors without a start) as CVXPY 1.1.18 and ECOS 2.0.10 would: the program as the one writes it
// (embedded_program.hpp), the self-dual embedding from its least-squares start, Nesterov-Todd scalings, Mehrotra's
// predictor and corrector, and ECOS's systems, step lengths, tolerances and best point so far (Domahidi, Chu and Boyd,
// ECOS: An SOCP Solver for Embedded Systems, ECC 2013; public ECOS code). Where many answers are best, and for kFloors
// all are, its answer depends on its way. The level of the answer is the smallest utility, under kFinish the largest
// ratio, under kSum 0. Nothing when it does not settle. Deterministic; counts steps.
[[nodiscard]] std::optional<CentralAnswer> follow_embedded_path(const CentralProgram& program);

}  // namespace hadar
