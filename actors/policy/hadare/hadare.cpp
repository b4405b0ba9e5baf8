#include "actors/policy/hadare/hadare.hpp"

#include <optional>
#include <string_view>

#include "actors/policy/hadar/hadar.hpp"
#include "actors/policy/hadare/fork_planner.hpp"

namespace hadar {
namespace {

constexpr std::string_view kGatherLine = "gather\n";
constexpr std::string_view kSpreadLine = "spread\n";

// The memory is the waits, after a line with the rule of the last border: an early replan goes on with it.
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
    std::string_view memory = input.memory;
    auto last = ForkRule::kGather;
    if (memory.starts_with(kSpreadLine)) last = ForkRule::kSpread;
    if (memory.starts_with(kSpreadLine) || memory.starts_with(kGatherLine)) memory.remove_prefix(kGatherLine.size());
    auto waits = Waits::read(std::string(memory));
    ForkPlanner planner(plan, value, forks_, placing_, waits);
    const auto rule = rule_ ? *rule_ : input.early ? last : planner.choose();
    planner.place(rule);
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
  forks.least_window = reader.number("least_window", forks.least_window, 0, 1);
  forks.max_forks = static_cast<std::uint32_t>(reader.number("max_forks", forks.max_forks, 1, 4096));
  if (auto read = reader.done(); !read) return fail(std::move(read));
  std::optional<ForkRule> rule;
  if (name == "gather") rule = ForkRule::kGather;
  if (name == "spread") rule = ForkRule::kSpread;
  return std::make_unique<Hadare>(value, placing, forks, rule);
}

}  // namespace hadar
