// The facts of a cluster's life, in the past tense. The event log holds nothing else, and everything follows from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "messages/types/cluster.hpp"
#include "messages/types/ids.hpp"
#include "messages/types/job.hpp"
#include "messages/types/lease.hpp"
#include "messages/types/model.hpp"
#include "messages/types/round.hpp"

namespace hadar::event {

struct ClusterStarted {  // first event of a log
  std::string cluster_id;
  friend bool operator==(const ClusterStarted&, const ClusterStarted&) = default;
};
struct SchedulerStarted {
  Term term;
  std::string policy;
  double round_s = 0;
  friend bool operator==(const SchedulerStarted&, const SchedulerStarted&) = default;
};
struct Submitted {
  JobId job;
  JobSpec spec;
  std::string key;
  bool infeasible = false;  // kept on purpose
  Reason reason;            // set when infeasible
  friend bool operator==(const Submitted&, const Submitted&) = default;
};
struct Held {
  JobId job;
  friend bool operator==(const Held&, const Held&) = default;
};
struct Released {
  JobId job;
  friend bool operator==(const Released&, const Released&) = default;
};
struct PlanOutcome {  // only when kind or code changed
  JobId job;
  RoundId round;
  OutcomeKind kind = OutcomeKind::kWaiting;
  Reason reason;
  friend bool operator==(const PlanOutcome&, const PlanOutcome&) = default;
};
struct RoundOpened {
  RoundId round;
  std::string policy;
  std::map<GpuType, double> prices;
  friend bool operator==(const RoundOpened&, const RoundOpened&) = default;
};
struct LeasesGranted {
  RoundId round;
  bool early = false;
  std::vector<Lease> leases;  // spec is null here: it is in Submitted
  friend bool operator==(const LeasesGranted&, const LeasesGranted&) = default;
};
struct LeaseExtended {
  LeaseId lease;
  JobId job;
  std::uint64_t quota_steps = 0;  // new total
  friend bool operator==(const LeaseExtended&, const LeaseExtended&) = default;
};
struct LeaseClosed {  // ended without a report that counts
  LeaseId lease;
  JobId job;
  NodeName node;
  std::string reason;
  friend bool operator==(const LeaseClosed&, const LeaseClosed&) = default;
};
struct ForkReported {  // accepted, not yet credited
  JobId job;
  LeaseReport report;
  friend bool operator==(const ForkReported&, const ForkReported&) = default;
};
struct MergedFork {
  LeaseId lease;
  std::uint32_t fork = 0;
  std::uint64_t steps = 0;
  bool in = false;
  bool open = false;   // a checkpoint of a lease that goes on from the new version
  std::string reason;  // why it is out; empty when in
  friend bool operator==(const MergedFork&, const MergedFork&) = default;
};
struct Consolidated {  // THE credit
  JobId job;
  ModelVersion version;
  std::vector<MergedFork> forks;
  std::uint64_t credited = 0;
  Metrics metrics;
  double merge_s = 0;
  std::optional<double> merge_efficiency;  // fitted to all merges of the job so far; absent = they do not tell
  std::optional<double> steps_effective;   // what all its credited steps are worth now; absent = not known
  friend bool operator==(const Consolidated&, const Consolidated&) = default;
};
struct Completed {
  JobId job;
  Metrics metrics;
  friend bool operator==(const Completed&, const Completed&) = default;
};
struct Failed {
  JobId job;
  std::string reason;
  friend bool operator==(const Failed&, const Failed&) = default;
};
struct Cancelled {
  JobId job;
  friend bool operator==(const Cancelled&, const Cancelled&) = default;
};
struct NodeUp {
  NodeInventory inventory;
  Epoch epoch;
  friend bool operator==(const NodeUp&, const NodeUp&) = default;
};
struct NodeLost {
  NodeName node;
  Epoch epoch;  // the new one
  std::string reason;
  friend bool operator==(const NodeLost&, const NodeLost&) = default;
};
struct NodeDraining {
  NodeName node;
  std::string reason;
  double deadline_s = 0;
  friend bool operator==(const NodeDraining&, const NodeDraining&) = default;
};
struct NodeDrained {
  NodeName node;
  std::string reason;
  friend bool operator==(const NodeDrained&, const NodeDrained&) = default;
};
struct NodeUndrained {
  NodeName node;
  friend bool operator==(const NodeUndrained&, const NodeUndrained&) = default;
};
struct NodeForgotten {
  NodeName node;
  friend bool operator==(const NodeForgotten&, const NodeForgotten&) = default;
};

}  // namespace hadar::event

namespace hadar {

using EventBody = std::variant<event::ClusterStarted, event::SchedulerStarted, event::Submitted, event::Held,
                               event::Released, event::PlanOutcome, event::RoundOpened, event::LeasesGranted,
                               event::LeaseExtended, event::LeaseClosed, event::ForkReported, event::Consolidated,
                               event::Completed, event::Failed, event::Cancelled, event::NodeUp, event::NodeLost,
                               event::NodeDraining, event::NodeDrained, event::NodeUndrained, event::NodeForgotten>;

struct Event {
  std::uint64_t seq = 0;  // 1, 2, … without gaps
  double t_s = 0;         // cluster time: seconds since the cluster's first start; never falls
  EventBody body;

  friend bool operator==(const Event&, const Event&) = default;
};

}  // namespace hadar
