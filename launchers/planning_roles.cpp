#include <caf/all.hpp>

#include "actors/oracle/price_oracle_actor.hpp"
#include "actors/policy_host/policy_actor.hpp"
#include "launchers/policies.hpp"
#include "launchers/price_settings.hpp"
#include "launchers/process.hpp"

namespace hadar {

Result<std::shared_ptr<void>> add_oracle_role(Process& process) {
  const auto settings = price_settings(process.config().prices, process.config().policy);
  process.local().price_oracle = spawn_price_oracle(process.system(), SpawnMode::kShared, settings);
  process.bridge().serve(ActorKey::kPriceOracle, process.local().price_oracle);
  return std::shared_ptr<void>{};
}

Result<std::shared_ptr<void>> add_policy_role(Process& process) {
  const auto& name = process.config().scheduler.policy;
  auto policy = make_policy(name, process.config().policy);
  if (!policy) return tl::unexpected<Error>(policy.error());
  process.local().policy =
      spawn_policy(process.system(), SpawnMode::kShared, name, std::shared_ptr<Policy>(*std::move(policy)));
  process.bridge().serve(ActorKey::kPolicy, process.local().policy);
  return std::shared_ptr<void>{};
}

}  // namespace hadar
