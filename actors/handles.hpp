// Every actor's contract on one page. A handle is used the same way whether its actor is in this process or behind a
// proxy; requests to a handle that may be remote have short limits, and nobody monitors or links to it.
#pragma once

#include <caf/typed_actor.hpp>

#include "actors/message_types.hpp"

namespace hadar {

template <class Request>
using Takes = caf::reacts_to<Request>;
template <class Request, class Answer>
using Answers = typename caf::replies_to<Request>::template with<Answer>;

// ---- node-worker ----

using NodeWorkerActor =
    caf::typed_actor<Answers<PrepareLeases, LeasesPrepared>, Answers<CommitLeases, Ack>, Answers<RevokeLeases, Ack>,
                     Answers<ExtendLease, Ack>, Answers<QueryLog, LogPart>>;

// A node's link came up (told to lease_keeper) or went (told to membership), by the composition root, which knows how
// to reach it.
struct NodeLinked {
  NodeName node;
  NodeWorkerActor worker;
};
struct NodeUnlinked {
  NodeName node;
  std::string why;
};

// ---- scheduler ----

// Which nodes there are, and in what state.
using MembershipActor = caf::typed_actor<Answers<NodeHello, NodeWelcome>, Answers<CommandNode, Ack>,
                                         Takes<NodeUnlinked>, Takes<TermOpened>>;

// The round clock: view, prices, plan, record, grant.
using RoundFlowActor = caf::typed_actor<Takes<JobAdvanced>, Takes<CapacityChanged>, Answers<QueryNodes, NodeList>>;

// Whom the lease keeper tells of GPUs that became idle.
struct KeeperPeers {
  RoundFlowActor round_flow;
};

// The only place that grants, renews, extends and takes back leases.
using LeaseKeeperActor =
    caf::typed_actor<Answers<LeaseEnded, Ack>, Answers<ReconcileNode, NodeReconciled>, Takes<NodeTable>,
                     Takes<NodeGone>, Takes<NodeLinked>, Answers<ViewCapacity, CapacityPtr>,
                     Answers<GrantLeases, GrantOutcome>, Answers<ReleaseLeases, Ack>, Answers<LengthenLease, Ack>,
                     Takes<AbandonLeases>, Takes<TermOpened>, Takes<KeeperPeers>>;

// ---- price-oracle, policy ----

using PriceOracleActor = caf::typed_actor<Answers<PriceRound, PriceBoard>, Answers<QueryPrices, PriceHistory>>;

using PolicyActor = caf::typed_actor<Answers<PlanRound, RoundPlanned>>;

// ---- job-tracker ----

// Follows each job's forks and decides when and with whom to merge.
using ForkTrackerActor =
    caf::typed_actor<Answers<LeaseReport, ReportAnswered>, Takes<TrackLeases>, Takes<UntrackLeases>>;

// Merges weights; on a thread of its own in a live process.
using ConsolidatorActor = caf::typed_actor<Answers<MergeForks, ForksMerged>>;

using ThroughputBookActor = caf::typed_actor<Answers<EstimateJobs, JobsViewed>, Takes<MeasuredSpeed>>;

// The blob store as an actor; on a thread of its own in a live process.
using BlobKeeperActor = caf::typed_actor<Answers<StatBlob, BlobStat>, Answers<PutBlobChunk, BlobStat>,
                                         Answers<GetBlobChunk, BlobChunk>, Takes<KeepBlobs>>;

// Whom the ledger tells what it wrote down. round_flow may be a proxy.
struct LedgerPeers {
  RoundFlowActor round_flow;
  ForkTrackerActor fork_tracker;
  ThroughputBookActor throughput_book;
  BlobKeeperActor blob_keeper;
};

// The only writer of the event log.
using JobLedgerActor =
    caf::typed_actor<Answers<OpenTerm, TermOpened>, Answers<ViewJobs, JobsViewed>, Answers<RecordPlan, PlanRecorded>,
                     Answers<RecordExtension, Ack>, Answers<CloseLeases, Ack>, Answers<RecordNode, Ack>,
                     Answers<SubmitJob, JobSubmitted>, Answers<CommandJob, Ack>, Answers<QueryJobs, JobList>,
                     Answers<QueryEvents, EventPage>, Answers<AcceptReport, ReportAccepted>,
                     Answers<SettleForks, ForksSettled>, Takes<ProgressSampled>, Takes<LedgerPeers>>;

// Moves blobs between a node's cache and the tracker's store, a few chunks in flight at a time.
using BlobCourierActor =
    caf::typed_actor<Answers<FetchBlob, Ack>, Answers<AdoptFile, FileAdopted>, Answers<PushBlob, Ack>>;

// ---- gateway, every process ----

using GatewayActor =
    caf::typed_actor<Answers<SubmitJob, JobSubmitted>, Answers<CommandJob, Ack>, Answers<QueryJobs, JobList>,
                     Answers<QueryNodes, NodeList>, Answers<CommandNode, Ack>, Answers<QueryPrices, PriceHistory>,
                     Answers<QueryEvents, EventPage>, Answers<QueryLog, LogPart>, Answers<QueryHealth, ClusterHealth>,
                     Answers<StatBlob, BlobStat>, Answers<GetBlobChunk, BlobChunk>>;

// What this process counts.
using HealthActor = caf::typed_actor<Answers<QueryHealth, ProcessHealth>>;

}  // namespace hadar
