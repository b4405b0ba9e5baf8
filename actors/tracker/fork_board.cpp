#include "actors/tracker/fork_board.hpp"

#include <algorithm>
#include <limits>

namespace hadar {

namespace {

// How many steps forks may have done; where only effective ones are counted, any number.
std::uint64_t steps_left(const JobSpec& spec, std::uint64_t first_step) {
  return spec.effective_steps ? std::numeric_limits<std::uint64_t>::max() : spec.total_steps - first_step;
}

}  // namespace

// A job's deadline is looked for while nobody merges it.
void ForkBoard::watch(JobId id, Job& job) {
  const auto deadline_s = job.merging ? 0 : job.deadline_s;
  changed_.insert(id);
  if (job.watched_s == deadline_s) return;
  deadlines_.erase({job.watched_s, id});
  if (deadline_s > 0) deadlines_.emplace(deadline_s, id);
  job.watched_s = deadline_s;
}

void ForkBoard::erase(std::map<JobId, Job>::iterator job) {
  deadlines_.erase({job->second.watched_s, job->first});
  changed_.erase(job->first);
  jobs_.erase(job);
}

void ForkBoard::track(const TrackLeases& message, double now_s) {
  for (const auto& lease : message.leases) {
    const auto id = lease.fork.job;
    auto& job = jobs_[id];
    job.spec = message.spec;
    job.base = message.base;
    auto& tracked = job.leases[lease.id];
    tracked.lease = lease;
    owner_[lease.id] = id;
    if (!lease.renews()) {
      tracked.deadline_s = now_s + lease.train_for_s;
      job.deadline_s = std::max(job.deadline_s, tracked.deadline_s + grace_s_);
    }
    watch(id, job);
  }
  for (const auto& accepted : message.reports) report(accepted, now_s);
}

void ForkBoard::untrack(const UntrackLeases& message) {
  auto found = jobs_.find(message.job);
  if (found == jobs_.end()) return;
  auto& job = found->second;
  for (auto id : message.leases) {
    auto lease = job.leases.find(id);
    owner_.erase(id);
    if (lease != job.leases.end()) job.leases.erase(lease);
  }
  if (job.leases.empty()) return erase(found);
  watch(found->first, job);
}

void ForkBoard::report(const LeaseReport& report, double now_s) {
  auto owner = owner_.find(report.lease);
  if (owner == owner_.end()) return;
  auto& job = jobs_.at(owner->second);
  auto& tracked = job.leases.at(report.lease);
  if (tracked.ended()) return;
  tracked.report = report;
  if (!tracked.ended()) return;
  changed_.insert(owner->second);
  job.since_s = std::max(job.since_s, tracked.ended_s(report, now_s));
}

std::optional<MergeOrder> ForkBoard::last_report(const LeaseReport& report, double now_s) {
  const auto owner = owner_.find(report.lease);
  if (owner == owner_.end() || report.end == LeaseEndReason::kRunning) return std::nullopt;
  auto& job = jobs_.at(owner->second);
  if (job.merging) return std::nullopt;
  for (const auto& [lease, tracked] : job.leases)
    if (tracked.ended() == (lease == report.lease)) return std::nullopt;
  auto& tracked = job.leases.at(report.lease);
  auto checkpoint = std::exchange(tracked.report, report);
  auto order = order_of(owner->second, job);
  tracked.report = std::move(checkpoint);
  order.since_s = std::max(job.since_s, tracked.ended_s(report, now_s));
  job.merging = true;
  watch(owner->second, job);
  return order;
}

bool ForkBoard::lone(LeaseId lease) const {
  const auto owner = owner_.find(lease);
  if (owner == owner_.end()) return false;
  const auto& leases = jobs_.at(owner->second).leases;
  const auto& own = leases.at(lease).lease;
  return own.gang.rank == 0 && std::all_of(leases.begin(), leases.end(), [&](const auto& entry) {
           const auto& other = entry.second.lease;
           return !entry.second.ended() && other.fork == own.fork && other.round == own.round;
         });
}

MergeOrder ForkBoard::order_of(JobId id, const Job& job) {
  MergeOrder order;
  order.job = id;
  order.spec = job.spec;
  order.base = job.base;
  order.since_s = job.since_s;
  for (const auto& [lease, tracked] : job.leases) {
    const auto fork = tracked.lease.fork.fork;
    if (tracked.lease.gang.rank == 0) order.steps_left = steps_left(*job.spec, tracked.lease.first_step);
    if (!tracked.report) {
      order.others.push_back({lease, fork, 0, false, false, "late: no report by the merge deadline"});
    } else if (tracked.lease.gang.rank != 0) {
      order.others.push_back({lease, fork, 0, false, false, "gang member: rank 0 counts its steps"});
    } else {
      order.reports.push_back(*tracked.report);
    }
  }
  return order;
}

std::optional<MergeOrder> ForkBoard::due(double now_s) {
  for (const auto& [deadline_s, id] : deadlines_) {
    if (deadline_s > now_s) break;
    changed_.insert(id);
  }
  while (!changed_.empty()) {
    const auto id = *changed_.begin();
    changed_.erase(changed_.begin());
    auto& job = jobs_.at(id);
    if (job.merging || job.leases.empty()) continue;
    const bool all_ended =
        std::all_of(job.leases.begin(), job.leases.end(), [](const auto& entry) { return entry.second.ended(); });
    const bool late = job.deadline_s > 0 && now_s >= job.deadline_s;
    if (!all_ended && !late) continue;
    job.merging = true;
    watch(id, job);
    if (job.since_s == 0) job.since_s = now_s;
    return order_of(id, job);
  }
  return std::nullopt;
}

std::optional<double> ForkBoard::next_deadline_s() const {
  if (deadlines_.empty()) return std::nullopt;
  return deadlines_.begin()->first;
}

void ForkBoard::settled(const MergeOrder& order, const ModelVersion& base) {
  auto found = jobs_.find(order.job);
  if (found == jobs_.end()) return;
  auto& job = found->second;
  const auto forget = [&](LeaseId lease) {
    job.leases.erase(lease);
    owner_.erase(lease);
  };
  for (const auto& report : order.reports) forget(report.lease);
  for (const auto& other : order.others) forget(other.lease);
  job.merging = false;
  job.since_s = 0;
  job.deadline_s = 0;
  job.base = base;
  for (const auto& [id, tracked] : job.leases)  // granted on the new base before this word of it came
    if (tracked.deadline_s > 0) job.deadline_s = std::max(job.deadline_s, tracked.deadline_s + grace_s_);
  if (job.leases.empty()) return erase(found);
  watch(found->first, job);
}

void ForkBoard::checkpointed(LeaseId lease, const ModelVersion& base) {
  auto owner = owner_.find(lease);
  if (owner == owner_.end()) return;
  auto& job = jobs_.at(owner->second);
  job.base = base;
  auto& tracked = job.leases.at(lease);
  if (tracked.report) tracked.lease.first_step += tracked.report->steps;
  tracked.lease.base = base;
  if (!tracked.ended()) tracked.report.reset();
  changed_.insert(owner->second);
}

void ForkBoard::postpone(JobId job) {
  auto found = jobs_.find(job);
  if (found == jobs_.end()) return;
  found->second.merging = false;
  watch(job, found->second);
}

}  // namespace hadar
