#include <algorithm>

#include "actors/tracker/ledger.hpp"

namespace hadar {
namespace {

JobState state_of(const LedgerState& state, const LedgerJob& job, double now_s) {
  if (job.final_state) return *job.final_state;
  if (state.merging(job, now_s)) return JobState::kMerging;
  if (!job.open.empty()) return JobState::kRunning;
  if (job.held) return JobState::kHeld;
  return job.infeasible ? JobState::kInfeasible : JobState::kWaiting;
}

Reason reason_of(const LedgerJob& job, JobState state) {
  if (state == JobState::kHeld) return Reason{"held", "held by its owner; hadar release lets it go on", {}};
  if (state == JobState::kMerging) return Reason{"merging", "its forks have ended; their work is being merged", {}};
  if (state == JobState::kWaiting && job.reason.code.empty())
    return Reason{"waiting_round", "submitted, not planned yet", {}};
  auto reason = job.reason;
  if (!job.final_state && job.failures > 0) {
    reason.text +=
        "; " + std::to_string(job.failures) + " times in a row its trainers failed, the last: " + job.last_failure;
    reason.numbers["failures"] = job.failures;
  }
  return reason;
}

// Leases of one fork form one allocation; only those still running are held.
std::vector<Allocation> held_by(const LedgerState& state, const LedgerJob& job) {
  std::map<std::uint32_t, Allocation> by_fork;
  for (auto id : job.open) {
    const auto& open = *state.find(id);
    if (open.ended()) continue;
    auto& allocation = by_fork[open.lease.fork.fork];
    allocation.fork = open.lease.fork;
    allocation.slices.push_back(GpuSlice{open.lease.node, open.lease.gpus});
    allocation.ends_at_border = !open.lease.renews();
    allocation.shares_with = open.lease.shares_with;
    if (open.counts()) allocation.quota_steps = open.quota_left();
  }
  std::vector<Allocation> held;
  for (auto& [fork, allocation] : by_fork) {
    std::sort(allocation.slices.begin(), allocation.slices.end(),
              [](const GpuSlice& a, const GpuSlice& b) { return a.node < b.node; });
    held.push_back(std::move(allocation));
  }
  return held;
}

}  // namespace

JobStatus status_of(const LedgerState& state, const LedgerJob& job, double now_s) {
  JobStatus status;
  status.job = job.job;
  status.spec = *job.spec;
  status.state = state_of(state, job, now_s);
  status.reason = reason_of(job, status.state);
  status.steps_credited = job.steps_credited;
  std::set<std::uint32_t> forks;
  for (auto id : job.open) {
    const auto& open = *state.find(id);
    if (!open.ended()) forks.insert(open.lease.fork.fork);
    if (open.counts()) status.steps_running += std::min(open.sampled_steps, open.quota_left());
  }
  status.forks = static_cast<std::uint32_t>(forks.size());
  status.forks_max = job.forks_max;
  status.consolidations = job.consolidations;
  status.version = job.version;
  status.submitted_t_s = job.submitted_t_s;
  status.started_t_s = job.started_t_s;
  status.finished_t_s = job.finished_t_s;
  status.metrics = job.metrics;
  status.merge_efficiency = job.merge_efficiency;
  status.steps_effective = job.steps_effective();
  return status;
}

JobView view_of(const LedgerState& state, const LedgerJob& job, double now_s) {
  const auto& spec = *job.spec;
  JobView view;
  view.job = job.job;
  view.model = spec.model;
  view.batch_size = spec.batch_size;
  view.gpus = spec.gpus;
  view.gpu_types = spec.gpu_types;
  view.forkable = spec.forkable;
  view.proportional_batch = spec.proportional_batch;
  view.weight = spec.weight;
  view.deadline_t_s = spec.deadline_s > 0 ? job.submitted_t_s + spec.deadline_s : 0;
  view.user = spec.user;
  view.submitted_t_s = job.submitted_t_s;
  view.started_t_s = job.started_t_s;
  view.steps_total = job.steps_credited + job.steps_left();
  view.steps_credited = job.steps_credited;
  view.steps_issued = job.steps_left() - state.steps_unissued(job);
  view.attained_service_gpu_s = job.attained_service_gpu_s;
  view.merge_s = state.merge_s(job);
  view.model_bytes = job.version.weights.size;
  view.merging = state.merging(job, now_s);
  view.held = held_by(state, job);
  view.merge_efficiency = state.merge_efficiency(job);
  view.effective_steps = spec.effective_steps;
  return view;
}

namespace {

bool ends_by_time(const JobView& view) {
  return std::any_of(view.held.begin(), view.held.end(), [](const Allocation& held) { return held.ends_at_border; });
}

}  // namespace

namespace {

JobViews::iterator place_of(JobViews& views, JobId id) {
  return std::lower_bound(views.begin(), views.end(), id,
                          [](const auto& view, JobId wanted) { return view->job < wanted; });
}

}  // namespace

// Brings what is shown of one job up to date.
void Ledger::refresh_view(JobId id, double now_s) {
  const auto& job = *state_.find(id);
  const bool stopped = job.final_state || job.held;
  if (stopped && !job.open.empty())
    unwanted_.insert(id);
  else
    unwanted_.erase(id);
  timed_.erase(id);
  const auto at = place_of(viewed_, id);
  const auto place = at - viewed_.begin();
  const bool there = at != viewed_.end() && (*at)->job == id;
  if (stopped || job.infeasible) {
    if (!there) return;
    viewed_.erase(at);
    auto& specs = changing_specs();
    specs.erase(specs.begin() + place);
    return;
  }
  auto fresh = view_of(state_, job, now_s);
  if (keeps_failing(job))
    fresh.steps_issued = job.steps_left();  // no more forks until one of those that run brings steps
  if (ends_by_time(fresh)) timed_.insert(id);
  auto view = std::make_shared<const JobView>(std::move(fresh));
  if (there) {
    *at = std::move(view);
    return;
  }
  viewed_.insert(at, std::move(view));
  auto& specs = changing_specs();
  specs.insert(specs.begin() + place, job.spec);
}

JobSpecs& Ledger::changing_specs() {
  if (std::exchange(specs_given_, false)) viewed_specs_ = std::make_shared<JobSpecs>(*viewed_specs_);
  return *viewed_specs_;
}

JobSpecsPtr Ledger::viewed_specs() {
  specs_given_ = true;
  return viewed_specs_;
}

JobsViewed Ledger::view(double now_s) {
  for (const auto id : state_.take_touched()) refresh_view(id, now_s);
  std::vector<JobId> due;
  for (const auto id : timed_)
    if ((*place_of(viewed_, id))->merging != state_.merging(*state_.find(id), now_s)) due.push_back(id);
  for (const auto id : due) refresh_view(id, now_s);
  JobsViewed viewed;
  viewed.now_s = now_s;
  viewed.jobs = viewed_;
  for (const auto id : unwanted_) {
    const auto& open = state_.find(id)->open;
    viewed.unwanted.insert(viewed.unwanted.end(), open.begin(), open.end());
  }
  return viewed;
}

Result<JobList> Ledger::list(const QueryJobs& request, double now_s) const {
  JobList list;
  list.now_s = now_s;
  if (!request.job.empty()) {
    auto id = resolve(request.job);
    if (!id) return fail(std::move(id));
    list.jobs.push_back(status_of(state_, *state_.find(*id), now_s));
    return list;
  }
  for (const auto& [id, job] : state_.jobs())
    if (request.all || !job.final_state) list.jobs.push_back(status_of(state_, job, now_s));
  return list;
}

}  // namespace hadar
