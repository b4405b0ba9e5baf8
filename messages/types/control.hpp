// Requests between actors and their answers. One struct per message; the schema page of the same name says when each is
// sent, by whom, and what the receiver must do.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "messages/types/cluster.hpp"
#include "messages/types/event.hpp"
#include "messages/types/ids.hpp"
#include "messages/types/job.hpp"
#include "messages/types/lease.hpp"
#include "messages/types/model.hpp"
#include "messages/types/payload.hpp"
#include "messages/types/round.hpp"
#include "messages/types/throughput.hpp"

namespace hadar {

#define HADAR_VALUE(T) friend bool operator==(const T&, const T&) = default

struct Ack {
  HADAR_VALUE(Ack);
};

// ---- node worker ↔ membership ----

// A lease a node holds when it says hello.
struct HeldLease {
  Lease lease;
  bool over = false;  // ended; its report waits for an answer
  friend bool operator==(const HeldLease&, const HeldLease&) = default;
};
struct NodeHello {
  NodeInventory inventory;
  std::uint64_t incarnation = 0;  // new at each start of the process
  Epoch epoch;                    // last one it was given; 0 = none
  std::vector<HeldLease> held;
  HADAR_VALUE(NodeHello);
};
struct NodeWelcome {
  Term term;
  Epoch epoch;
  double round_s = 0;
  double outage_grace_s = 0;     // how long it may train on without the scheduler
  std::vector<LeaseId> adopt;    // go on under the new term and epoch
  std::vector<LeaseId> discard;  // stop, and forget without a report
  HADAR_VALUE(NodeWelcome);
};

// ---- lease_keeper ↔ node worker ----

struct PrepareLeases {
  Term term;
  Epoch epoch;
  std::vector<Lease> leases;
  HADAR_VALUE(PrepareLeases);
};
struct RefusedLease {
  LeaseId lease;
  std::string reason;
  friend bool operator==(const RefusedLease&, const RefusedLease&) = default;
};
// A lease its node is ready to start. For rank 0 of a gang over several nodes the node offers where it will listen.
struct PreparedLease {
  LeaseId lease;
  std::string rendezvous;  // "host:port"; empty otherwise
  friend bool operator==(const PreparedLease&, const PreparedLease&) = default;
};
struct LeasesPrepared {
  std::vector<PreparedLease> accepted;
  std::vector<RefusedLease> refused;
  HADAR_VALUE(LeasesPrepared);
};
struct CommitLeases {
  Term term;
  Epoch epoch;
  std::vector<PreparedLease> leases;  // rendezvous: rank 0's, for every member of the gang
  HADAR_VALUE(CommitLeases);
};
struct RevokeLeases {
  Term term;
  Epoch epoch;
  std::vector<LeaseId> leases;
  std::string reason;
  HADAR_VALUE(RevokeLeases);
};
struct ExtendLease {
  Term term;
  Epoch epoch;
  LeaseId lease;
  std::uint64_t quota_steps = 0;  // new total
  double train_for_s = 0;         // new limit from now
  HADAR_VALUE(ExtendLease);
};
// The GPUs of a lease are free again; says nothing of its steps.
struct LeaseEnded {
  LeaseId lease;
  NodeName node;
  Epoch epoch;
  LeaseEndReason end = LeaseEndReason::kQuota;
  bool reported = false;  // the node owes the tracker no report of it (any more)
  std::string detail;
  HADAR_VALUE(LeaseEnded);
};

// ---- scheduler ↔ job-tracker ----

struct OpenTerm {
  std::string policy;
  double round_s = 0;
  std::uint64_t incarnation = 0;  // of the scheduler, new at each start; 0 = not told
  HADAR_VALUE(OpenTerm);
};
// What a starting scheduler needs to go on where the last one stopped.
struct TermOpened {
  Term term;
  RoundId last_round;
  LeaseId last_lease;
  std::string memory;              // of the last recorded plan
  std::vector<Lease> open_leases;  // granted, neither reported at their end nor closed
  std::vector<NodeView> nodes;     // as far as events tell: drains, epochs
  double now_s = 0;                // cluster time
  HADAR_VALUE(TermOpened);
};
struct ViewJobs {
  RoundId round;
  bool pairs = false;  // the policy shares GPUs: it wants to know how jobs run side by side
  HADAR_VALUE(ViewJobs);
};
struct JobsViewed {
  JobViews jobs;
  std::vector<LeaseId> unwanted;  // open leases of jobs that were cancelled, held back, failed or already merged
  double now_s = 0;
  PairTable pairs;  // as RoundInput::pairs; empty unless asked for
};
inline bool operator==(const JobsViewed& a, const JobsViewed& b) {
  if (a.now_s != b.now_s || a.pairs != b.pairs || a.unwanted != b.unwanted || a.jobs.size() != b.jobs.size())
    return false;
  for (std::size_t i = 0; i < a.jobs.size(); ++i)
    if (!(*a.jobs[i] == *b.jobs[i])) return false;
  return true;
}
// A plan to be made durable before its leases are prepared.
struct RecordPlan {
  Term term;
  RoundId round;
  bool early = false;
  std::string policy;
  std::map<GpuType, double> prices;
  std::vector<Lease> leases;  // to be granted; base and spec are filled in by the tracker
  std::vector<Outcome> outcomes;
  std::optional<std::string> memory;  // the policy's, when it planned anew
  HADAR_VALUE(RecordPlan);
};
// The leases as granted: base version and spec filled in; those the tracker no longer allows are left out.
struct PlanRecorded {
  std::vector<Lease> leases;
  std::vector<RefusedLease> refused;
  HADAR_VALUE(PlanRecorded);
};
struct RecordExtension {
  Term term;
  LeaseId lease;
  JobId job;
  std::uint64_t quota_steps = 0;
  HADAR_VALUE(RecordExtension);
};
// Leases that will never report: refused by their node, or their node was lost.
struct CloseLeases {
  std::vector<LeaseId> leases;
  std::string reason;
  HADAR_VALUE(CloseLeases);
};
// A fact about a node, to be written down.
struct RecordNode {
  EventBody fact;
  Term term;
  std::uint64_t number = 0;  // rises within the term
  HADAR_VALUE(RecordNode);
};
// Tracker → round_flow: a job may be planned again, or no more.
struct JobAdvanced {
  JobId job;
  bool finished = false;
  std::uint64_t steps_left = 0;
  HADAR_VALUE(JobAdvanced);
};

// ---- node worker → job-tracker ----

enum class ReportVerdict : std::uint8_t {
  kAccepted = 1,  // stored; it will be merged or left out, either way the node may forget it
  kSettled = 2,   // already settled: forget it
  kStale = 3,     // old epoch or old base: forget it
};
struct ReportAnswered {
  LeaseId lease;
  ReportVerdict verdict = ReportVerdict::kAccepted;
  std::string text;
  ModelVersion base;  // after a credited checkpoint: the version the lease goes on from; else version 0
  HADAR_VALUE(ReportAnswered);
};
// Sampled progress of open leases of one node; not durable, never credited.
struct ProgressSample {
  LeaseId lease;
  std::uint64_t steps = 0;  // since the lease's base
  double train_s = 0;
  friend bool operator==(const ProgressSample&, const ProgressSample&) = default;
};
struct ProgressSampled {
  NodeName node;
  std::vector<ProgressSample> samples;
  HADAR_VALUE(ProgressSampled);
};

// ---- blobs ----

// How much of a blob the receiver has; asked first, so that a broken transfer resumes.
struct StatBlob {
  BlobRef blob;
  HADAR_VALUE(StatBlob);
};
struct BlobStat {
  std::uint64_t have = 0;  // bytes from the start
  bool complete = false;
  HADAR_VALUE(BlobStat);
};
// One chunk; travels as a payload frame beside the message. An answered chunk is the credit for the next.
struct PutBlobChunk {
  BlobRef blob;
  std::uint64_t offset = 0;
  std::uint64_t checksum = 0;  // XXH3-64 of the chunk
  Payload payload;
  HADAR_VALUE(PutBlobChunk);
};
struct GetBlobChunk {
  BlobRef blob;
  std::uint64_t offset = 0;
  std::uint32_t max_bytes = 0;
  HADAR_VALUE(GetBlobChunk);
};
struct BlobChunk {
  BlobRef blob;
  std::uint64_t offset = 0;
  std::uint64_t checksum = 0;
  Payload payload;
  HADAR_VALUE(BlobChunk);
};
// ---- policy and prices ----

struct PlanRound {
  std::shared_ptr<const RoundInput> input;
};
inline bool operator==(const PlanRound& a, const PlanRound& b) {
  return a.input && b.input ? *a.input == *b.input : a.input == b.input;
}
struct RoundPlanned {
  RoundPlan plan;
  std::string policy;
  double plan_ms = 0;
  HADAR_VALUE(RoundPlanned);
};
// Asks for a board for this round from the jobs and nodes in the input (its prices and memory are ignored).
struct PriceRound {
  std::shared_ptr<const RoundInput> input;
};
inline bool operator==(const PriceRound& a, const PriceRound& b) {
  return a.input && b.input ? *a.input == *b.input : a.input == b.input;
}
struct QueryPrices {
  std::uint32_t rounds = 1;  // how many of the latest boards
  HADAR_VALUE(QueryPrices);
};
struct PriceHistory {
  std::vector<PriceBoard> boards;  // rising rounds
  HADAR_VALUE(PriceHistory);
};

// ---- clients → gateway (and from there to the actor that knows) ----

struct SubmitJob {
  JobSpec spec;
  std::string key;  // same key, same job; empty = none
  bool keep_infeasible = false;
  HADAR_VALUE(SubmitJob);
};
struct JobSubmitted {
  JobId job;
  bool existed = false;  // the key named a job that is already there
  Reason reason;         // set when kept as infeasible
  HADAR_VALUE(JobSubmitted);
};
enum class JobAction : std::uint8_t { kCancel = 1, kHold = 2, kRelease = 3 };
struct CommandJob {
  std::string job;  // id or name
  JobAction action = JobAction::kCancel;
  HADAR_VALUE(CommandJob);
};
struct QueryJobs {
  std::string job;   // id or name; empty = all
  bool all = false;  // also ended ones, when `job` is empty
  HADAR_VALUE(QueryJobs);
};
struct JobList {
  std::vector<JobStatus> jobs;
  double now_s = 0;
  HADAR_VALUE(JobList);
};
struct QueryNodes {
  HADAR_VALUE(QueryNodes);
};
struct NodeList {
  std::vector<NodeView> nodes;
  RoundId round;
  double round_s = 0;
  double window_s = 0;  // left until the border
  std::string policy;
  HADAR_VALUE(NodeList);
};
enum class NodeAction : std::uint8_t { kDrain = 1, kUndrain = 2, kForget = 3 };
struct CommandNode {
  NodeName node;
  NodeAction action = NodeAction::kDrain;
  std::string reason;
  double deadline_s = 0;  // leases still open then are revoked; 0 = they may end by themselves
  HADAR_VALUE(CommandNode);
};
struct QueryEvents {
  std::uint64_t after_seq = 0;
  std::uint32_t limit = 1000;
  HADAR_VALUE(QueryEvents);
};
// Events as stored: one JSON object each (see codec/event_json).
struct EventPage {
  std::vector<std::string> events;
  std::uint64_t last_seq = 0;  // of the log, not of the page
  HADAR_VALUE(EventPage);
};
struct QueryLog {
  JobId job;
  std::uint32_t fork = 0;
  NodeName node;  // empty: the gateway finds it
  std::uint64_t offset = 0;
  std::uint32_t max_bytes = 0;
  HADAR_VALUE(QueryLog);
};
struct LogPart {
  NodeName node;
  std::uint64_t offset = 0;  // of the first byte of `text`; larger than asked when older bytes were cut
  std::string text;
  bool more = false;  // bytes after this part are there already
  HADAR_VALUE(LogPart);
};
struct QueryHealth {
  HADAR_VALUE(QueryHealth);
};
// What one process counts; gateway answers with one per process it can reach.
struct ProcessHealth {
  std::string name;
  bool reachable = true;
  std::uint64_t pid = 0;
  double up_s = 0;
  std::map<std::string, std::uint64_t> counters;  // e.g. "frames_refused", "handshakes_refused"
  friend bool operator==(const ProcessHealth&, const ProcessHealth&) = default;
};
struct ClusterHealth {
  std::string cluster_id;
  std::vector<ProcessHealth> processes;
  HADAR_VALUE(ClusterHealth);
};

#undef HADAR_VALUE

}  // namespace hadar
