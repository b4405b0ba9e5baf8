// Places single gangs: the engine of `hadar`, and of `hadare` for what it does not fork.
#pragma once

#include <cstddef>
#include <vector>

#include "actors/policy/gang_search.hpp"
#include "actors/policy/waits.hpp"

namespace hadar {

struct PlacingSettings {
  std::size_t window = 64;       // jobs the dynamic program looks at together
  std::size_t budget = 1000;     // most states it may open in a cluster of a few nodes; large clusters get fewer
  bool exact = false;            // the program tries every gang and its budget is not scaled: for small clusters
  std::uint32_t max_wait = 500;  // rounds after which a waiting job goes first
};

// The jobs that can get something new, best first: those that waited too long (longest first), then by what a GPU
// gains them, ties by id.
[[nodiscard]] std::vector<std::size_t> queue_of(const PlanBuilder& plan, const Valuation& value, const Waits& waits,
                                                const PlacingSettings& settings);

// Gives a job the offered gang as its only one; a gang it holds already is renewed.
void place_alone(PlanBuilder& plan, std::size_t j, const Offer& offer);

// Places the jobs of `queue` that have nothing yet, one gang each, in five passes.
// 1. Jobs that waited too long, in their order, until they have a quarter of the GPUs (at least one job). So at every
//    border on which its gang fits the job that waited longest starts, and none that began to wait later comes before
//    it: a job waits at most max_wait rounds and one for every job that waited already when it began to.
// 2. The first `window` jobs together, by dynamic programming over (job, free GPUs): each takes one of its offers or
//    is skipped, so that the sum of payoffs (of utilities when no others wait) is largest. States that differ only in
//    which of several like nodes is free are one. When the budget of states runs out, every further job takes its
//    best offer (greedy).
// 3. The others in order, each its best offer, while that pays.
// 4. Every job still without GPUs for which a whole gang is free, price or not: no GPU idles while a job fits on it.
// 5. At a border, jobs placed on slower GPUs while faster ones stayed free move up.
void place_queue(PlanBuilder& plan, const Valuation& value, const std::vector<std::size_t>& queue, const Waits& waits,
                 const PlacingSettings& settings);

// Gives every job without GPUs, for which none are left and whose payoff is not positive, the reason waiting_payoff
// {utility, price, payoff}.
void explain_payoffs(PlanBuilder& plan, const Valuation& value);

}  // namespace hadar
