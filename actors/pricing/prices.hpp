// The price board of a round.
#pragma once

#include "actors/pricing/utility.hpp"
#include "messages/types/round.hpp"

namespace hadar {

enum class PriceMethod {
  kClearing,     // the price at which demand meets the installed GPUs
  kExponential,  // Hadar's curve, read at what is asked for at its lowest price
};

struct PriceSettings {
  PriceMethod method = PriceMethod::kClearing;
  UtilitySettings utility{};
  double smoothing = 0.5;  // weight of the new bounds against the last board's, 0 to 1
};

// Prices of every type in `input`, for its round; its jobs are all that is asked for, its own `prices` are not looked
// at. `previous` is the last board made (empty at first): bounds are smoothed against its bounds. Pure.
//
// Clearing prices are the dual of the round's own program: rounds of GPUs to those who value them most, gangs divisible
// (solvers::max_value). At them every job's best choice can be met at once, but for as many jobs as there are types.
//
// Bounds per type: u_max = the most a GPU of it is worth to any job this round; u_min = the least it is worth to a job
// on its slowest type, made fit by `bounded_curve`. The Hadar paper takes both over a horizon; ours are of one round,
// since payoffs are.
[[nodiscard]] PriceBoard make_prices(const RoundInput& input, const PriceSettings& settings,
                                     const PriceBoard& previous);

}  // namespace hadar
