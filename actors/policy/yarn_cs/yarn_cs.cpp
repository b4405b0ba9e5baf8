#include "actors/policy/yarn_cs/yarn_cs.hpp"

#include <algorithm>

#include "actors/policy/gang_speed.hpp"
#include "actors/policy/plan_builder.hpp"
#include "actors/policy/settings.hpp"

namespace hadar {
namespace {

// The first free GPUs the job may use, nodes by name; fewer than it wants when there are no more.
Gang first_free(const PlanBuilder& plan, std::size_t j) {
  Gang gang;
  auto missing = plan.job(j).gpus;
  for (std::uint32_t node = 0; node < plan.cluster().nodes() && missing > 0; ++node)
    for (std::uint32_t type = 0; type < plan.cluster().types() && missing > 0; ++type) {
      const auto count = plan.allows(j, type) ? std::min(missing, plan.free(node, type)) : 0;
      if (count == 0) continue;
      gang.push_back({node, type, count});
      missing -= count;
    }
  return gang;
}

Reason behind(const JobView& first, const JobView& waiting) {
  return {"waiting_queue",
          "strict order: waits behind job " + std::to_string(first.job.value) + ", which wants " +
              std::to_string(first.gpus) + " GPUs",
          {{"behind_job", static_cast<double>(first.job.value)}, {"wanted", static_cast<double>(waiting.gpus)}}};
}

class YarnCs final : public Policy {
 public:
  [[nodiscard]] PolicyTraits traits() const override { return {}; }

  [[nodiscard]] Result<RoundPlan> plan(const RoundInput& input) override {
    auto made = PlanBuilder::make(input);
    if (!made) return fail(std::move(made));
    PlanBuilder& plan = *made;
    for (std::size_t j = 0; j < plan.jobs(); ++j)
      for (std::size_t held = 0; held < plan.job(j).held.size() && !plan.has_grant(j); ++held) (void)plan.keep(j, held);
    const JobView* head = nullptr;  // the job everyone behind it waits for
    for (std::size_t j = 0; j < plan.jobs(); ++j) {
      if (plan.has_grant(j) || !plan.plannable(j)) continue;
      if (head != nullptr) {
        plan.explain(j, behind(*head, plan.job(j)));
        continue;
      }
      const auto gang = first_free(plan, j);
      if (size_of(gang) < plan.job(j).gpus) {
        head = &plan.job(j);
        continue;
      }
      const auto placed = plan.allocate(j, 0, gang, gang_speed(plan, j, gang));
      if (!placed) return fail(Status(placed));
    }
    return plan.finish("");
  }
};

}  // namespace

Result<std::unique_ptr<Policy>> make_yarn_cs(const PolicySettings& settings) {
  if (auto read = SettingsReader("yarn-cs", settings).done(); !read) return fail(std::move(read));
  return std::make_unique<YarnCs>();
}

}  // namespace hadar
