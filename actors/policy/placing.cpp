#include "actors/policy/placing.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "actors/policy/queue_program.hpp"
#include "messages/types/check.hpp"

namespace hadar {
namespace {

constexpr double kStarvingShare = 0.25;  // of all GPUs, per round

std::uint32_t free_gpus(const PlanBuilder& plan) {
  std::uint32_t gpus = 0;
  for (std::uint32_t type = 0; type < plan.cluster().types(); ++type) gpus += plan.free_of_type(type);
  return gpus;
}

// The offer worth most when GPUs cost nothing.
std::optional<Offer> most_useful(std::vector<Offer> found) {
  if (found.empty()) return std::nullopt;
  auto best = std::max_element(found.begin(), found.end(),
                               [](const Offer& a, const Offer& b) { return a.utility < b.utility; });
  return std::move(*best);
}

std::vector<std::size_t> unplaced(const PlanBuilder& plan, const std::vector<std::size_t>& queue) {
  std::vector<std::size_t> jobs;
  for (const auto j : queue)
    if (!plan.has_grant(j)) jobs.push_back(j);
  return jobs;
}

void place_starving(PlanBuilder& plan, const Valuation& value, const std::vector<std::size_t>& queue,
                    const Waits& waits, const PlacingSettings& settings) {
  const double limit = kStarvingShare * free_gpus(plan);
  double taken = 0;
  for (const auto j : queue) {
    if (waits.rounds(plan.job(j).job) < settings.max_wait || taken >= limit) return;
    const auto offer = most_useful(offers(plan, value, j));
    if (!offer) continue;
    place_alone(plan, j, *offer);
    taken += plan.job(j).gpus;
  }
}

bool has_faster_free(const PlanBuilder& plan, const Valuation& value, std::size_t j, const Gang& gang) {
  double slowest = value.speeds(j).best();
  for (const auto& part : gang) slowest = std::min(slowest, value.speeds(j).member(part.type));
  for (const auto type : value.speeds(j).order())
    if (plan.free_of_type(type) > 0 && value.speeds(j).member(type) > slowest) return true;
  return false;
}

void move_up(PlanBuilder& plan, const Valuation& value, const std::vector<std::size_t>& queue) {
  for (const auto j : queue) {
    if (free_gpus(plan) == 0) return;
    if (plan.grants(j).size() != 1) continue;
    const auto& grant = plan.grants(j).front();
    if (grant.ends_at_border || grant.gang.empty() || !has_faster_free(plan, value, j, grant.gang)) continue;
    const auto now = value.offer(j, grant.gang);
    const auto point = plan.checkpoint();
    if (!plan.release(j, grant.fork)) continue;
    const auto better = most_useful(offers(plan, value, j));
    if (better && better->utility > now.utility)
      place_alone(plan, j, *better);
    else
      plan.rollback(point);
  }
}

// What a round is worth to a waiting job and what it would cost, where it pays most.
struct Forgone {
  double utility = 0;
  double price = 0;
  std::string place;  // type, and the node where it matters
};

Forgone best_paying(const PlanBuilder& plan, const Valuation& value, const std::vector<GangPrices::Asked>& asked,
                    std::size_t j) {
  Forgone best;
  for (const auto type : value.speeds(j).order()) {
    const double utility = value.utility_at(j, value.speeds(j).member(type));
    const double price = asked[type].price * plan.job(j).gpus;
    if (!best.place.empty() && utility - price <= best.utility - best.price) continue;
    const auto gpus = plan.job(j).gpus;
    best = {utility, price, (gpus > 1 ? std::to_string(gpus) + " " : "") + plan.cluster().type_name(type)};
    if (gpus == 1 && asked[type].node != ClusterIndex::kNone)
      best.place += "@" + plan.cluster().node_name(asked[type].node);
  }
  return best;
}

std::string payoff_text(const Forgone& best) {
  char text[120];
  std::snprintf(text, sizeof text, "payoff %.4g: utility %.4g, price %.4g on ", best.utility - best.price, best.utility,
                best.price);
  return text + best.place + ": others gain more from its GPUs";
}

}  // namespace

std::vector<std::size_t> queue_of(const PlanBuilder& plan, const Valuation& value, const Waits& waits,
                                  const PlacingSettings& settings) {
  struct Entry {
    std::size_t job;
    std::uint32_t starved;
    double density;
  };
  std::vector<Entry> entries;
  for (std::size_t j = 0; j < plan.jobs(); ++j) {
    if (!plan.plannable(j) || plan.has_grant(j) || plan.steps_available(j) == 0) continue;
    const auto waited = waits.rounds(plan.job(j).job);
    entries.push_back({j, waited >= settings.max_wait ? waited : 0, value.density(j)});
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.starved != b.starved ? a.starved > b.starved : a.density > b.density;
  });
  std::vector<std::size_t> queue;
  for (const auto& entry : entries) queue.push_back(entry.job);
  return queue;
}

void place_alone(PlanBuilder& plan, std::size_t j, const Offer& offer) {
  std::uint32_t fork = 0;
  if (offer.stays)
    for (const auto& held : plan.job(j).held)
      if (!held.ends_at_border && plan.cluster().gang_of(held) == offer.gang) fork = held.fork.fork;
  const auto placed = plan.allocate(j, fork, offer.gang, offer.steps_per_s);
  HADAR_ENSURE(placed.has_value());
}

void place_queue(PlanBuilder& plan, const Valuation& value, const std::vector<std::size_t>& queue, const Waits& waits,
                 const PlacingSettings& settings) {
  place_starving(plan, value, queue, waits, settings);
  auto rest = unplaced(plan, queue);
  const auto together = std::min(settings.window, rest.size());
  const bool others_want = together < rest.size();
  QueueProgram(plan, value, {rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(together)},
               {others_want, settings.budget, settings.exact})
      .place();
  for (auto j = rest.begin() + static_cast<std::ptrdiff_t>(together); j != rest.end() && free_gpus(plan) > 0; ++j)
    if (const auto offer = best_offer(plan, value, *j); offer && offer->payoff() > 0) place_alone(plan, *j, *offer);
  for (const auto j : unplaced(plan, rest)) {
    if (free_gpus(plan) == 0) break;
    if (const auto offer = most_useful(offers(plan, value, j))) place_alone(plan, j, *offer);
  }
  if (!plan.input().early) move_up(plan, value, queue);
}

void explain_payoffs(PlanBuilder& plan, const Valuation& value) {
  std::vector<GangPrices::Asked> asked;
  for (std::uint32_t type = 0; type < plan.cluster().types(); ++type) asked.push_back(value.prices().asked(type));
  for (std::size_t j = 0; j < plan.jobs(); ++j) {
    if (plan.has_grant(j) || !plan.plannable(j) || value.speeds(j).order().empty()) continue;
    if (plan.free_for(j) >= plan.job(j).gpus) continue;
    const auto best = best_paying(plan, value, asked, j);
    if (best.utility - best.price > 0) continue;
    plan.explain(j, {"waiting_payoff",
                     payoff_text(best),
                     {{"utility", best.utility}, {"price", best.price}, {"payoff", best.utility - best.price}}});
  }
}

}  // namespace hadar
