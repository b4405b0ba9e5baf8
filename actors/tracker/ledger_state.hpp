// What the event log says: jobs, open leases and nodes, as a fold over events. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/consolidation/merge_efficiency.hpp"
#include "messages/types/event.hpp"
#include "messages/types/result.hpp"

namespace hadar {

struct OpenLease {
  Lease lease;  // base moves on with credited checkpoints; spec is set
  double granted_t_s = 0;
  std::uint64_t steps_done = 0;       // credited on this lease so far
  std::optional<LeaseReport> report;  // accepted, not settled yet
  std::uint64_t sampled_steps = 0;    // since base; for display only

  [[nodiscard]] bool ended() const { return report && report->end != LeaseEndReason::kRunning; }
  // Its steps count (rank 0 of its gang).
  [[nodiscard]] bool counts() const { return lease.gang.rank == 0; }
  [[nodiscard]] std::uint64_t quota_left() const { return lease.quota_steps - steps_done; }
  // Past its time: it must not be counted on any more.
  [[nodiscard]] bool expired(double now_s) const { return !lease.renews() && now_s > granted_t_s + lease.train_for_s; }
};

struct LedgerJob {
  JobId job;
  std::shared_ptr<const JobSpec> spec;
  std::string key;
  bool held = false;
  bool infeasible = false;
  std::optional<JobState> final_state;
  OutcomeKind outcome = OutcomeKind::kWaiting;
  Reason reason;
  ModelVersion version;
  std::uint64_t steps_credited = 0;
  std::set<LeaseId> open;  // its open leases
  std::uint32_t forks_max = 0;
  std::uint64_t consolidations = 0;  // merges of two or more forks
  std::uint32_t failures = 0;        // failed gangs since the last credit
  std::string last_failure;
  double merge_s = 0;  // moving average
  MergeProgress progress;
  std::optional<double> merge_efficiency;  // as last recorded
  double attained_service_gpu_s = 0;
  double submitted_t_s = 0;
  std::optional<double> started_t_s;
  std::optional<double> finished_t_s;
  Metrics metrics;

  // What the credited steps are worth; absent while that hangs on an unknown merge efficiency.
  [[nodiscard]] std::optional<double> steps_effective() const;
  // Of what the job is judged by. Effective steps that nothing is known of yet do not count.
  [[nodiscard]] std::uint64_t steps_left() const;
  [[nodiscard]] bool done() const { return steps_left() == 0 || spec->target.reached(metrics); }
};

struct LedgerNode {
  NodeInventory inventory;
  Epoch epoch;
  NodeState state = NodeState::kUp;
  std::string reason;  // of its drain, else of its loss
  double since_s = 0;
  double drain_deadline_s = 0;  // as NodeView
};

// The fold. apply() is the only thing that changes it, live and at replay alike.
class LedgerState {
 public:
  // Folds one event in. kCorrupt when it contradicts what came before: a gap in seq, an unknown job or lease,
  // a step credited twice.
  Status apply(const Event& event);

  [[nodiscard]] const std::map<JobId, LedgerJob>& jobs() const { return jobs_; }
  // Jobs that have not ended, or have open leases.
  [[nodiscard]] const std::set<JobId>& active() const { return active_; }
  [[nodiscard]] const std::map<LeaseId, OpenLease>& leases() const { return leases_; }
  [[nodiscard]] const std::map<NodeName, LedgerNode>& nodes() const { return nodes_; }
  // GPUs of all nodes by type, in whatever state they are.
  [[nodiscard]] const std::map<GpuType, std::uint32_t>& gpus() const { return gpus_; }
  [[nodiscard]] Term term() const { return term_; }
  [[nodiscard]] RoundId round() const { return round_; }
  [[nodiscard]] LeaseId last_lease() const { return last_lease_; }
  [[nodiscard]] JobId last_job() const { return last_job_; }
  [[nodiscard]] std::uint64_t last_seq() const { return last_seq_; }
  [[nodiscard]] double last_t_s() const { return last_t_s_; }
  [[nodiscard]] const std::string& cluster_id() const { return cluster_id_; }

  [[nodiscard]] const LedgerJob* find(JobId job) const;
  [[nodiscard]] const OpenLease* find(LeaseId lease) const;
  [[nodiscard]] const std::set<LeaseId>& leases_on(const NodeName& node) const;
  // The job a submission key was used for; null when never.
  [[nodiscard]] const LedgerJob* by_key(const std::string& key) const;

  // Steps of open leases that may still be credited.
  [[nodiscard]] std::uint64_t steps_issued(const LedgerJob& job) const;
  // Steps left that no open lease has.
  [[nodiscard]] std::uint64_t steps_unissued(const LedgerJob& job) const;
  // Its forks are over or late and not settled yet: it cannot be planned now.
  [[nodiscard]] bool merging(const LedgerJob& job, double now_s) const;

  // How long a merge of the job takes: as measured on it, else on others of its model; 0 = unknown.
  [[nodiscard]] double merge_s(const LedgerJob& job) const;

  // Eta of the job: as fitted to its merges, else to those of others of its model; absent = unknown.
  [[nodiscard]] std::optional<double> merge_efficiency(const LedgerJob& job) const;
  // What the forks of a merge brought that are in it.
  [[nodiscard]] std::vector<ForkScore> scores_of(const std::vector<event::MergedFork>& forks) const;

  // Every blob an unfinished or finished job may still need.
  [[nodiscard]] std::set<std::string> needed_blobs() const;

  // Jobs that changed, or whose leases did, since the last call. Not part of the fold.
  [[nodiscard]] std::set<JobId> take_touched() { return std::exchange(touched_, {}); }

  // Sampled progress is display only and not part of the fold.
  void sample(LeaseId lease, std::uint64_t steps);

 private:
  struct Fold;
  LedgerJob* job(JobId id);
  // A member of the lease's gang has failed already: when one is gone, the others follow.
  [[nodiscard]] bool gang_failed(const LedgerJob& job, const OpenLease& member) const;
  void close(LeaseId lease);
  void count_gpus(const std::vector<GpuGroup>& groups, bool added);

  std::map<JobId, LedgerJob> jobs_;
  std::set<JobId> active_;
  std::set<JobId> touched_;
  std::map<LeaseId, OpenLease> leases_;
  std::map<NodeName, std::set<LeaseId>> on_node_;
  std::map<NodeName, LedgerNode> nodes_;
  std::map<GpuType, std::uint32_t> gpus_;
  std::map<std::string, JobId> keys_;
  std::map<std::string, double> merge_s_by_model_;
  std::map<std::string, double> merge_efficiency_by_model_;
  Term term_;
  RoundId round_;
  LeaseId last_lease_;
  JobId last_job_;
  std::uint64_t last_seq_ = 0;
  double last_t_s_ = 0;
  std::string cluster_id_;
};

}  // namespace hadar
