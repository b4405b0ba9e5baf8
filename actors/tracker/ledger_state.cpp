#include "actors/tracker/ledger_state.hpp"

#include <algorithm>
#include <cmath>

namespace hadar {
namespace {

constexpr double kMergeAverageWeight = 0.5;  // of the newest merge
constexpr double kNegligible = 1e-3;         // of a job's effective steps, which are known no better
constexpr double kLeastMerge_s = 1e-6;       // measured, so never 0, which means unknown

std::string text_of(JobId job) {
  return "job " + std::to_string(job.value);
}
std::string text_of(LeaseId lease) {
  return "lease " + std::to_string(lease.value);
}

void learn_merge_s(double& known, double measured) {
  known = known == 0 ? std::max(measured, kLeastMerge_s)
                     : (1 - kMergeAverageWeight) * known + kMergeAverageWeight * measured;
}

}  // namespace

// One overload per kind of event; each either changes the state whole or says why it cannot.
struct LedgerState::Fold {
  LedgerState& state;
  double t_s;

  Status corrupt(const std::string& what) const { return fail(ErrorCode::kCorrupt, "event log: " + what); }

  Status operator()(const event::ClusterStarted& e) const {
    state.cluster_id_ = e.cluster_id;
    return {};
  }
  Status operator()(const event::SchedulerStarted& e) const {
    if (e.term <= state.term_) return corrupt("term " + std::to_string(e.term.value) + " does not rise");
    state.term_ = e.term;
    return {};
  }
  Status operator()(const event::Submitted& e) const {
    if (e.job <= state.last_job_) return corrupt(text_of(e.job) + " submitted twice");
    LedgerJob job;
    job.job = e.job;
    job.spec = std::make_shared<const JobSpec>(e.spec);
    job.key = e.key;
    job.infeasible = e.infeasible;
    job.outcome = e.infeasible ? OutcomeKind::kInfeasible : OutcomeKind::kWaiting;
    job.reason = e.reason;
    job.submitted_t_s = t_s;
    if (!e.key.empty()) state.keys_[e.key] = e.job;
    state.last_job_ = e.job;
    state.jobs_.emplace(e.job, std::move(job));
    state.active_.insert(e.job);
    state.touched_.insert(e.job);
    return {};
  }
  Status operator()(const event::Held& e) const {
    return with_job(e.job, [](LedgerJob& job) { job.held = true; });
  }
  Status operator()(const event::Released& e) const {
    return with_job(e.job, [](LedgerJob& job) { job.held = false; });
  }
  Status operator()(const event::PlanOutcome& e) const {
    return with_job(e.job, [&](LedgerJob& job) {
      job.outcome = e.kind;
      job.reason = e.reason;
      job.infeasible = job.infeasible && e.kind == OutcomeKind::kInfeasible;
    });
  }
  Status operator()(const event::RoundOpened& e) const {
    if (e.round <= state.round_) return corrupt("round " + std::to_string(e.round.value) + " does not rise");
    state.round_ = e.round;
    return {};
  }
  Status operator()(const event::LeasesGranted& e) const {
    for (const auto& lease : e.leases) {
      auto* job = state.job(lease.fork.job);
      if (!job) return corrupt(text_of(lease.id) + " is for unknown " + text_of(lease.fork.job));
      if (lease.id <= state.last_lease_) return corrupt(text_of(lease.id) + " granted twice");
      state.last_lease_ = lease.id;
      OpenLease open;
      open.lease = lease;
      open.lease.spec = job->spec;
      open.granted_t_s = t_s;
      state.leases_.emplace(lease.id, std::move(open));
      state.on_node_[lease.node].insert(lease.id);
      state.active_.insert(job->job);
      job->open.insert(lease.id);
      if (!job->started_t_s) job->started_t_s = t_s;
      std::set<std::uint32_t> forks;
      for (auto id : job->open) forks.insert(state.leases_.at(id).lease.fork.fork);
      job->forks_max = std::max<std::uint32_t>(job->forks_max, static_cast<std::uint32_t>(forks.size()));
    }
    return {};
  }
  Status operator()(const event::LeaseExtended& e) const {
    return with_lease(e.lease, [&](OpenLease& open, LedgerJob&) { open.lease.quota_steps = e.quota_steps; });
  }
  Status operator()(const event::LeaseClosed& e) const {
    auto status = with_lease(e.lease, [](OpenLease&, LedgerJob&) {});
    if (status) state.close(e.lease);
    return status;
  }
  Status operator()(const event::ForkReported& e) const {
    return with_lease(e.report.lease, [&](OpenLease& open, LedgerJob& job) {
      const bool told = e.report.end == LeaseEndReason::kFailed && state.gang_failed(job, open);
      open.report = e.report;
      open.sampled_steps = e.report.steps;
      if (e.report.end != LeaseEndReason::kFailed || told) return;
      ++job.failures;
      job.last_failure = e.report.detail;
    });
  }
  Status operator()(const event::Consolidated& e) const {
    auto* job = state.job(e.job);
    if (!job) return corrupt("consolidated unknown " + text_of(e.job));
    if (!job->spec->effective_steps && e.credited > job->steps_left())
      return corrupt(text_of(e.job) + " is credited more steps than it asked for");
    job->progress.add(state.scores_of(e.forks), job->spec->target.metric);
    std::size_t in = 0;
    for (const auto& fork : e.forks) {
      auto found = state.leases_.find(fork.lease);
      if (found == state.leases_.end()) return corrupt(text_of(fork.lease) + " is settled twice");
      auto& open = found->second;
      if (fork.in) ++in;
      if (fork.in && open.report) {
        job->attained_service_gpu_s += open.report->train_s * job->spec->gpus;
      }
      if (!fork.open) {
        state.close(fork.lease);
        continue;
      }
      open.steps_done += fork.steps;
      open.lease.base = e.version;
      open.lease.first_step += e.credited;
      open.report.reset();
      open.sampled_steps = 0;
    }
    job->steps_credited += e.credited;
    job->version = e.version;
    if (in >= 2) {
      ++job->consolidations;
      learn_merge_s(job->merge_s, e.merge_s);
      if (!job->spec->model.empty()) learn_merge_s(state.merge_s_by_model_[job->spec->model], e.merge_s);
    }
    if (e.merge_efficiency) {
      job->merge_efficiency = e.merge_efficiency;
      if (!job->spec->model.empty()) state.merge_efficiency_by_model_[job->spec->model] = *e.merge_efficiency;
    }
    if (e.credited > 0) job->failures = 0;
    if (!e.metrics.empty()) job->metrics = e.metrics;
    return {};
  }
  Status operator()(const event::Completed& e) const {
    const auto* job = state.job(e.job);
    if (!job || job->steps_left() == 0)
      return end(e.job, JobState::kCompleted, Reason{"completed", "all steps credited", {}});
    const auto& target = job->spec->target;
    return end(e.job, JobState::kCompleted,
               Reason{"completed_target", target.metric + " reached its target", {{"target", target.value}}});
  }
  Status operator()(const event::Failed& e) const {
    return end(e.job, JobState::kFailed, Reason{"failed", e.reason, {}});
  }
  Status operator()(const event::Cancelled& e) const {
    return end(e.job, JobState::kCancelled, Reason{"cancelled", "cancelled by its owner", {}});
  }
  Status operator()(const event::NodeUp& e) const {
    auto& node = state.nodes_[e.inventory.name];
    state.count_gpus(node.inventory.gpus, false);
    state.count_gpus(e.inventory.gpus, true);
    node.inventory = e.inventory;
    node.epoch = e.epoch;
    node.since_s = t_s;
    if (node.state == NodeState::kLost) node.state = NodeState::kUp;
    if (node.state == NodeState::kUp) node.reason.clear();
    return {};
  }
  Status operator()(const event::NodeLost& e) const {
    return with_node(e.node, [&](LedgerNode& node) {
      node.epoch = e.epoch;
      if (node.state != NodeState::kUp && node.state != NodeState::kLost) return;  // its drain goes on
      node.state = NodeState::kLost;
      node.reason = e.reason;
    });
  }
  Status operator()(const event::NodeDraining& e) const {
    return with_node(e.node, [&](LedgerNode& node) {
      node.state = NodeState::kDraining;
      node.reason = e.reason;
      node.drain_deadline_s = e.deadline_s > 0 ? t_s + e.deadline_s : 0;
    });
  }
  Status operator()(const event::NodeDrained& e) const {
    return with_node(e.node, [&](LedgerNode& node) {
      node.state = NodeState::kDrained;
      node.reason = e.reason;
    });
  }
  Status operator()(const event::NodeUndrained& e) const {
    return with_node(e.node, [](LedgerNode& node) {
      node.state = NodeState::kUp;
      node.reason.clear();
      node.drain_deadline_s = 0;
    });
  }
  Status operator()(const event::NodeForgotten& e) const {
    if (const auto node = state.nodes_.find(e.node); node != state.nodes_.end()) {
      state.count_gpus(node->second.inventory.gpus, false);
      state.nodes_.erase(node);
    }
    return {};
  }

