#include "actors/policy_host/policy_actor.hpp"

#include <caf/all.hpp>

#include "runtime/bridge/caf_compat.hpp"

namespace hadar::policy_actor {
namespace {

PolicyActor::behavior_type behavior(PolicyActor::pointer self, const std::string& name,
                                    const std::shared_ptr<Policy>& policy) {
  return {[self, name, policy](const PlanRound& request) -> caf::result<RoundPlanned> {
    if (!request.input) return to_caf(Error{ErrorCode::kInvalidArgument, "plan_round: no input"});
    const auto begin = self->clock().now();
    auto plan = policy->plan(*request.input);
    if (!plan) return to_caf(plan.error());
    const std::chrono::duration<double, std::milli> took = self->clock().now() - begin;
    return RoundPlanned{*std::move(plan), name, took.count()};
  }};
}

}  // namespace
}  // namespace hadar::policy_actor

namespace hadar {

PolicyActor spawn_policy(caf::actor_system& system, SpawnMode mode, std::string name, std::shared_ptr<Policy> policy) {
  return spawn_as(system, mode, policy_actor::behavior, std::move(name), std::move(policy));
}

}  // namespace hadar
