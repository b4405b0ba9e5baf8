// Every type that travels through a CAF mailbox. They are plain values or hold shared_ptr<const T>; CAF never
// serialises them: between processes the bridge uses the codecs.
#pragma once

#include <caf/allowed_unsafe_message_type.hpp>

#include "actors/local_messages.hpp"
#include "messages/types/control.hpp"
#include "messages/types/lease.hpp"
#include "messages/types/round.hpp"

namespace hadar {
// Defined in handles.hpp, since they carry handles.
struct NodeLinked;
struct NodeUnlinked;
struct KeeperPeers;
struct LedgerPeers;
}  // namespace hadar

#define HADAR_MAILBOX_TYPE(T) CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::T)

HADAR_MAILBOX_TYPE(Ack)
HADAR_MAILBOX_TYPE(NodeHello)
HADAR_MAILBOX_TYPE(NodeWelcome)
HADAR_MAILBOX_TYPE(PrepareLeases)
HADAR_MAILBOX_TYPE(LeasesPrepared)
HADAR_MAILBOX_TYPE(CommitLeases)
HADAR_MAILBOX_TYPE(RevokeLeases)
HADAR_MAILBOX_TYPE(ExtendLease)
HADAR_MAILBOX_TYPE(LeaseEnded)
HADAR_MAILBOX_TYPE(OpenTerm)
HADAR_MAILBOX_TYPE(TermOpened)
HADAR_MAILBOX_TYPE(ViewJobs)
HADAR_MAILBOX_TYPE(JobsViewed)
HADAR_MAILBOX_TYPE(RecordPlan)
HADAR_MAILBOX_TYPE(PlanRecorded)
HADAR_MAILBOX_TYPE(RecordExtension)
HADAR_MAILBOX_TYPE(CloseLeases)
HADAR_MAILBOX_TYPE(RecordNode)
HADAR_MAILBOX_TYPE(JobAdvanced)
HADAR_MAILBOX_TYPE(LeaseReport)
HADAR_MAILBOX_TYPE(ReportAnswered)
HADAR_MAILBOX_TYPE(ProgressSampled)
HADAR_MAILBOX_TYPE(StatBlob)
HADAR_MAILBOX_TYPE(BlobStat)
HADAR_MAILBOX_TYPE(PutBlobChunk)
HADAR_MAILBOX_TYPE(GetBlobChunk)
HADAR_MAILBOX_TYPE(BlobChunk)
HADAR_MAILBOX_TYPE(PlanRound)
HADAR_MAILBOX_TYPE(RoundPlanned)
HADAR_MAILBOX_TYPE(PriceRound)
HADAR_MAILBOX_TYPE(PriceBoard)
HADAR_MAILBOX_TYPE(QueryPrices)
HADAR_MAILBOX_TYPE(PriceHistory)
HADAR_MAILBOX_TYPE(SubmitJob)
HADAR_MAILBOX_TYPE(JobSubmitted)
HADAR_MAILBOX_TYPE(CommandJob)
HADAR_MAILBOX_TYPE(QueryJobs)
HADAR_MAILBOX_TYPE(JobList)
HADAR_MAILBOX_TYPE(QueryNodes)
HADAR_MAILBOX_TYPE(NodeList)
HADAR_MAILBOX_TYPE(CommandNode)
HADAR_MAILBOX_TYPE(QueryEvents)
HADAR_MAILBOX_TYPE(EventPage)
HADAR_MAILBOX_TYPE(QueryLog)
HADAR_MAILBOX_TYPE(LogPart)
HADAR_MAILBOX_TYPE(QueryHealth)
HADAR_MAILBOX_TYPE(ProcessHealth)
HADAR_MAILBOX_TYPE(ClusterHealth)

HADAR_MAILBOX_TYPE(ReconcileNode)
HADAR_MAILBOX_TYPE(NodeReconciled)
HADAR_MAILBOX_TYPE(NodeTable)
HADAR_MAILBOX_TYPE(NodeGone)
HADAR_MAILBOX_TYPE(ViewCapacity)
HADAR_MAILBOX_TYPE(CapacityPtr)
HADAR_MAILBOX_TYPE(GrantLeases)
HADAR_MAILBOX_TYPE(GrantOutcome)
HADAR_MAILBOX_TYPE(ReleaseLeases)
HADAR_MAILBOX_TYPE(LengthenLease)
HADAR_MAILBOX_TYPE(AbandonLeases)
HADAR_MAILBOX_TYPE(CapacityChanged)
HADAR_MAILBOX_TYPE(TrackLeases)
HADAR_MAILBOX_TYPE(UntrackLeases)
HADAR_MAILBOX_TYPE(AcceptReport)
HADAR_MAILBOX_TYPE(ReportAccepted)
HADAR_MAILBOX_TYPE(SettleForks)
HADAR_MAILBOX_TYPE(ForksSettled)
HADAR_MAILBOX_TYPE(KeepBlobs)
HADAR_MAILBOX_TYPE(MergeForks)
HADAR_MAILBOX_TYPE(ForksMerged)
HADAR_MAILBOX_TYPE(EstimateJobs)
HADAR_MAILBOX_TYPE(MeasuredSpeed)
HADAR_MAILBOX_TYPE(ExecutorHappened)
HADAR_MAILBOX_TYPE(SchedulerLink)
HADAR_MAILBOX_TYPE(FetchBlob)
HADAR_MAILBOX_TYPE(AdoptFile)
HADAR_MAILBOX_TYPE(FileAdopted)
HADAR_MAILBOX_TYPE(PushBlob)
HADAR_MAILBOX_TYPE(NodeLinked)
HADAR_MAILBOX_TYPE(NodeUnlinked)
HADAR_MAILBOX_TYPE(KeeperPeers)
HADAR_MAILBOX_TYPE(LedgerPeers)

#undef HADAR_MAILBOX_TYPE
