#include "actors/policy/valuation.hpp"

#include <algorithm>

#include "actors/policy/gang_speed.hpp"
#include "actors/pricing/utility_jobs.hpp"

namespace hadar {
namespace {
constexpr double kUnknownSwitchFraction = 0.01;  // of a round
}  // namespace

Valuation::Valuation(const PlanBuilder& plan, const ValueSettings& settings)
    : plan_(&plan), settings_(settings), speeds_(plan.speeds()), prices_(plan) {
  jobs_ = utility_jobs(plan.input(), settings.utility, plan.cluster().type_names(), speeds_);
}

double Valuation::speed(std::size_t j, const Gang& gang) const {
  return gang_speed(*plan_, j, gang);
}

double Valuation::utility_at(std::size_t j, double steps_per_s) const {
  return utility(settings_.utility, jobs_[j], steps_per_s, plan_->input().round_s);
}

Offer Valuation::offer(std::size_t j, Gang gang) const {
  const auto& job = plan_->job(j);
  Offer offer;
  offer.gang = std::move(gang);
  offer.steps_per_s = speed(j, offer.gang);
  offer.utility = utility_at(j, offer.steps_per_s);
  offer.price = prices_.of(offer.gang);
  for (const auto& held : job.held)
    offer.stays = offer.stays || (!held.ends_at_border && plan_->cluster().gang_of(held) == offer.gang);
  if (offer.stays)
    offer.utility *= 1 + settings_.stay_bonus;
  else if (!job.held.empty())
    offer.utility *= switching_factor(j);
  for (const auto& part : offer.gang)
    if (speeds_[j].guessed(part.type)) {
      offer.utility *= 1 + settings_.probe_bonus;
      break;
    }
  return offer;
}

double Valuation::switching_factor(std::size_t j) const {
  const double round_s = plan_->input().round_s;
  const double measured_s = plan_->job(j).merge_s;
  const double known_s = settings_.switch_s > 0 ? settings_.switch_s : measured_s;
  const double lost_s = known_s > 0 ? known_s : kUnknownSwitchFraction * round_s;
  return std::max(0.0, 1 - lost_s / round_s);
}

double Valuation::most_gain(std::size_t j, std::size_t place, bool priced) const {
  const auto& job = plan_->job(j);
  const auto& order = speeds_[j].order();
  const auto speed_on = [&](std::uint32_t type) {
    return std::max(speeds_[j].member(type), speeds_[j].member(type, true));
  };
  double speed = speed_on(order[place]);
  double cheapest = prices_.least(order[place]);
  for (std::size_t faster = 0; job.gpus > 1 && faster < place; ++faster) {
    cheapest = std::min(cheapest, prices_.least(order[faster]));
    if (job.proportional_batch) speed = std::max(speed, speed_on(order[faster]));
  }
  // What it holds may gain the bonus: under the types of its members only.
  bool may_stay = false;
  for (const auto& held : job.held)
    for (const auto& part : plan_->cluster().gang_of(held)) may_stay = may_stay || part.type == order[place];
  const bool may_probe = std::any_of(order.begin(), order.end(), [&](auto type) { return speeds_[j].guessed(type); });
  const double gained =
      utility_at(j, speed) * (may_stay ? 1 + settings_.stay_bonus : 1) * (may_probe ? 1 + settings_.probe_bonus : 1);
  return priced ? gained - cheapest * job.gpus : gained;
}

double Valuation::density(std::size_t j) const {
  const double gpus = std::max<std::uint32_t>(1, plan_->job(j).gpus);
  double best = -1e300;
  for (const auto type : speeds_[j].order())
    best = std::max(best, utility_at(j, speeds_[j].member(type)) / gpus - prices_.of_type(type));
  return best;
}

}  // namespace hadar
