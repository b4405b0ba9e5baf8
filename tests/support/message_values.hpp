// One made-up value of every message and event.
#pragma once

#include <memory>
#include <vector>

#include "messages/types/control.hpp"
#include "messages/types/link.hpp"
#include "messages/types/trainer.hpp"
#include "tests/support/source.hpp"

namespace hadar::testing {

void fill(Source& source, ForkId& value);
void fill(Source& source, BlobRef& value);
void fill(Source& source, ModelVersion& value);
void fill(Source& source, Reason& value);
void fill(Source& source, SleepSpec& value);
void fill(Source& source, JobSpec& value);
void fill(Source& source, JobStatus& value);
void fill(Source& source, GpuGroup& value);
void fill(Source& source, NodeInventory& value);
void fill(Source& source, NodeView& value);
void fill(Source& source, GangSlot& value);
void fill(Source& source, Lease& value);
void fill(Source& source, ProgressSample& value);
void fill(Source& source, HeldLease& value);
void fill(Source& source, PreparedLease& value);
void fill(Source& source, RefusedLease& value);
void fill(Source& source, LeaseReport& value);
void fill(Source& source, ReportAnswered& value);
void fill(Source& source, ProgressSampled& value);
void fill(Source& source, Estimate& value);
void fill(Source& source, PairEstimate& value);
void fill_pairs(Source& source, PairTable& pairs);  // rising
void fill(Source& source, GpuSlice& value);
void fill(Source& source, Allocation& value);
void fill(Source& source, JobView& value);
void fill(Source& source, NodeCapacity& value);
void fill(Source& source, RoundInput& value);
void fill(Source& source, Outcome& value);
void fill(Source& source, RoundPlan& value);
void fill(Source& source, PriceBoard& value);
void fill(Source& source, PlanRound& value);
void fill(Source& source, RoundPlanned& value);
void fill(Source& source, PriceRound& value);
void fill(Source& source, QueryPrices& value);
void fill(Source& source, PriceHistory& value);
void fill(Source& source, NodeHello& value);
void fill(Source& source, NodeWelcome& value);
void fill(Source& source, PrepareLeases& value);
void fill(Source& source, LeasesPrepared& value);
void fill(Source& source, CommitLeases& value);
void fill(Source& source, RevokeLeases& value);
void fill(Source& source, ExtendLease& value);
void fill(Source& source, LeaseEnded& value);
void fill(Source& source, Ack& value);
void fill(Source& source, OpenTerm& value);
void fill(Source& source, TermOpened& value);
void fill(Source& source, ViewJobs& value);
void fill(Source& source, JobsViewed& value);
void fill(Source& source, RecordPlan& value);
void fill(Source& source, PlanRecorded& value);
void fill(Source& source, RecordExtension& value);
void fill(Source& source, CloseLeases& value);
void fill(Source& source, RecordNode& value);
void fill(Source& source, JobAdvanced& value);
void fill(Source& source, StatBlob& value);
void fill(Source& source, BlobStat& value);
void fill(Source& source, PutBlobChunk& value);
void fill(Source& source, GetBlobChunk& value);
void fill(Source& source, BlobChunk& value);
void fill(Source& source, SubmitJob& value);
void fill(Source& source, JobSubmitted& value);
void fill(Source& source, CommandJob& value);
void fill(Source& source, QueryJobs& value);
void fill(Source& source, JobList& value);
void fill(Source& source, QueryNodes& value);
void fill(Source& source, NodeList& value);
void fill(Source& source, CommandNode& value);
void fill(Source& source, QueryEvents& value);
void fill(Source& source, EventPage& value);
void fill(Source& source, QueryLog& value);
void fill(Source& source, LogPart& value);
void fill(Source& source, QueryHealth& value);
void fill(Source& source, ProcessHealth& value);
void fill(Source& source, ClusterHealth& value);
void fill(Source& source, PeerInfo& value);
void fill(Source& source, LinkHello& value);
void fill(Source& source, LinkWelcome& value);
void fill(Source& source, LinkRefused& value);
void fill(Source& source, LinkPing& value);
void fill(Source& source, LinkPong& value);
void fill(Source& source, LinkBye& value);
void fill(Source& source, TrainerHello& value);
void fill(Source& source, TrainerLeaseStart& value);
void fill(Source& source, TrainerLeaseExtend& value);
void fill(Source& source, TrainerSave& value);
void fill(Source& source, TrainerLeaseStop& value);
void fill(Source& source, TrainerExit& value);
void fill(Source& source, TrainerProgress& value);
void fill(Source& source, TrainerSaved& value);
void fill(Source& source, EventBody& value);  // any kind
void fill(Source& source, Event& value);

// The fact of the given index in EventBody.
EventBody made_fact(Source& source, std::size_t index);
// A fact about a node.
EventBody made_node_fact(Source& source);
// A blob that is there.
BlobRef made_blob(Source& source);

template <class Tag>
void fill(Source& source, Id<Tag>& id) {
  id = {source.number(1, kMax)};
}

template <class T>
std::shared_ptr<const T> shared(Source& source) {
  auto value = std::make_shared<T>();
  fill(source, *value);
  return value;
}

template <class T>
void fill(Source& source, std::shared_ptr<const T>& value) {
  value = shared<T>(source);
}

template <class T>
void fill_list(Source& source, std::vector<T>& values) {
  values.resize(source.count());
  for (auto& value : values) fill(source, value);
}

template <class T>
T made(Source& source) {
  T value;
  fill(source, value);
  return value;
}

}  // namespace hadar::testing
