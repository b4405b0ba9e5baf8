// Messages that never leave their process.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messages/types/control.hpp"
#include "messages/types/error.hpp"
#include "runtime/executor/executor.hpp"

namespace hadar {

// ---- membership → lease_keeper ----

// What a node that says hello still holds; answered with what may go on.
struct ReconcileNode {
  NodeName node;
  std::uint64_t incarnation = 0;
  Epoch epoch;
  std::vector<HeldLease> held;
};
struct NodeReconciled {
  std::vector<LeaseId> adopt;
  std::vector<LeaseId> discard;
};
// The node table after a change. Idle GPUs and leases are the lease keeper's to fill in.
struct NodeTable {
  std::vector<NodeView> nodes;
};
struct NodeGone {  // declared lost or forgotten: its leases are closed
  NodeName node;
  Epoch epoch;  // the new one
  std::string reason;
};

// ---- round_flow → lease_keeper ----

struct ViewCapacity {};
struct CapacityViewed {
  std::vector<NodeView> nodes;                     // rising names
  std::vector<std::shared_ptr<const Lease>> open;  // all open leases, rising (fork, id)
};
using CapacityPtr = std::shared_ptr<const CapacityViewed>;  // the answer: shared, never changed while someone holds it
// Prepares all, then commits; a gang whose member refuses is revoked whole and closed.
struct GrantLeases {
  std::vector<Lease> leases;
};
struct GrantOutcome {
  std::vector<LeaseId> granted;
  std::vector<RefusedLease> refused;
};
struct ReleaseLeases {
  std::vector<LeaseId> leases;
  std::string reason;
};
struct LengthenLease {
  LeaseId lease;
  std::uint64_t quota_steps = 0;
  double train_for_s = 0;
};
// Leases whose record was not confirmed: they may stand in the log, and no node will ever hold them.
struct AbandonLeases {
  std::vector<LeaseId> leases;
  std::string reason;
};
// lease_keeper → round_flow: GPUs became idle or a node came, went or changed.
struct CapacityChanged {};

// ---- job_ledger ↔ fork_tracker ----

// Leases just granted, or (after a restart) still open with the reports accepted for them.
struct TrackLeases {
  std::shared_ptr<const JobSpec> spec;
  ModelVersion base;
  std::vector<Lease> leases;         // new ones
  std::vector<LeaseReport> reports;  // accepted, of these or of leases tracked already
};
struct UntrackLeases {  // closed without a report
  JobId job;
  std::vector<LeaseId> leases;
  std::string reason;
};
// Forks to be settled in one transaction: those in are credited, those out never will be.
struct SettleForks {
  JobId job;
  ModelVersion base;  // the version these forks started from
  BlobRef weights;    // of the new version; empty when nothing came in or there are none
  std::vector<event::MergedFork> forks;
  Metrics metrics;
  double merge_s = 0;
};
struct ForksSettled {
  ModelVersion version;
  bool finished = false;
};
struct AcceptReport {
  LeaseReport report;
  std::optional<SettleForks> settle;  // in the same transaction, if the report is accepted as it stands
};
struct ReportAccepted {
  ReportVerdict verdict = ReportVerdict::kAccepted;
  std::string text;
  ModelVersion base;  // of the lease now, when it is still open
  std::optional<ForksSettled> settled;
};

// ---- job_ledger → blob_keeper ----

// Hashes that jobs may still need; old blobs beyond them go.
struct KeepBlobs {
  std::set<std::string> hashes;
};

// ---- fork_tracker ↔ consolidator ----

struct MergeInput {
  LeaseId lease;
  BlobRef weights;
  double coefficient = 0;
};
struct MergeForks {
  JobId job;
  ModelVersion base;
  std::vector<MergeInput> inputs;
};
struct ForksMerged {
  BlobRef weights;
  std::vector<RefusedLease> left_out;
};

// ---- job_ledger ↔ throughput_book ----

using JobSpecs = std::vector<std::shared_ptr<const JobSpec>>;
using JobSpecsPtr = std::shared_ptr<const JobSpecs>;  // never changed while someone holds it
// Answers a view with its estimates and pairs filled in.
struct EstimateJobs {
  JobsViewed viewed;
  JobSpecsPtr specs;   // of its jobs, same order
  bool pairs = false;  // how they run side by side is wanted too
};
struct MeasuredSpeed {
  JobId job;
  std::shared_ptr<const JobSpec> spec;
  GpuType type;
  std::uint64_t steps = 0;
  double train_s = 0;
};

// ---- node worker ----

struct ExecutorHappened {
  ExecutorEvent event;
};
struct SchedulerLink {
  bool up = false;
};
// Node worker → its blob courier. Fetch: have the blob in the cache. Adopt: take a finished file into the cache.
// Push: have the blob in the tracker's store.
struct FetchBlob {
  BlobRef blob;
};
struct AdoptFile {
  std::filesystem::path file;
};
struct FileAdopted {
  BlobRef blob;
};
struct PushBlob {
  BlobRef blob;
};

}  // namespace hadar
