#include "actors/policy/themis/finish_time.hpp"

#include <algorithm>

#include "actors/pricing/utility_jobs.hpp"
#include "messages/types/check.hpp"

namespace hadar {
namespace {

double age_s(const PlanBuilder& plan, std::size_t j) {
  return std::max(0.0, plan.input().now_s - plan.job(j).submitted_t_s);
}

}  // namespace

FinishTimes::FinishTimes(const PlanBuilder& plan) : plan_(&plan) {
  for (std::size_t j = 0; j < plan.jobs(); ++j) {
    ideal_s_.push_back(ideal_s(j));
    const double best = plan.speeds(j).best();
    rho_waiting_.push_back(
        ideal_s_[j] > 0 ? (age_s(plan, j) + plan.input().window_s + steps_undone(plan.job(j)) / best) / ideal_s_[j]
                        : 0.0);
  }
}

double FinishTimes::ideal_s(std::size_t j) const {
  const auto& job = plan_->job(j);
  double gpus = 0;
  double speed = 0;
  for (const auto type : plan_->speeds(j).order()) {
    gpus += plan_->cluster().installed(type);
    speed += plan_->cluster().installed(type) * plan_->speeds(j).member(type);
  }
  if (gpus < job.gpus || speed <= 0) return 0;
  const double fair_gpus = gpus / static_cast<double>(plan_->jobs());
  const double share = std::min(1.0, fair_gpus / job.gpus);
  return static_cast<double>(job.steps_total) / (share * speed / gpus);
}

double FinishTimes::rho_at(std::size_t j, double steps_per_s) const {
  HADAR_REQUIRE(steps_per_s > 0);
  return ideal_s_[j] > 0 ? (age_s(*plan_, j) + steps_undone(plan_->job(j)) / steps_per_s) / ideal_s_[j] : 0.0;
}

}  // namespace hadar
