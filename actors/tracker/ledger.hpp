// The job ledger's decisions: commands in, events and answers out. Pure: no clock, no disk, no messages.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/local_messages.hpp"
#include "actors/tracker/ledger_state.hpp"
#include "messages/types/control.hpp"
#include "messages/types/event.hpp"
#include "messages/types/result.hpp"

namespace hadar {

struct LedgerOptions {
  std::string cluster_id;
  std::uint32_t max_failures = 5;  // gangs that fail in a row before their job fails
};

// What changed since the last take(): to be made durable in one transaction before any answer goes out.
struct LedgerChanges {
  std::vector<Event> events;
  std::vector<std::pair<std::string, std::string>> values;
  std::vector<JobAdvanced> advanced;     // tell round_flow
  std::vector<TrackLeases> tracked;      // tell fork_tracker
  std::vector<UntrackLeases> untracked;  // tell fork_tracker
  std::vector<MeasuredSpeed> measured;   // tell throughput_book

  [[nodiscard]] bool empty() const { return events.empty() && values.empty(); }
};

// Every command takes the cluster time. A command that fails leaves no trace.
class Ledger {
 public:
  explicit Ledger(LedgerOptions options) : options_(std::move(options)) {}

  // Folds a stored event in, at start. kCorrupt as in LedgerState::apply.
  Status replay(const Event& event) { return state_.apply(event); }
  // After the replay: writes ClusterStarted into an empty log, and lists the open leases for the fork tracker.
  // kRefused when the log belongs to another cluster.
  Status start(double now_s, std::string memory);

  // A scheduler starts: raises the term. Asked again by the incarnation that holds the term, since a link may bring a
  // request twice, it answers with that term.
  TermOpened open_term(const OpenTerm& request, double now_s);
  // Views of all jobs a planner may look at; estimates are empty. A job that did not change keeps its view. Costs what
  // changed since the last call, and a copy of the list.
  [[nodiscard]] JobsViewed view(double now_s);
  // Specs of the jobs of the last view(), same order.
  [[nodiscard]] JobSpecsPtr viewed_specs();
  // kStale for an old term. Leases of forks the ledger no longer allows are refused one by one, with a reason; what was
  // refused once is refused for good, since nobody waits for the answer to a plan that a link brings twice.
  Result<PlanRecorded> record_plan(const RecordPlan& request, double now_s);
  Status record_extension(const RecordExtension& request, double now_s);
  // Leases that will never report. Of one with a checkpoint, that is its last report, to be merged; others are over.
  Status close_leases(const CloseLeases& request, double now_s);
  // kInvalidArgument when the fact is not about a node, kStale for an old term, kNotFound for a node that never joined.
  // A fact whose number in the term is not new is written already.
  Status record_node(const RecordNode& request, double now_s);

  // kAlreadyExists when the key was used for another spec (names the field); kInfeasible unless kept.
  Result<JobSubmitted> submit(const SubmitJob& submitted, double now_s);
  Status command(const CommandJob& request, double now_s);

  ReportAccepted accept(const LeaseReport& report, double now_s);
  ReportAccepted accept(const AcceptReport& request, double now_s);
  // kStale when the base is no longer current.
  Result<ForksSettled> settle(const SettleForks& request, double now_s);
  void sample(const ProgressSampled& samples);

  [[nodiscard]] Result<JobList> list(const QueryJobs& request, double now_s) const;

  LedgerChanges take() { return std::exchange(changes_, {}); }
  [[nodiscard]] const LedgerState& state() const { return state_; }

 private:
  void emit(EventBody body, double now_s);
  [[nodiscard]] Status check_term(Term term, const std::string& what) const;
  [[nodiscard]] Result<JobId> resolve(const std::string& id_or_name) const;
  [[nodiscard]] std::optional<Reason> why_infeasible(const JobSpec& spec) const;
  [[nodiscard]] LeaseId last_lease() const { return std::max(state_.last_lease(), last_asked_); }
  using GpuHolders = std::map<std::pair<NodeName, std::uint32_t>, std::vector<LeaseId>>;
  [[nodiscard]] GpuHolders gpu_holders(const std::vector<Lease>& wanted) const;
  [[nodiscard]] std::string why_not_grantable(const std::vector<Lease>& gang, const GpuHolders& holders,
                                              double now_s) const;
  void track_granted(const std::vector<Lease>& leases);
  [[nodiscard]] std::optional<LeaseReport> inheritance(const OpenLease& open, const std::string& reason) const;
  void record_outcomes(const RecordPlan& request, double now_s);
  void advance(JobId job);
  void reconsider_infeasible(double now_s);
  void add_efficiency(event::Consolidated& fact) const;
  [[nodiscard]] bool keeps_failing(const LedgerJob& job) const;
  void finish_or_fail(JobId job, double now_s);
  void fail_if_nothing_runs(JobId job, double now_s);
  void refresh_view(JobId id, double now_s);
  [[nodiscard]] JobSpecs& changing_specs();

  LedgerOptions options_;
  LedgerState state_;
  JobViews viewed_;  // as last given
  std::shared_ptr<JobSpecs> viewed_specs_ = std::make_shared<JobSpecs>();
  bool specs_given_ = false;  // others hold them as they are
  std::set<JobId> timed_;     // of those: leases end by time, and with it the view changes
  std::set<JobId> unwanted_;  // ended or held back, with open leases
  LedgerChanges changes_;
  std::string memory_;           // of the last recorded plan
  LeaseId last_asked_;           // for, granted or refused
  std::uint64_t last_fact_ = 0;  // of a node, by its number in the term
  std::uint64_t term_of_ = 0;    // the incarnation that opened the term; 0 = opened before the tracker started
};

// A job as users see it.
JobStatus status_of(const LedgerState& state, const LedgerJob& job, double now_s);
// A job as planners see it, without estimates.
JobView view_of(const LedgerState& state, const LedgerJob& job, double now_s);

}  // namespace hadar