 private:
  template <class Change>
  Status with_job(JobId id, Change change) const {
    auto* job = state.job(id);
    if (!job) return corrupt("unknown " + text_of(id));
    change(*job);
    return {};
  }
  template <class Change>
  Status with_lease(LeaseId id, Change change) const {
    auto found = state.leases_.find(id);
    if (found == state.leases_.end()) return corrupt(text_of(id) + " is not open");
    change(found->second, *state.job(found->second.lease.fork.job));
    return {};
  }
  template <class Change>
  Status with_node(const NodeName& name, Change change) const {
    auto found = state.nodes_.find(name);
    if (found == state.nodes_.end()) return corrupt("unknown node " + name);
    found->second.since_s = t_s;
    change(found->second);
    return {};
  }
  Status end(JobId id, JobState how, Reason reason) const {
    return with_job(id, [&](LedgerJob& job) {
      job.final_state = how;
      job.reason = std::move(reason);
      job.finished_t_s = t_s;
      if (job.open.empty()) state.active_.erase(id);
    });
  }
};

Status LedgerState::apply(const Event& event) {
  if (event.seq != last_seq_ + 1)
    return fail(ErrorCode::kCorrupt, "event log: seq " + std::to_string(event.seq) + " follows " +
                                         std::to_string(last_seq_) + ", must be the next number");
  auto status = std::visit(Fold{*this, event.t_s}, event.body);
  if (!status) return status;
  last_seq_ = event.seq;
  last_t_s_ = std::max(last_t_s_, event.t_s);
  return {};
}

std::optional<double> LedgerJob::steps_effective() const {
  const auto beyond = static_cast<double>(progress.beyond());
  if (beyond > 0 && !merge_efficiency) return std::nullopt;
  return static_cast<double>(steps_credited) - (1 - merge_efficiency.value_or(1)) * beyond;
}

std::uint64_t LedgerJob::steps_left() const {
  if (!spec->effective_steps) return spec->total_steps - steps_credited;
  const auto sure = static_cast<double>(steps_credited - progress.beyond());
  const auto total = static_cast<double>(spec->total_steps);
  const auto left = total - steps_effective().value_or(sure);
  return left < kNegligible * total ? 0 : static_cast<std::uint64_t>(std::ceil(left));
}

bool LedgerState::gang_failed(const LedgerJob& job, const OpenLease& member) const {
  return std::any_of(job.open.begin(), job.open.end(), [&](LeaseId id) {
    const auto& other = leases_.at(id);
    return other.lease.fork == member.lease.fork && other.report && other.report->end == LeaseEndReason::kFailed;
  });
}

LedgerJob* LedgerState::job(JobId id) {
  auto found = jobs_.find(id);
  if (found == jobs_.end()) return nullptr;
  touched_.insert(id);
  return &found->second;
}

void LedgerState::close(LeaseId lease) {
  auto found = leases_.find(lease);
  if (found == leases_.end()) return;
  if (auto* owner = job(found->second.lease.fork.job)) {
    owner->open.erase(lease);
    if (owner->open.empty() && owner->final_state) active_.erase(owner->job);
  }
  const auto node = on_node_.find(found->second.lease.node);
  node->second.erase(lease);
  if (node->second.empty()) on_node_.erase(node);
  leases_.erase(found);
}

void LedgerState::count_gpus(const std::vector<GpuGroup>& groups, bool added) {
  for (const auto& group : groups) {
    auto& count = gpus_[group.type];
    count = added ? count + group.count : count - group.count;
    if (count == 0) gpus_.erase(group.type);
  }
}

const LedgerJob* LedgerState::find(JobId id) const {
  auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : &found->second;
}

const OpenLease* LedgerState::find(LeaseId lease) const {
  auto found = leases_.find(lease);
  return found == leases_.end() ? nullptr : &found->second;
}

const std::set<LeaseId>& LedgerState::leases_on(const NodeName& node) const {
  static const std::set<LeaseId> none;
  const auto found = on_node_.find(node);
  return found == on_node_.end() ? none : found->second;
}

const LedgerJob* LedgerState::by_key(const std::string& key) const {
  auto found = keys_.find(key);
  return found == keys_.end() ? nullptr : find(found->second);
}

std::uint64_t LedgerState::steps_issued(const LedgerJob& job) const {
  std::uint64_t issued = 0;
  for (auto id : job.open) {
    const auto& open = leases_.at(id);
    if (!open.counts()) continue;
    issued += open.ended() ? open.report->steps : open.quota_left();
  }
  return issued;
}

// A merge that was worth more than thought may leave less than what is issued.
std::uint64_t LedgerState::steps_unissued(const LedgerJob& job) const {
  const auto left = job.steps_left();
  return left - std::min(left, steps_issued(job));
}

bool LedgerState::merging(const LedgerJob& job, double now_s) const {
  if (job.open.empty()) return false;
  bool all_ended = true;
  for (auto id : job.open) {
    const auto& open = leases_.at(id);
    if (!open.ended() && open.expired(now_s)) return true;
    all_ended = all_ended && open.ended();
  }
  return all_ended;
}

double LedgerState::merge_s(const LedgerJob& job) const {
  if (job.merge_s > 0) return job.merge_s;
  const auto found = merge_s_by_model_.find(job.spec->model);
  return found == merge_s_by_model_.end() ? 0 : found->second;
}

std::optional<double> LedgerState::merge_efficiency(const LedgerJob& job) const {
  if (job.merge_efficiency) return job.merge_efficiency;
  const auto found = merge_efficiency_by_model_.find(job.spec->model);
  return found == merge_efficiency_by_model_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<ForkScore> LedgerState::scores_of(const std::vector<event::MergedFork>& forks) const {
  std::vector<ForkScore> scores;
  for (const auto& fork : forks) {
    const auto* open = fork.in ? find(fork.lease) : nullptr;
    if (open) scores.push_back({fork.steps, open->report ? open->report->metrics : Metrics{}});
  }
  return scores;
}

std::set<std::string> LedgerState::needed_blobs() const {
  std::set<std::string> needed;
  for (const auto& [id, entry] : jobs_) needed.insert(entry.version.weights.hash);
  for (const auto& [id, open] : leases_) {
    needed.insert(open.lease.base.weights.hash);
    if (open.report) needed.insert(open.report->weights.hash);
  }
  return needed;
}

void LedgerState::sample(LeaseId lease, std::uint64_t steps) {
  auto found = leases_.find(lease);
  if (found != leases_.end() && !found->second.ended()) found->second.sampled_steps = steps;
}

}  // namespace hadar
