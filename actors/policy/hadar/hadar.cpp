#include "actors/policy/hadar/hadar.hpp"

namespace hadar {
namespace {

class Hadar final : public Policy {
 public:
  Hadar(ValueSettings value, PlacingSettings placing) : value_(value), placing_(placing) {}

  [[nodiscard]] PolicyTraits traits() const override { return {.needs_prices = true}; }

  [[nodiscard]] Result<RoundPlan> plan(const RoundInput& input) override {
    auto made = PlanBuilder::make(input);
    if (!made) return fail(std::move(made));
    PlanBuilder& plan = *made;
    const Valuation value(plan, value_);
    auto waits = Waits::read(input.memory);
    place_queue(plan, value, queue_of(plan, value, waits, placing_), waits, placing_);
    explain_payoffs(plan, value);
    auto done = plan.finish("");
    waits.count(input, done);
    done.memory = waits.write();
    return done;
  }

 private:
  ValueSettings value_;
  PlacingSettings placing_;
};

}  // namespace

ValueSettings read_value_settings(SettingsReader& reader) {
  ValueSettings settings;
  settings.utility.kind = utility_of(reader.word("utility", "jct-makespan", utility_names()));
  settings.utility.beta = reader.number("beta", settings.utility.beta, 0, 1e6);
  settings.utility.quotas = reader.numbers("quota.", 0, 1);
  settings.stay_bonus = reader.number("stay_bonus", settings.stay_bonus, 0, 10);
  settings.probe_bonus = reader.number("probe_bonus", settings.probe_bonus, 0, 10);
  settings.switch_s = reader.number("switch_s", settings.switch_s, 0, 1e6);
  return settings;
}

PlacingSettings read_placing_settings(SettingsReader& reader) {
  PlacingSettings settings;
  settings.window = reader.whole("window", settings.window, 0, 64);
  settings.budget = reader.whole("budget", 1000, 1, 10000000);
  settings.exact = reader.flag("exact", settings.exact);
  settings.max_wait = reader.whole("max_wait_rounds", 500, 1, 1000000000);
  return settings;
}

Result<std::unique_ptr<Policy>> make_hadar(const PolicySettings& settings) {
  SettingsReader reader("hadar", settings);
  const auto value = read_value_settings(reader);
  const auto placing = read_placing_settings(reader);
  if (auto read = reader.done(); !read) return fail(std::move(read));
  return std::make_unique<Hadar>(value, placing);
}

}  // namespace hadar
