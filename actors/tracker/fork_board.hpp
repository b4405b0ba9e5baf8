// Which forks of each job are out, which have reported, and when to merge them. Pure.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/local_messages.hpp"
#include "messages/types/lease.hpp"

namespace hadar {

// Forks of one job to be settled now.
struct MergeOrder {
  JobId job;
  std::shared_ptr<const JobSpec> spec;
  ModelVersion base;
  std::uint64_t steps_left = 0;           // of the job at `base`
  std::vector<LeaseReport> reports;       // of leases whose steps count, rising lease ids
  std::vector<event::MergedFork> others;  // gang members and late forks: settled without steps
  double since_s = 0;                     // when the last of them stopped training, as far as known
};

class ForkBoard {
 public:
  // `grace_s`: how long after its deadline a fork may still report.
  explicit ForkBoard(double grace_s) : grace_s_(grace_s) {}

  void track(const TrackLeases& message, double now_s);
  // Leases closed elsewhere: their steps will never count.
  void untrack(const UntrackLeases& message);
  // A report the ledger accepted.
  void report(const LeaseReport& report, double now_s);
  // Whether a checkpoint of this lease can be settled at once: it counts the steps of the job's only gang, whose
  // members all train on.
  [[nodiscard]] bool lone(LeaseId lease) const;

  // What is to be settled once this report is accepted: all other forks of its job have ended. Nothing when something
  // else is to be waited for. The job is being merged from now on, until settled() or postpone().
  std::optional<MergeOrder> last_report(const LeaseReport& report, double now_s);
  // The next job whose forks have all ended, or whose time and grace are over. It is being merged from now on, until
  // settled().
  std::optional<MergeOrder> due(double now_s);
  // When due() may have something next, by time alone; nothing when no deadline is pending.
  [[nodiscard]] std::optional<double> next_deadline_s() const;
  // The order was settled (its leases are forgotten); the rest goes on from `base`.
  void settled(const MergeOrder& order, const ModelVersion& base);
  // A lone checkpoint was settled.
  void checkpointed(LeaseId lease, const ModelVersion& base);
  // The merge could not be done; due() offers it again.
  void postpone(JobId job);

 private:
  struct Tracked {
    Lease lease;
    std::optional<LeaseReport> report;
    double deadline_s = 0;  // when it stops training; 0 = it renews
    [[nodiscard]] bool ended() const { return report && report->end != LeaseEndReason::kRunning; }
    // When it stopped training, as far as known.
    [[nodiscard]] double ended_s(const LeaseReport& last, double now_s) const {
      const bool at_deadline = last.end == LeaseEndReason::kDeadline && deadline_s > 0;
      return at_deadline ? std::min(now_s, deadline_s) : now_s;
    }
  };
  struct Job {
    std::shared_ptr<const JobSpec> spec;
    ModelVersion base;
    std::map<LeaseId, Tracked> leases;
    double deadline_s = 0;  // of leases that do not renew; 0 = none
    double since_s = 0;
    bool merging = false;
    double watched_s = 0;  // its place in deadlines_; 0 = none
  };
  static MergeOrder order_of(JobId id, const Job& job);
  void watch(JobId id, Job& job);
  void erase(std::map<JobId, Job>::iterator job);

  double grace_s_;
  std::map<JobId, Job> jobs_;
  std::map<LeaseId, JobId> owner_;
  std::set<JobId> changed_;                       // since due() last looked
  std::set<std::pair<double, JobId>> deadlines_;  // of jobs that are not merging
};

}  // namespace hadar
