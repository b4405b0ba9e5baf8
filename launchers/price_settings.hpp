// The price oracle's settings, from what its process is told.
#pragma once

#include "actors/policy/policy.hpp"
#include "actors/pricing/prices.hpp"
#include "runtime/config/process_config.hpp"

namespace hadar {

// Form and smoothing as in section [prices]; the utility as the policy's settings say, so that prices and payoffs speak
// of the same thing. Settings the oracle does not know are the policy's to check.
PriceSettings price_settings(const PriceOptions& prices, const PolicySettings& policy);

}  // namespace hadar
