#include "launchers/one_plan.hpp"

#include "actors/pricing/prices.hpp"
#include "launchers/policies.hpp"

namespace hadar {

Result<RoundPlan> plan_once(const std::string& policy, RoundInput input) {
  auto made = make_policy(policy);
  if (!made) return fail(std::move(made));
  if ((*made)->traits().needs_prices) input.prices = make_prices(input, {}, {});
  return (*made)->plan(input);
}

}  // namespace hadar
