// Settings of policies and prices on the command line of `hadar simulate` and `hadar repro`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launchers/simulation.hpp"

namespace hadar::cli {

struct NamedSettings {
  std::map<std::string, PolicySettings> of_policy;  // of those that have any
  std::optional<PriceOptions> prices;
};

// Every "POLICY.key=value" and "prices.key=value" of --set. kInvalidArgument, naming the option, for a policy that is
// not among `policies`, for what the policy or the prices refuse, and for prices that none of `policies` uses.
Result<NamedSettings> parse_settings(const std::vector<std::string>& texts, const std::vector<std::string>& policies);

// Refuses those of parsed settings that change nothing on this cluster under these jobs. kInvalidArgument.
Status check_used(const std::vector<std::string>& texts, const SimulationOptions& base,
                  const std::vector<TraceJob>& workload);

}  // namespace hadar::cli
