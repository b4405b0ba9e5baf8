#include "actors/policy/hadare/hadare.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "actors/policy/hadar/hadar.hpp"
#include "actors/policy/hadare/fork_planner.hpp"

namespace hadar {
namespace {

constexpr std::string_view kGatherLine = "gather\n";
constexpr std::string_view kSpreadLine = "spread\n";
constexpr double kMostMakespanLoss = 1.05;  // what gathering may cost the makespan, whatever it gains

// Gathering is for the mean completion time; what merging costs then is paid by the makespan. Both count alike, as
// parts of what they are under the other rule.
ForkRule better_rule(const ForkForecaster& forecaster) {
  const auto gather = forecaster.play(ForkRule::kGather);
  const auto spread = forecaster.play(ForkRule::kSpread);
  if (gather.makespan_s > kMostMakespanLoss * spread.makespan_s) return ForkRule::kSpread;
  const double ours = gather.makespan_s * spread.mean_completion_s + gather.mean_completion_s * spread.makespan_s;
  return ours <= 2 * spread.makespan_s * spread.mean_completion_s ? ForkRule::kGather : ForkRule::kSpread;
}

bool nothing_runs(const RoundInput& input) {
  return std::all_of(input.jobs.begin(), input.jobs.end(), [](const auto& job) { return job->held.empty(); });
}

// The memory is the waits, after a line with the rule in force: an early replan goes on with it while something runs.
class Hadare final : public Policy {
 public:
  Hadare(ValueSettings value, PlacingSettings placing, ForkSettings forks, std::optional<ForkRule> rule)
      : value_(value), placing_(placing), forks_(forks), rule_(rule) {}

  [[nodiscard]] PolicyTraits traits() const override { return {.needs_prices = true, .forks = true}; }

  [[nodiscard]] Result<RoundPlan> plan(const RoundInput& input) override {
    auto made = PlanBuilder::make(input);
    if (!made) return fail(std::move(made));
    PlanBuilder& plan = *made;
    const Valuation value(plan, value_);
    const ForkTerms terms(plan, value, forks_);
    std::string_view memory = input.memory;
    auto rule = memory.starts_with(kSpreadLine) ? ForkRule::kSpread : ForkRule::kGather;
    if (memory.starts_with(kSpreadLine) || memory.starts_with(kGatherLine)) memory.remove_prefix(kGatherLine.size());
    auto waits = Waits::read(std::string(memory));
    if (rule_)
      rule = *rule_;
    else if (!input.early || nothing_runs(input))
      rule = better_rule(ForkForecaster(plan, value, terms));
    ForkPlanner(plan, value, terms, placing_, waits).place(rule);
    explain_payoffs(plan, value);
    auto done = plan.finish("");
    waits.count(input, done);
    done.memory = std::string(rule == ForkRule::kGather ? kGatherLine : kSpreadLine) + waits.write();
    return done;
  }

 private:
  ValueSettings value_;
  PlacingSettings placing_;
  ForkSettings forks_;
  std::optional<ForkRule> rule_;
};

}  // namespace

Result<std::unique_ptr<Policy>> make_hadare(const PolicySettings& settings) {
  SettingsReader reader("hadare", settings);
  const auto value = read_value_settings(reader);
  const auto placing = read_placing_settings(reader);
  ForkSettings forks;
  const auto name = reader.word("rule", "auto", {"auto", "gather", "spread"});
  forks.merge_efficiency = reader.number("merge_efficiency", forks.merge_efficiency, 0, 1);
  forks.merge_s = reader.number("merge_s", forks.merge_s, 0, 1e6);
  forks.start_s = reader.number("start_s", forks.start_s, 0, 1e6);
  forks.least_window = reader.number("least_window", forks.least_window, 0, 1);
  forks.max_forks = static_cast<std::uint32_t>(reader.number("max_forks", forks.max_forks, 1, 4096));
  if (auto read = reader.done(); !read) return fail(std::move(read));
  std::optional<ForkRule> rule;
  if (name == "gather") rule = ForkRule::kGather;
  if (name == "spread") rule = ForkRule::kSpread;
  return std::make_unique<Hadare>(value, placing, forks, rule);
}

}  // namespace hadar
