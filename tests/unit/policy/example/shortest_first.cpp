#include "actors/policy/gang_search.hpp"
#include "actors/policy/placing.hpp"
#include "actors/policy/policy.hpp"
#include "actors/policy/settings.hpp"

namespace hadar {

// Shortest remaining time first: each job its fastest free gang, moved at any border.
class ShortestFirst final : public Policy {
 public:
  PolicyTraits traits() const override { return {}; }

  Result<RoundPlan> plan(const RoundInput& input) override {
    auto made = PlanBuilder::make(input);  // fails when the input contradicts itself
    if (!made) return fail(std::move(made));
    const Valuation value(*made, {.utility = {UtilityKind::kJct}});
    for (const auto job : queue_of(*made, value, {}, {}))  // those that can get something, best first
      if (const auto offer = best_offer(*made, value, job)) place_alone(*made, job, *offer);
    return made->finish("");  // names GPUs, gives every job an outcome and a reason
  }
};

Result<std::unique_ptr<Policy>> make_shortest_first(const PolicySettings& settings) {
  if (auto read = SettingsReader("shortest-first", settings).done(); !read) return fail(std::move(read));
  return std::make_unique<ShortestFirst>();
}

}  // namespace hadar
