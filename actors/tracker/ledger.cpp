#include "actors/tracker/ledger.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "actors/policy/feasibility.hpp"
#include "messages/types/check.hpp"
#include "messages/types/lease_sharing.hpp"

namespace hadar {
namespace {

// The first field in which two specs differ; empty when they are equal.
std::string differing_field(const JobSpec& a, const JobSpec& b) {
  if (a.name != b.name) return "name";
  if (a.workload != b.workload) return "workload";
  if (a.command != b.command) return "command";
  if (a.model != b.model) return "model";
  if (a.batch_size != b.batch_size) return "batch_size";
  if (a.gpus != b.gpus) return "gpus";
  if (a.total_steps != b.total_steps) return "total_steps";
  if (a.gpu_types != b.gpu_types) return "gpu_types";
  if (a.user != b.user) return "user";
  return a == b ? "" : "another setting";
}

std::string quoted(JobId job) {
  return "job " + std::to_string(job.value);
}

// The node a fact is about; null when it is about something else.
const NodeName* node_of(const EventBody& fact) {
  if (const auto* e = std::get_if<event::NodeUp>(&fact)) return &e->inventory.name;
  if (const auto* e = std::get_if<event::NodeLost>(&fact)) return &e->node;
  if (const auto* e = std::get_if<event::NodeDraining>(&fact)) return &e->node;
  if (const auto* e = std::get_if<event::NodeDrained>(&fact)) return &e->node;
  if (const auto* e = std::get_if<event::NodeUndrained>(&fact)) return &e->node;
  if (const auto* e = std::get_if<event::NodeForgotten>(&fact)) return &e->node;
  return nullptr;
}

}  // namespace

void Ledger::emit(EventBody body, double now_s) {
  Event event;
  event.seq = state_.last_seq() + 1;
  event.t_s = std::max(now_s, state_.last_t_s());
  event.body = std::move(body);
  const auto applied = state_.apply(event);
  HADAR_ENSURE(applied.has_value());
  changes_.events.push_back(std::move(event));
}

void Ledger::advance(JobId job) {
  const auto& entry = *state_.find(job);
  auto& told = changes_.advanced;
  if (told.empty() || told.back().job != job) told.emplace_back();
  told.back() = JobAdvanced{job, entry.final_state.has_value() || entry.held, entry.steps_left()};
}

Status Ledger::start(double now_s, std::string memory) {
  memory_ = std::move(memory);
  if (state_.last_seq() == 0) emit(event::ClusterStarted{options_.cluster_id}, now_s);
  if (state_.cluster_id() != options_.cluster_id)
    return fail(ErrorCode::kRefused, "state folder: its event log is of cluster '" + state_.cluster_id() +
                                         "', but this process is configured for '" + options_.cluster_id + "'");
  for (const auto& [id, job] : state_.jobs()) {
    if (job.open.empty()) continue;
    TrackLeases track;
    track.spec = job.spec;
    track.base = job.version;
    for (auto lease : job.open) {
      const auto& open = *state_.find(lease);
      track.leases.push_back(open.lease);
      if (open.report) track.reports.push_back(*open.report);
    }
    changes_.tracked.push_back(std::move(track));
  }
  return {};
}

TermOpened Ledger::open_term(const OpenTerm& request, double now_s) {
  if (request.incarnation == 0 || request.incarnation != term_of_) {
    emit(event::SchedulerStarted{Term{state_.term().value + 1}, request.policy, request.round_s}, now_s);
    last_fact_ = 0;
  }
  term_of_ = request.incarnation;
  TermOpened opened;
  opened.term = state_.term();
  opened.last_round = state_.round();
  opened.last_lease = last_lease();
  opened.memory = memory_;
  opened.now_s = now_s;
  for (const auto& [id, open] : state_.leases())
    if (!open.ended()) opened.open_leases.push_back(open.lease);
  for (const auto& [name, node] : state_.nodes())
    opened.nodes.push_back(
        NodeView{node.inventory, node.state, node.reason, {}, {}, node.epoch, node.since_s, node.drain_deadline_s});
  return opened;
}

Status Ledger::check_term(Term term, const std::string& what) const {
  if (term == state_.term()) return {};
  return fail(ErrorCode::kStale,
              what + " of term " + std::to_string(term.value) + ", the term is " + std::to_string(state_.term().value));
}

// Of the nodes of `wanted`: GPUs of leases whose end is not in the log. The scheduler may know of an end earlier, since
// a node tells both at once; granting then would show a GPU in two hands to everyone who reads the log. The end's own
// event brings a new plan.
Ledger::GpuHolders Ledger::gpu_holders(const std::vector<Lease>& wanted) const {
  GpuHolders holders;
  std::set<NodeName> nodes;
  for (const auto& lease : wanted) nodes.insert(lease.node);
  for (const auto& node : nodes)
    for (const auto id : state_.leases_on(node))
      if (const auto& open = *state_.find(id); !open.ended())
        for (const auto gpu : open.lease.gpus) holders[{node, gpu}].push_back(id);
  return holders;
}

std::string Ledger::why_not_grantable(const std::vector<Lease>& gang, const GpuHolders& holders, double now_s) const {
  const auto* job = state_.find(gang.front().fork.job);
  if (!job) return "unknown job";
  for (const auto& lease : gang) {
    if (lease.id <= last_lease()) return "its lease id does not rise";
    for (const auto gpu : lease.gpus)
      if (const auto held = holders.find({lease.node, gpu}); held != holders.end())
        for (const auto id : held->second)
          if (held->second.size() > 1 || !may_share(state_.find(id)->lease, lease))
            return "lease " + std::to_string(id.value) + " has not reported its end on node " + lease.node;
  }
  for (const auto id : job->open)
    if (const auto& open = *state_.find(id); !open.ended() && open.lease.fork == gang.front().fork)
      return "lease " + std::to_string(id.value) + " of its fork has not reported its end";
  if (job->final_state) return std::string("the job is ") + name_of(*job->final_state);
  if (job->held) return "the job is held";
  return state_.merging(*job, now_s) ? "the job is merging" : "";
}

void Ledger::record_outcomes(const RecordPlan& request, double now_s) {
  for (const auto& outcome : request.outcomes) {
    const auto* job = state_.find(outcome.job);
    if (!job || job->final_state) continue;
    if (job->outcome == outcome.kind && job->reason.code == outcome.reason.code) continue;
    emit(event::PlanOutcome{outcome.job, request.round, outcome.kind, outcome.reason}, now_s);
  }
}

Result<PlanRecorded> Ledger::record_plan(const RecordPlan& request, double now_s) {
  if (auto current = check_term(request.term, "plan"); !current) return fail(std::move(current));
  if (request.round > state_.round()) emit(event::RoundOpened{request.round, request.policy, request.prices}, now_s);
  record_outcomes(request, now_s);
  if (request.memory && memory_ != *request.memory) {
    memory_ = *request.memory;
    changes_.values.emplace_back("policy_memory", memory_);
  }

  PlanRecorded recorded;
  std::map<ForkId, std::vector<Lease>> gangs;
  for (const auto& lease : request.leases) gangs[lease.fork].push_back(lease);
  event::LeasesGranted granted{request.round, request.early, {}};
  std::map<JobId, std::uint64_t> unissued;
  const auto holders = gpu_holders(request.leases);
  for (auto& [fork, gang] : gangs) {
    const auto why = why_not_grantable(gang, holders, now_s);
    if (!why.empty()) {
      for (const auto& lease : gang) recorded.refused.push_back(RefusedLease{lease.id, why});
      continue;
    }
    const auto& job = *state_.find(fork.job);
    auto& left = unissued.try_emplace(fork.job, state_.steps_unissued(job)).first->second;
    const auto quota = std::min(gang.front().quota_steps, left);
    if (quota == 0) {
      for (const auto& lease : gang) recorded.refused.push_back(RefusedLease{lease.id, "all its steps are issued"});
      continue;
    }
    if (!job.spec->effective_steps) left -= quota;  // else forks need more steps than what they are worth
    for (auto& lease : gang) {
      lease.quota_steps = quota;
      lease.base = job.version;
      lease.first_step = job.steps_credited;
      lease.spec = job.spec;
      recorded.leases.push_back(lease);
      lease.spec = nullptr;
      granted.leases.push_back(lease);
    }
  }
  for (const auto& lease : request.leases) last_asked_ = std::max(last_asked_, lease.id);
  track_granted(recorded.leases);
  const auto by_id = [](const Lease& a, const Lease& b) { return a.id < b.id; };
  std::sort(granted.leases.begin(), granted.leases.end(), by_id);
  if (!granted.leases.empty()) emit(std::move(granted), now_s);
  return recorded;
}

void Ledger::track_granted(const std::vector<Lease>& leases) {
  std::map<JobId, TrackLeases> tracked;
  for (const auto& lease : leases) {
    auto& track = tracked[lease.fork.job];
    track.spec = lease.spec;
    track.base = lease.base;
    track.leases.push_back(lease);
  }
  for (auto& [job, track] : tracked) changes_.tracked.push_back(std::move(track));
}

Status Ledger::record_extension(const RecordExtension& request, double now_s) {
  const auto* open = state_.find(request.lease);
  if (auto current = check_term(request.term, "extension"); !current) return current;
  if (!open || open->ended()) return fail(ErrorCode::kStale, "extension: the lease has ended");
  const auto& job = *state_.find(open->lease.fork.job);
  const auto more = request.quota_steps > open->lease.quota_steps ? request.quota_steps - open->lease.quota_steps : 0;
  if (more == 0 || more > state_.steps_unissued(job))
    return fail(ErrorCode::kInvalidArgument,
                "extension by " + std::to_string(more) + " steps, must be 1 to what is " + "left of the job unissued");
  emit(event::LeaseExtended{request.lease, job.job, request.quota_steps}, now_s);
  return {};
}

// What a fork that died leaves behind is its last checkpoint, to be merged like a report.
std::optional<LeaseReport> Ledger::inheritance(const OpenLease& open, const std::string& reason) const {
  if (!open.report || open.report->steps == 0 || state_.find(open.lease.fork.job)->final_state) return std::nullopt;
  auto last = *open.report;
  last.end = LeaseEndReason::kLost;
  last.detail = reason;
  return last;
}

Status Ledger::close_leases(const CloseLeases& request, double now_s) {
  std::map<JobId, std::vector<LeaseId>> closed;
  for (auto id : request.leases) {
    const auto* open = state_.find(id);
    if (!open || open->ended()) continue;  // settled or reported meanwhile: nothing to close
    closed[open->lease.fork.job].push_back(id);
  }
  for (const auto& [job, leases] : closed) {
    TrackLeases inherited{state_.find(job)->spec, state_.find(job)->version, {}, {}};
    UntrackLeases gone{job, {}, request.reason};
    for (auto id : leases) {
      if (auto last = inheritance(*state_.find(id), request.reason)) {
        inherited.reports.push_back(*last);
        emit(event::ForkReported{job, *std::move(last)}, now_s);
      } else {
        gone.leases.push_back(id);
        emit(event::LeaseClosed{id, job, state_.find(id)->lease.node, request.reason}, now_s);
      }
    }
    if (!inherited.reports.empty()) changes_.tracked.push_back(std::move(inherited));
    if (!gone.leases.empty()) changes_.untracked.push_back(std::move(gone));
    advance(job);
  }
  return {};
}

Status Ledger::record_node(const RecordNode& request, double now_s) {
  if (auto current = check_term(request.term, "fact of a node"); !current) return current;
  const auto* node = node_of(request.fact);
  if (!node) return fail(ErrorCode::kInvalidArgument, "record_node: the fact is not about a node");
  const bool joins = std::holds_alternative<event::NodeUp>(request.fact);
  if (!joins && !state_.nodes().count(*node))
    return fail(ErrorCode::kNotFound, "record_node: no node '" + *node + "' ever joined");
  if (request.number <= last_fact_) return {};
  last_fact_ = request.number;
  emit(request.fact, now_s);
  if (joins) reconsider_infeasible(now_s);
  return {};
}

std::optional<Reason> Ledger::why_infeasible(const JobSpec& spec) const {
  if (state_.nodes().empty()) return std::nullopt;  // no cluster yet to judge by
  return hadar::infeasible(demand_of(spec), state_.gpus());
}

void Ledger::reconsider_infeasible(double now_s) {
  std::vector<JobId> possible;
  for (const auto& [id, job] : state_.jobs())
    if (job.infeasible && !job.final_state && !why_infeasible(*job.spec)) possible.push_back(id);
  for (auto id : possible) {
    emit(event::PlanOutcome{id, state_.round(), OutcomeKind::kWaiting,
                            Reason{"waiting_round", "a node that joined made it possible", {}}},
         now_s);
    advance(id);
  }
}

namespace {

// A sleep job runs where it declares a speed, and nowhere else.
SubmitJob normalised(SubmitJob request) {
  auto& spec = request.spec;
  if (spec.workload == "sleep" && spec.gpu_types.empty())
    for (const auto& [type, speed] : spec.sleep.steps_per_s) spec.gpu_types.push_back(type);
  return request;
}

}  // namespace

Result<JobSubmitted> Ledger::submit(const SubmitJob& submitted, double now_s) {
  const auto request = normalised(submitted);
  if (const auto* known = request.key.empty() ? nullptr : state_.by_key(request.key)) {
    const auto field = differing_field(*known->spec, request.spec);
    if (!field.empty())
      return fail(ErrorCode::kAlreadyExists, "submit: key '" + request.key + "' was used for " + quoted(known->job) +
                                                 " with another " + field + "; use a new key");
    return JobSubmitted{known->job, true, known->infeasible ? known->reason : Reason{}};
  }
  auto why = why_infeasible(request.spec);
  if (why && !request.keep_infeasible) return fail(ErrorCode::kInfeasible, "submit: " + why->text);
  const JobId job{state_.last_job().value + 1};
  emit(event::Submitted{job, request.spec, request.key, why.has_value(), why.value_or(Reason{})}, now_s);
  advance(job);
  return JobSubmitted{job, false, why.value_or(Reason{})};
}

Result<JobId> Ledger::resolve(const std::string& id_or_name) const {
  std::uint64_t number = 0;
  const auto* end = id_or_name.data() + id_or_name.size();
  const auto [stop, error] = std::from_chars(id_or_name.data(), end, number);
  if (error == std::errc{} && stop == end && state_.find(JobId{number})) return JobId{number};
  std::vector<JobId> named;
  for (const auto& [id, job] : state_.jobs())
    if (job.spec->name == id_or_name) named.push_back(id);
  if (named.size() == 1) return named.front();
  if (named.empty()) return fail(ErrorCode::kNotFound, "job '" + id_or_name + "': no job has this id or name");
  std::string ids;
  for (auto id : named) ids += (ids.empty() ? "" : ", ") + std::to_string(id.value);
  return fail(ErrorCode::kInvalidArgument, "job '" + id_or_name + "': several jobs have this name; use an id: " + ids);
}

Status Ledger::command(const CommandJob& request, double now_s) {
  const auto id = resolve(request.job);
  if (!id) return tl::unexpected<Error>(id.error());
  const auto& job = *state_.find(*id);
  if (job.final_state) return fail(ErrorCode::kRefused, quoted(*id) + " is " + name_of(*job.final_state) + " already");
  switch (request.action) {
    case JobAction::kCancel: emit(event::Cancelled{*id}, now_s); break;
    case JobAction::kHold:
      if (job.held) return {};
      emit(event::Held{*id}, now_s);
      break;
    case JobAction::kRelease:
      if (!job.held) return fail(ErrorCode::kRefused, quoted(*id) + " is not held");
      emit(event::Released{*id}, now_s);
      break;
  }
  advance(*id);
  return {};
}

ReportAccepted Ledger::accept(const LeaseReport& report, double now_s) {
  const auto* open = state_.find(report.lease);
  if (!open) return {ReportVerdict::kSettled, "already settled", {}, {}};
  if (open->ended()) return {ReportVerdict::kAccepted, "already reported", open->lease.base, {}};
  const auto& job = *state_.find(open->lease.fork.job);
  const auto node = state_.nodes().find(report.node);
  if (report.epoch < open->lease.epoch || (node != state_.nodes().end() && report.epoch < node->second.epoch))
    return {ReportVerdict::kStale, "epoch " + std::to_string(report.epoch.value) + " is over", {}, {}};
  if (job.final_state) {
    const std::vector<LeaseId> leases{report.lease};
    const auto why = std::string("the job is ") + name_of(*job.final_state);
    emit(event::LeaseClosed{report.lease, job.job, report.node, why}, now_s);
    changes_.untracked.push_back(UntrackLeases{job.job, leases, why});
    advance(job.job);  // its GPUs may be granted from now on
    return {ReportVerdict::kSettled, why, {}, {}};
  }
  if (report.base.version != open->lease.base.version)
    return {ReportVerdict::kStale,
            "base version " + std::to_string(report.base.version) + " is not current, version " +
                std::to_string(open->lease.base.version) + " is",
            open->lease.base,
            {}};
  auto stored = report;
  if (report.steps > open->quota_left()) {
    stored.end = LeaseEndReason::kFailed;
    stored.detail = "reports " + std::to_string(report.steps) + " steps, its quota has " +
                    std::to_string(open->quota_left()) + " left";
    stored.steps = 0;
  }
  if (stored.end != LeaseEndReason::kFailed && stored.steps > 0 && stored.train_s > 0 && open->counts())
    changes_.measured.push_back(
        MeasuredSpeed{job.job, job.spec, open->lease.gpu_types.front(), stored.steps, stored.train_s});
  emit(event::ForkReported{job.job, std::move(stored)}, now_s);
  if (open->ended()) {  // its GPUs may be granted from now on
    fail_if_nothing_runs(job.job, now_s);
    advance(job.job);
  }
  return {ReportVerdict::kAccepted, "", open->lease.base, {}};
}

ReportAccepted Ledger::accept(const AcceptReport& request, double now_s) {
  auto accepted = accept(request.report, now_s);
  const auto* open = state_.find(request.report.lease);
  if (!request.settle || accepted.verdict != ReportVerdict::kAccepted || !open || !open->ended()) return accepted;
  if (open->report->steps != request.report.steps || open->report->end != request.report.end) return accepted;
  if (auto settled = settle(*request.settle, now_s)) accepted.settled = *settled;
  return accepted;
}

Result<ForksSettled> Ledger::settle(const SettleForks& request, double now_s) {
  const auto* job = state_.find(request.job);
  if (!job) return fail(ErrorCode::kNotFound, "settle: unknown " + quoted(request.job));
  if (request.base.version != job->version.version)
    return fail(ErrorCode::kStale, "settle: base version " + std::to_string(request.base.version) + " of " +
                                       quoted(request.job) + " is not current");
  event::Consolidated fact;
  fact.job = request.job;
  fact.version = job->version;
  fact.merge_s = request.merge_s;
  for (const auto& fork : request.forks) {
    if (!state_.find(fork.lease)) continue;  // closed meanwhile
    fact.forks.push_back(fork);
    if (fork.in) fact.credited += fork.steps;
  }
  if (fact.forks.empty()) return ForksSettled{job->version, job->final_state.has_value()};
  HADAR_ENSURE(job->spec->effective_steps || fact.credited <= job->steps_left());
  if (fact.credited > 0) {
    fact.version = ModelVersion{job->version.version + 1, request.weights};
    fact.metrics = request.metrics;
  }
  add_efficiency(fact);
  emit(std::move(fact), now_s);
  finish_or_fail(request.job, now_s);
  advance(request.job);
  return ForksSettled{job->version, job->final_state.has_value()};
}

// What is known of eta once this merge is in; told only of jobs that ever merged forks.
void Ledger::add_efficiency(event::Consolidated& fact) const {
  const auto& before = *state_.find(fact.job);
  if (before.progress.beyond() == 0 && fact.forks.size() < 2) return;
  auto after = before;
  after.progress.add(state_.scores_of(fact.forks), after.spec->target.metric);
  if (after.progress.beyond() == 0) return;
  after.steps_credited += fact.credited;
  const bool merged = after.progress.beyond() > before.progress.beyond();  // a lone fork tells nothing of merging
  if (const auto fitted = merged ? after.progress.fitted() : std::nullopt) after.merge_efficiency = fitted;
  after.merge_efficiency = fact.merge_efficiency = state_.merge_efficiency(after);
  fact.steps_effective = after.steps_effective();
}

bool Ledger::keeps_failing(const LedgerJob& job) const {
  return job.failures >= options_.max_failures;
}

void Ledger::finish_or_fail(JobId id, double now_s) {
  const auto& job = *state_.find(id);
  if (job.final_state) return;
  if (job.done()) {
    emit(event::Completed{id, job.metrics}, now_s);
  } else if (keeps_failing(job)) {
    emit(event::Failed{id, std::to_string(job.failures) +
                               " times in a row its trainers failed; the last: " + job.last_failure},
         now_s);
  }
}

// A job whose every fork failed need not wait for a merge that has nothing to merge.
void Ledger::fail_if_nothing_runs(JobId id, double now_s) {
  const auto& job = *state_.find(id);
  const bool may_bring_steps = std::any_of(job.open.begin(), job.open.end(), [&](LeaseId lease) {
    const auto& open = *state_.find(lease);
    return !open.ended() || open.report->steps > 0;
  });
  if (!may_bring_steps && keeps_failing(job)) finish_or_fail(id, now_s);
}

void Ledger::sample(const ProgressSampled& samples) {
  for (const auto& sample : samples.samples) state_.sample(sample.lease, sample.steps);
}

}  // namespace hadar
