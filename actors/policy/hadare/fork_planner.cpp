#include "actors/policy/hadare/fork_planner.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "messages/types/check.hpp"

namespace hadar {
namespace {

constexpr double kGatherFrom = 0.85;            // merge efficiency from which gathering wins
constexpr double kUnknownMergeFraction = 0.03;  // of a round
constexpr double kMostMergeFraction = 0.1;      // of a round

std::uint32_t free_on(const PlanBuilder& plan, std::size_t j, std::uint32_t node) {
  std::uint32_t gpus = 0;
  for (std::uint32_t type = 0; type < plan.cluster().types(); ++type)
    if (plan.allows(j, type)) gpus += plan.free(node, type);
  return gpus;
}

bool any_free(const PlanBuilder& plan) {
  for (std::uint32_t type = 0; type < plan.cluster().types(); ++type)
    if (plan.free_of_type(type) > 0) return true;
  return false;
}

}  // namespace

ForkPlanner::ForkPlanner(PlanBuilder& plan, const Valuation& value, const ForkSettings& forks,
                         const PlacingSettings& placing, const Waits& waits)
    : plan_(plan), value_(value), forks_(forks), placing_(placing), waits_(waits) {
  const auto& cluster = plan.cluster();
  for (std::size_t j = 0; j < plan.jobs(); ++j) {
    left_.push_back(value.steps_left(j));
    for (std::uint32_t type = 0; type < cluster.types(); ++type) {
      const auto [it, fresh] = hosts_.try_emplace({type, plan.job(j).gpus}, 0);
      if (!fresh) continue;
      for (std::uint32_t node = 0; node < cluster.nodes(); ++node) {
        const auto gpus = cluster.gpu_types(node);
        if (std::count(gpus.begin(), gpus.end(), type) >= static_cast<std::ptrdiff_t>(plan.job(j).gpus)) ++it->second;
      }
    }
  }
}

std::uint32_t ForkPlanner::hosts(std::size_t j, std::uint32_t type) const {
  return plan_.allows(j, type) ? hosts_.at({type, plan_.job(j).gpus}) : 0;
}

bool ForkPlanner::forks_at_all(std::size_t j) const {
  if (!plan_.job(j).forkable || forks_.max_forks < 2) return false;
  std::uint32_t nodes = 0;
  for (std::uint32_t type = 0; type < plan_.cluster().types(); ++type) nodes += hosts(j, type);
  return nodes > 1;
}

double ForkPlanner::merge_s(std::size_t j) const {
  const double round_s = plan_.input().round_s;
  const double fallback = forks_.merge_s > 0 ? forks_.merge_s : kUnknownMergeFraction * round_s;
  const double known = plan_.job(j).merge_s;
  return std::min(known > 0 ? known : fallback, kMostMergeFraction * round_s);
}

double ForkPlanner::usable_s(std::size_t j) const {
  return plan_.input().window_s - merge_s(j);
}

double ForkPlanner::least_s(std::size_t j) const {
  return std::max(2 * merge_s(j), forks_.least_window * plan_.input().round_s);
}

double ForkPlanner::progress(const std::vector<double>& speeds) const {
  if (speeds.empty()) return 0;
  const double fastest = *std::max_element(speeds.begin(), speeds.end());
  const double sum = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  return fastest + forks_.merge_efficiency * (sum - fastest);
}

double ForkPlanner::planned_progress(std::size_t j) const {
  std::vector<double> speeds;
  for (const auto& grant : plan_.grants(j)) speeds.push_back(grant.steps_per_s);
  return progress(speeds);
}

double ForkPlanner::speed_on(std::size_t j, std::uint32_t node) const {
  if (free_on(plan_, j, node) < plan_.job(j).gpus || plan_.on_node(j, node)) return 0;
  const auto offer = offer_on_node(plan_, value_, j, node);
  return offer ? offer->steps_per_s : 0;
}

// A window shorter than the least is only used to finish.
bool ForkPlanner::worth_starting(std::size_t j, double speed) const {
  const double usable = usable_s(j);
  return usable > 0 && speed * usable >= 1 && (usable >= least_s(j) || left_[j] <= speed * usable);
}

std::vector<std::size_t> ForkPlanner::soonest_first() const {
  std::vector<std::pair<double, std::size_t>> order;
  std::vector<std::size_t> starving;
  for (std::size_t j = 0; j < plan_.jobs(); ++j) {
    if (!plan_.plannable(j) || plan_.has_grant(j) || left_[j] <= 0 || plan_.steps_available(j) == 0) continue;
    double speed = value_.speeds(j).best();
    if (forks_at_all(j)) {
      std::vector<double> speeds;
      for (std::uint32_t type = 0; type < plan_.cluster().types(); ++type)
        speeds.insert(speeds.end(), std::min(hosts(j, type), forks_.max_forks), value_.speeds(j).member(type));
      speed = std::max(speed, progress(speeds));
    }
    if (speed <= 0) continue;
    if (waits_.rounds(plan_.job(j).job) >= placing_.max_wait) starving.push_back(j);
    order.emplace_back(left_[j] / speed / value_.weight(j), j);
  }
  std::stable_sort(order.begin(), order.end());
  std::vector<std::size_t> jobs;
  if (!starving.empty())
    jobs.push_back(*std::max_element(starving.begin(), starving.end(), [&](auto a, auto b) {
      return waits_.rounds(plan_.job(a).job) < waits_.rounds(plan_.job(b).job);
    }));
  for (const auto& [time, j] : order)
    if (jobs.empty() || jobs.front() != j) jobs.push_back(j);
  return jobs;
}

void ForkPlanner::start_alone(std::size_t j) {
  auto found = offers(plan_, value_, j);
  const auto best = std::max_element(found.begin(), found.end(),
                                     [](const Offer& a, const Offer& b) { return a.utility < b.utility; });
  if (best != found.end()) place_alone(plan_, j, *best);
}

// Numbers follow the nodes' order, so that a job that keeps its nodes keeps its fork numbers.
void ForkPlanner::add_forks(std::size_t j, std::vector<std::uint32_t> nodes) {
  std::sort(nodes.begin(), nodes.end());
  for (const auto node : nodes) {
    const auto offer = offer_on_node(plan_, value_, j, node);
    HADAR_ENSURE(offer.has_value());
    const auto placed = plan_.allocate_fork(j, plan_.unused_fork(j), offer->gang, offer->steps_per_s, usable_s(j));
    HADAR_ENSURE(placed.has_value());
  }
}

// As many free nodes as there are, fastest first, until the rest of the job would not fill the least window.
void ForkPlanner::fork(std::size_t j, bool extend) {
  struct Host {
    double speed;
    std::uint32_t node;
  };
  std::vector<Host> free_hosts;
  for (std::uint32_t node = 0; node < plan_.cluster().nodes(); ++node)
    if (const double speed = speed_on(j, node); speed * usable_s(j) >= 1) free_hosts.push_back({speed, node});
  std::stable_sort(free_hosts.begin(), free_hosts.end(),
                   [](const Host& a, const Host& b) { return a.speed > b.speed; });
  const double left = extend ? static_cast<double>(plan_.steps_available(j)) : left_[j];
  const auto most = std::min<double>(forks_.max_forks - std::min<double>(forks_.max_forks, plan_.grants(j).size()),
                                     std::max(1.0, left));
  std::vector<std::uint32_t> nodes;
  double speed = 0;
  for (const auto& host : free_hosts) {
    if (nodes.size() >= most || (speed > 0 && left / speed <= least_s(j))) break;
    nodes.push_back(host.node);
    speed += host.speed;
  }
  const bool worth = extend ? usable_s(j) >= least_s(j) || left <= speed * usable_s(j) : worth_starting(j, speed);
  if (!nodes.empty() && worth) add_forks(j, std::move(nodes));
}

void ForkPlanner::extend_started() {
  for (std::size_t j = 0; j < plan_.jobs(); ++j) {
    if (!plan_.plannable(j) || !plan_.has_grant(j) || !plan_.job(j).forkable || plan_.steps_available(j) == 0) continue;
    if (plan_.grants(j).front().ends_at_border) fork(j, true);
  }
}

void ForkPlanner::gather() {
  for (const auto j : soonest_first()) {
    if (!any_free(plan_)) return;
    if (forks_at_all(j)) {
      fork(j, false);
      if (plan_.has_grant(j)) continue;
      if (!plan_.input().early) {
        start_alone(j);  // so slow that no fork does a step in a round
        continue;
      }
      char text[120];
      std::snprintf(text, sizeof text, "%.3g s to the border are too short to start in; the least is %.3g s",
                    plan_.input().window_s, least_s(j) + merge_s(j));
      if (usable_s(j) < least_s(j) && plan_.free_for(j) >= plan_.job(j).gpus)
        plan_.explain(
            j, {"waiting_border", text, {{"window_s", plan_.input().window_s}, {"least_s", least_s(j) + merge_s(j)}}});
    } else {
      start_alone(j);
    }
  }
}

// Puts one more fork of a placed job on a node; its warm lease, if it has one, becomes a fork that merges too.
bool ForkPlanner::fork_onto(std::size_t j, std::uint32_t node) {
  const auto first = plan_.grants(j).front();
  const auto point = plan_.checkpoint();
  if (!first.ends_at_border) {
    if (first.gang.empty() || node_count(first.gang) != 1 || !plan_.release(j, first.fork)) return false;
    if (!plan_.allocate_fork(j, first.fork, first.gang, first.steps_per_s, usable_s(j))) {
      plan_.rollback(point);
      return false;
    }
  }
  const auto offer = offer_on_node(plan_, value_, j, node);
  if (offer && plan_.allocate_fork(j, plan_.unused_fork(j), offer->gang, offer->steps_per_s, usable_s(j))) return true;
  plan_.rollback(point);
  return false;
}

void ForkPlanner::fork_idle_nodes() {
  for (std::uint32_t node = 0; node < plan_.cluster().nodes(); ++node) {
    for (bool again = true; again;) {
      again = false;
      std::vector<std::pair<double, std::size_t>> candidates;
      for (std::size_t j = 0; j < plan_.jobs(); ++j) {
        if (!plan_.has_grant(j) || !plan_.plannable(j) || !forks_at_all(j)) continue;
        if (plan_.grants(j).size() >= forks_.max_forks || plan_.steps_available(j) + 0.0 < 2) continue;
        const double planned = planned_progress(j);
        if (planned <= 0) continue;
        const double time_left = left_[j] / planned;
        if (time_left <= least_s(j) || speed_on(j, node) * usable_s(j) < 1) continue;
        candidates.emplace_back(time_left, j);
      }
      std::stable_sort(candidates.begin(), candidates.end());
      for (const auto& [time, j] : candidates)
        if (fork_onto(j, node)) {
          again = true;
          break;
        }
    }
  }
}

void ForkPlanner::spread(const PlacingSettings& placing) {
  auto queue = queue_of(plan_, value_, waits_, placing);
  std::erase_if(queue, [&](auto j) { return left_[j] <= 0; });
  place_queue(plan_, value_, queue, waits_, placing);
  if (!plan_.input().early && any_free(plan_)) fork_idle_nodes();
}

void ForkPlanner::place(ForkRule rule) {
  if (plan_.input().early) extend_started();
  if (rule == ForkRule::kGather)
    gather();
  else
    spread(placing_);
}

double ForkPlanner::predict(ForkRule rule) {
  auto placing = placing_;
  placing.budget = std::min(placing.budget, forks_.predict_budget);
  const auto point = plan_.checkpoint();
  const auto left = left_;
  const double round_s = plan_.input().round_s;
  double now = 0;
  double sum = 0;
  double weights = 0;
  for (std::size_t event = 0; event <= plan_.jobs(); ++event) {
    rule == ForkRule::kGather ? gather() : spread(placing);
    std::vector<double> rates(plan_.jobs(), 0);
    double step = 0;
    for (std::size_t j = 0; j < plan_.jobs(); ++j) {
      if (left_[j] <= 0 || !plan_.plannable(j) || !plan_.has_grant(j)) continue;
      const bool merges = plan_.grants(j).front().ends_at_border;
      rates[j] = planned_progress(j) * (merges ? 1 - merge_s(j) / round_s : 1);
      if (rates[j] <= 0) continue;
      const double time = left_[j] / rates[j];
      step = step == 0 ? time : std::min(step, time);
    }
    plan_.rollback(point);
    if (step == 0) break;
    now += step;
    for (std::size_t j = 0; j < plan_.jobs(); ++j) {
      if (rates[j] <= 0) continue;
      left_[j] -= rates[j] * step;
      if (left_[j] > 1e-6 * left[j]) continue;
      left_[j] = 0;
      sum += value_.weight(j) * now;
      weights += value_.weight(j);
    }
  }
  left_ = left;
  return weights > 0 ? sum / weights + now : 0;
}

ForkRule ForkPlanner::choose() {
  if (plan_.jobs() > forks_.predict_most || plan_.cluster().nodes() > forks_.predict_most)
    return forks_.merge_efficiency >= kGatherFrom ? ForkRule::kGather : ForkRule::kSpread;
  return predict(ForkRule::kGather) <= predict(ForkRule::kSpread) ? ForkRule::kGather : ForkRule::kSpread;
}

}  // namespace hadar
