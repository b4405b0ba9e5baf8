#include "actors/policy/tiresias/tiresias.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "actors/policy/plan_builder.hpp"
#include "actors/policy/settings.hpp"
#include "actors/policy/tiresias/gittins.hpp"
#include "actors/policy/tiresias/selection.hpp"
#include "actors/policy/tiresias/services.hpp"

namespace hadar {
namespace {

struct TiresiasSettings {
  std::vector<double> thresholds_gpu_s;
  double promote_after = 0;
  bool sticky = true;
  bool gittins = false;
  std::size_t min_samples = 10;
  double delta_gpu_s = 0;
  std::vector<double> services_gpu_s;
};

class Tiresias final : public Policy {
 public:
  explicit Tiresias(TiresiasSettings settings) : settings_(std::move(settings)) {}

  [[nodiscard]] PolicyTraits traits() const override { return {}; }

  [[nodiscard]] Result<RoundPlan> plan(const RoundInput& input) override {
    auto made = PlanBuilder::make(input);
    if (!made) return fail(std::move(made));
    PlanBuilder& plan = *made;
    auto services = Services::read(input.memory);
    services.advance(input);
    promote(input, services);
    const auto order = order_of(plan, services);
    Selection selection(plan, order);
    if (settings_.sticky || input.early)
      selection.place_sticky();
    else
      selection.place_on_fastest();
    explain(plan, order, selection, services);
    auto done = plan.finish("");
    services.count(input, done, speeds_of(plan));
    done.memory = services.write();
    return done;
  }

 private:
  struct Entry {
    std::size_t queue = 0;
    double index = 0;  // larger first; the same for all under LAS
    double started_t_s = 0;
    double submitted_t_s = 0;
    std::size_t job = 0;

    friend bool operator<(const Entry& a, const Entry& b) {
      return std::make_tuple(a.queue, -a.index, a.started_t_s, a.submitted_t_s, a.job) <
             std::make_tuple(b.queue, -b.index, b.started_t_s, b.submitted_t_s, b.job);
    }
  };

  [[nodiscard]] std::size_t queue_of(const JobService& service) const {
    const auto& limits = settings_.thresholds_gpu_s;
    return static_cast<std::size_t>(std::upper_bound(limits.begin(), limits.end(), service.counted_gpu_s()) -
                                    limits.begin());
  }

  // PROMOTEKNOB: waited since it last ran >= knob x time it ran. The top queue needs none when it is first come, first
  // served; under Gittins a job that outlasted all known ones would wait there for ever.
  void promote(const RoundInput& input, Services& services) const {
    if (settings_.promote_after <= 0) return;
    for (const auto& view : input.jobs) {
      const auto service = services.of(view->job);
      const double ran_s = service.counted_gpu_s() / service.gpus;
      if (ran_s <= 0 || (!settings_.gittins && queue_of(service) == 0)) continue;
      if (!service.granted && service.waited_s >= settings_.promote_after * ran_s) services.promote(view->job);
    }
  }

  [[nodiscard]] GittinsIndex gittins_of(const Services& services) const {
    auto known = settings_.services_gpu_s;
    known.insert(known.end(), services.ended().begin(), services.ended().end());
    return GittinsIndex(std::move(known), settings_.delta_gpu_s);
  }

  [[nodiscard]] std::vector<std::size_t> order_of(const PlanBuilder& plan, const Services& services) const {
    const auto index = gittins_of(services);
    const bool ranked = settings_.gittins && index.samples() >= settings_.min_samples;
    const double of_new = ranked ? index.at(0) : 0;
    std::vector<Entry> entries;
    for (std::size_t j = 0; j < plan.jobs(); ++j) {
      if (!plan.plannable(j) || plan.has_grant(j) || plan.steps_available(j) == 0) continue;
      const auto& view = plan.job(j);
      const auto service = services.of(view.job);
      const double counted = service.counted_gpu_s();
      entries.push_back({queue_of(service), ranked && counted > 0 ? index.at(counted) : of_new,
                         view.started_t_s.value_or(std::numeric_limits<double>::max()), view.submitted_t_s, j});
    }
    std::sort(entries.begin(), entries.end());
    std::vector<std::size_t> order;
    for (const auto& entry : entries) order.push_back(entry.job);
    return order;
  }

