#include "actors/policy/hadare/fork_planner.hpp"

#include <algorithm>
#include <cstdio>

#include "messages/types/check.hpp"

namespace hadar {
namespace {

bool any_free(const PlanBuilder& plan) {
  for (std::uint32_t type = 0; type < plan.cluster().types(); ++type)
    if (plan.free_of_type(type) > 0) return true;
  return false;
}

// A gang that renews itself and nothing beside it.
bool stands_alone(const PlanBuilder& plan, std::size_t j) {
  return plan.grants(j).size() == 1 && !plan.grants(j).front().ends_at_border;
}

}  // namespace

ForkPlanner::ForkPlanner(PlanBuilder& plan, const Valuation& value, const ForkTerms& terms,
                         const PlacingSettings& placing, const Waits& waits)
    : plan_(plan), value_(value), terms_(terms), placing_(placing), waits_(waits) {}

ForkSpeeds ForkPlanner::planned(std::size_t j) const {
  ForkSpeeds speeds;
  for (const auto& grant : plan_.grants(j)) speeds.add(grant.steps_per_s);
  return speeds;
}

bool ForkPlanner::ends_before_border(std::size_t j, const ForkSpeeds& speeds) const {
  return value_.steps_left(j) <= terms_.judged(j, speeds) * (terms_.usable_s(j) - terms_.least_s(j));
}

std::vector<std::size_t> ForkPlanner::soonest_first() const {
  std::vector<std::pair<double, std::size_t>> order;
  std::vector<std::size_t> starving;
  for (std::size_t j = 0; j < plan_.jobs(); ++j) {
    if (!plan_.plannable(j) || plan_.has_grant(j) || plan_.steps_available(j) == 0) continue;
    double speed = value_.speeds(j).best();
    if (terms_.forks(j)) {
      ForkSpeeds all;
      std::uint32_t forks = 0;
      for (const auto type : value_.speeds(j).order())
        for (auto n = terms_.hosts(j, type); n > 0 && forks < terms_.settings().max_forks; --n, ++forks)
          all.add(value_.speeds(j).member(type));
      speed = std::max(speed, all.worth(terms_.eta(j)));
    }
    if (speed <= 0) continue;
    if (waits_.rounds(plan_.job(j).job) >= placing_.max_wait) starving.push_back(j);
    order.emplace_back(value_.steps_left(j) / speed / value_.weight(j), j);
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

// Nodes with a free gang for the job and no fork of it, the fastest first, then those where it is already. Nodes of a
// group are alike in what is free.
std::vector<ForkPlanner::Host> ForkPlanner::free_hosts(std::size_t j) const {
  std::vector<Host> hosts;
  for (const auto number : plan_.groups().occupied()) {
    const auto& nodes = plan_.groups().group(number).nodes;
    std::uint32_t missing = plan_.job(j).gpus;
    for (const auto type : value_.speeds(j).order()) missing -= std::min(missing, plan_.free(nodes.front(), type));
    if (missing > 0) continue;
    const auto offer = offer_on_node(plan_, value_, j, nodes.front());
    for (const auto node : nodes)
      if (!plan_.on_node(j, node)) hosts.push_back({offer->steps_per_s, node});
  }
  std::vector<std::uint32_t> own;
  for (const auto& held : plan_.job(j).held)
    for (const auto& slice : held.slices) own.push_back(plan_.cluster().find_node(slice.node));
  const auto is_own = [&](std::uint32_t node) { return std::find(own.begin(), own.end(), node) != own.end(); };
  std::sort(hosts.begin(), hosts.end(), [&](const Host& a, const Host& b) {
    if (a.speed != b.speed) return a.speed > b.speed;
    const bool own_a = is_own(a.node);
    return own_a != is_own(b.node) ? own_a : a.node < b.node;
  });
  return hosts;
}

// As many as there are, until the rest of the job would not fill the least window. `speeds` are those of forks it has;
// the chosen ones are added.
std::vector<ForkPlanner::Host> ForkPlanner::choose_hosts(std::size_t j, double left, ForkSpeeds& speeds) const {
  const auto has = plan_.grants(j).size();
  const auto most = std::min<double>(terms_.settings().max_forks, left);
  std::vector<Host> chosen;
  for (const auto& host : free_hosts(j)) {
    if (static_cast<double>(has + chosen.size()) >= most) break;
    if (speeds.sum() > 0 && left / terms_.judged(j, speeds) <= terms_.least_s(j)) break;
    if (host.speed * terms_.usable_s(j) < 1) break;  // the others are slower still
    chosen.push_back(host);
    speeds.add(host.speed);
  }
  return chosen;
}

void ForkPlanner::start_alone(std::size_t j) {
  auto found = offers(plan_, value_, j);
  const auto best = std::max_element(found.begin(), found.end(),
                                     [](const Offer& a, const Offer& b) { return a.utility < b.utility; });
  if (best != found.end()) place_alone(plan_, j, *best);
}

void ForkPlanner::place_on(std::size_t j, std::uint32_t node) {
  const auto offer = offer_on_node(plan_, value_, j, node);
  HADAR_ENSURE(offer.has_value());
  place_alone(plan_, j, *offer);
}

// Numbers follow the nodes' order, so that a job that keeps its nodes keeps its fork numbers.
void ForkPlanner::add_forks(std::size_t j, const std::vector<Host>& hosts) {
  std::vector<std::uint32_t> nodes;
  for (const auto& host : hosts) nodes.push_back(host.node);
  std::sort(nodes.begin(), nodes.end());
  for (const auto node : nodes) {
    const auto offer = offer_on_node(plan_, value_, j, node);
    HADAR_ENSURE(offer.has_value());
    const auto placed =
        plan_.allocate_fork(j, plan_.unused_fork(j), offer->gang, offer->steps_per_s, terms_.usable_s(j));
    HADAR_ENSURE(placed.has_value());
  }
}

void ForkPlanner::explain_border(std::size_t j) {
  const double least_s = terms_.least_s(j) + terms_.merge_s(j);
  if (terms_.usable_s(j) >= terms_.least_s(j) || plan_.free_for(j) < plan_.job(j).gpus) return;
  char text[120];
  std::snprintf(text, sizeof text, "%.3g s to the border are too short to start in; the least is %.3g s",
                plan_.input().window_s, least_s);
  plan_.explain(j, {"waiting_border", text, {{"window_s", plan_.input().window_s}, {"least_s", least_s}}});
}

// A fork that stands alone stays warm, unless it may extend before the border.
void ForkPlanner::gather_job(std::size_t j) {
  const double left = value_.steps_left(j);
  ForkSpeeds speeds;
  const auto hosts = choose_hosts(j, left, speeds);
  const bool finishes = left <= terms_.judged(j, speeds) * terms_.usable_s(j);
  if (plan_.input().early) {
    if (hosts.empty() || (terms_.usable_s(j) < terms_.least_s(j) && !finishes)) return explain_border(j);
    return add_forks(j, hosts);
  }
  if (hosts.empty()) return start_alone(j);  // so slow that no fork does a step in a round
  if (hosts.size() == 1 && (!room_comes_ || finishes))
    place_on(j, hosts.front().node);
  else if (terms_.forked(j, speeds) <= hosts.front().speed)
    place_on(j, hosts.front().node);  // merging costs more than the slower nodes bring
  else
    add_forks(j, hosts);
  room_comes_ = room_comes_ || ends_before_border(j, speeds);
}

void ForkPlanner::gather() {
  for (const auto j : soonest_first()) {
    if (!any_free(plan_)) return;
    terms_.forks(j) ? gather_job(j) : start_alone(j);
  }
}

void ForkPlanner::extend_started() {
  for (std::size_t j = 0; j < plan_.jobs(); ++j) {
    if (!plan_.plannable(j) || !plan_.has_grant(j) || !plan_.job(j).forkable || plan_.steps_available(j) == 0) continue;
    if (!plan_.grants(j).front().ends_at_border) continue;
    const auto left = static_cast<double>(plan_.steps_available(j));
    ForkSpeeds speeds;
    const auto hosts = choose_hosts(j, left, speeds);
    if (terms_.usable_s(j) >= terms_.least_s(j) || left <= terms_.judged(j, speeds) * terms_.usable_s(j))
      add_forks(j, hosts);
  }
}

// Turns a warm gang into a fork that merges at the border.
bool ForkPlanner::loosen(std::size_t j) {
  if (!stands_alone(plan_, j)) return !plan_.grants(j).empty();
  const auto grant = plan_.grants(j).front();
  if (grant.gang.empty()) return false;
  const auto point = plan_.checkpoint();
  if (plan_.release(j, grant.fork) &&
      plan_.allocate_fork(j, grant.fork, grant.gang, grant.steps_per_s, terms_.usable_s(j)))
    return true;
  plan_.rollback(point);
  return false;
}

// Job after job, the soonest done first, each all idle nodes it gains from.
void ForkPlanner::fork_idle_nodes() {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t j = 0; j < plan_.jobs(); ++j) {
    if (!plan_.has_grant(j) || !plan_.plannable(j) || !terms_.forks(j)) continue;
    order.emplace_back(value_.steps_left(j) / planned(j).worth(terms_.eta(j)), j);
  }
  std::stable_sort(order.begin(), order.end());
  for (const auto& [time, j] : order) {
    if (!any_free(plan_)) return;
    auto speeds = planned(j);
    const double before = stands_alone(plan_, j) ? speeds.sum() : terms_.forked(j, speeds);
    const auto hosts = choose_hosts(j, value_.steps_left(j), speeds);
    if (!hosts.empty() && terms_.forked(j, speeds) > before && loosen(j)) add_forks(j, hosts);
  }
}

void ForkPlanner::spread() {
  place_queue(plan_, value_, queue_of(plan_, value_, waits_, placing_), waits_, placing_);
  if (!plan_.input().early && any_free(plan_)) fork_idle_nodes();
}

void ForkPlanner::place(ForkRule rule) {
  if (plan_.input().early) extend_started();
  rule == ForkRule::kGather ? gather() : spread();
}

}  // namespace hadar