  void explain(PlanBuilder& plan, const std::vector<std::size_t>& order, const Selection& selection,
               const Services& services) const {
    std::uint32_t before = 0;
    for (const auto j : order) {
      if (plan.has_grant(j)) {
        ++before;
        continue;
      }
      const auto& view = plan.job(j);
      std::uint32_t installed = 0;
      for (std::uint32_t type = 0; type < plan.cluster().types(); ++type)
        if (plan.allows(j, type)) installed += plan.cluster().installed(type);
      if (installed < view.gpus) continue;  // the plan's own reason says so
      plan.explain(j, reason(view, services.of(view.job), before, selection.found_free(j)));
    }
  }

  [[nodiscard]] Reason reason(const JobView& view, const JobService& service, std::uint32_t before,
                              std::uint32_t left) const {
    const bool preempted = service.granted && !view.held.empty();
    const auto queue = queue_of(service) + 1;
    const auto queues = settings_.thresholds_gpu_s.size() + 1;
    char text[200];
    std::snprintf(
        text, sizeof text,
        "%sin priority queue %zu of %zu with %.6g GPU-s of service; wants %u GPUs, the %u jobs before it left %u",
        preempted ? "preempted: " : "", queue, queues, service.counted_gpu_s(), view.gpus, before, left);
    return {preempted ? "waiting_preempted" : "waiting_priority",
            text,
            {{"queue", static_cast<double>(queue)},
             {"service_gpu_s", service.counted_gpu_s()},
             {"before", static_cast<double>(before)},
             {"wanted", static_cast<double>(view.gpus)},
             {"free", static_cast<double>(left)},
             {"preemptions", static_cast<double>(service.preemptions + (preempted ? 1 : 0))},
             {"promotions", static_cast<double>(service.promotions)}}};
  }

  static std::vector<double> speeds_of(const PlanBuilder& plan) {
    std::vector<double> speeds(plan.jobs(), 0);
    for (std::size_t j = 0; j < plan.jobs(); ++j)
      for (const auto& grant : plan.grants(j)) speeds[j] += grant.steps_per_s;
    return speeds;
  }

  TiresiasSettings settings_;
};

Result<std::unique_ptr<Policy>> make(const std::string& name, bool gittins, const PolicySettings& given) {
  constexpr double kMostGpuSeconds = 1e12;
  SettingsReader reader(name, given);
  TiresiasSettings settings;
  settings.gittins = gittins;
  settings.thresholds_gpu_s = reader.rising_numbers("thresholds_gpu_s", {3600}, 0, kMostGpuSeconds);
  settings.promote_after = reader.number("promote_after", 0, 0, 1e9);
  settings.sticky = reader.word("placement", "sticky", {"sticky", "re-placed"}) == "sticky";
  if (gittins) {
    settings.min_samples = static_cast<std::size_t>(reader.number("min_samples", 10, 1, Services::kMostEnded));
    settings.delta_gpu_s = reader.number("delta_gpu_s", 0, 0, kMostGpuSeconds);
    settings.services_gpu_s = reader.rising_numbers("services_gpu_s", {}, 0, kMostGpuSeconds);
  }
  if (auto read = reader.done(); !read) return fail(std::move(read));
  return std::make_unique<Tiresias>(std::move(settings));
}

}  // namespace

Result<std::unique_ptr<Policy>> make_tiresias_las(const PolicySettings& settings) {
  return make("tiresias-las", false, settings);
}

Result<std::unique_ptr<Policy>> make_tiresias_gittins(const PolicySettings& settings) {
  return make("tiresias-gittins", true, settings);
}

}  // namespace hadar
