#include "tests/support/message_values.hpp"

#include <algorithm>

namespace hadar::testing {
namespace {

// Sorts by a key and drops what has the same key.
template <class T, class KeyOf>
void make_rising(std::vector<T>& values, KeyOf key_of) {
  std::sort(values.begin(), values.end(), [&](const T& a, const T& b) { return key_of(a) < key_of(b); });
  values.erase(
      std::unique(values.begin(), values.end(), [&](const T& a, const T& b) { return key_of(a) == key_of(b); }),
      values.end());
}

// A chunk whose payload fits into its blob.
template <class Chunk>
void fill_chunk(Source& source, Chunk& chunk) {
  chunk.blob = made_blob(source);
  const auto bytes = source.bytes();
  chunk.blob.size = std::max<std::uint64_t>(chunk.blob.size, bytes.size());
  chunk.offset = source.number(0, chunk.blob.size - bytes.size());
  chunk.checksum = source.number(0, kMax);
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  chunk.payload = Payload(std::vector<std::byte>(data, data + bytes.size()));
}

}  // namespace

void fill(Source& source, ReportAnswered& value) {
  value.lease = {source.number(1, kMax)};
  value.verdict = static_cast<ReportVerdict>(source.number32(1, 3));
  value.text = source.text();
  fill(source, value.base);
}

void fill(Source& source, ProgressSampled& value) {
  value.node = source.name();
  fill_list(source, value.samples);
}

void fill(Source& source, PlanRound& value) {
  value.input = shared<RoundInput>(source);
}

void fill(Source& source, RoundPlanned& value) {
  fill(source, value.plan);
  value.policy = source.name();
  value.plan_ms = source.not_negative();
}

void fill(Source& source, PriceRound& value) {
  value.input = shared<RoundInput>(source);
}

void fill(Source& source, QueryPrices& value) {
  value.rounds = source.number32(0, kMax32);
}

void fill(Source& source, PriceHistory& value) {
  fill_list(source, value.boards);
  make_rising(value.boards, [](const auto& board) { return board.round; });
}

void fill(Source& source, NodeHello& value) {
  fill(source, value.inventory);
  value.incarnation = source.number(0, kMax);
  value.epoch = {source.number(0, kMax)};
  fill_list(source, value.held);
}

void fill(Source& source, NodeWelcome& value) {
  value.term = {source.number(0, kMax)};
  value.epoch = {source.number(0, kMax)};
  value.round_s = source.not_negative();
  value.outage_grace_s = source.not_negative();
  fill_list(source, value.adopt);
  fill_list(source, value.discard);
}

void fill(Source& source, PrepareLeases& value) {
  value.term = {source.number(0, kMax)};
  value.epoch = {source.number(0, kMax)};
  fill_list(source, value.leases);
}

void fill(Source& source, LeasesPrepared& value) {
  fill_list(source, value.accepted);
  fill_list(source, value.refused);
}

void fill(Source& source, CommitLeases& value) {
  value.term = {source.number(0, kMax)};
  value.epoch = {source.number(0, kMax)};
  fill_list(source, value.leases);
}

void fill(Source& source, RevokeLeases& value) {
  value.term = {source.number(0, kMax)};
  value.epoch = {source.number(0, kMax)};
  fill_list(source, value.leases);
  value.reason = source.text();
}

void fill(Source& source, ExtendLease& value) {
  value.term = {source.number(0, kMax)};
  value.epoch = {source.number(0, kMax)};
  value.lease = {source.number(1, kMax)};
  value.quota_steps = source.number(1, kMax);
  value.train_for_s = source.not_negative();
}

void fill(Source& source, LeaseEnded& value) {
  value.lease = {source.number(1, kMax)};
  value.node = source.name();
  value.epoch = {source.number(0, kMax)};
  value.end = static_cast<LeaseEndReason>(source.number32(0, 5));
  value.reported = source.flag();
  value.detail = source.text();
}

void fill(Source&, Ack&) {}

void fill(Source& source, OpenTerm& value) {
  value.policy = source.name();
  value.round_s = source.positive();
  value.incarnation = source.number(0, kMax);
}

void fill(Source& source, TermOpened& value) {
  value.term = {source.number(0, kMax)};
  value.last_round = {source.number(0, kMax)};
  value.last_lease = {source.number(0, kMax)};
  value.memory = source.bytes();
  fill_list(source, value.open_leases);
  fill_list(source, value.nodes);
  value.now_s = source.not_negative();
}

void fill(Source& source, ViewJobs& value) {
  value.round = {source.number(0, kMax)};
  value.pairs = source.flag();
}

void fill(Source& source, JobsViewed& value) {
  fill_list(source, value.jobs);
  fill_list(source, value.unwanted);
  value.now_s = source.not_negative();
  fill_pairs(source, value.pairs);
}

void fill(Source& source, RecordPlan& value) {
  value.term = {source.number(0, kMax)};
  value.round = {source.number(0, kMax)};
  value.early = source.flag();
  value.policy = source.name();
  value.prices = source.map([&] { return source.not_negative(); });
  fill_list(source, value.leases);
  fill_list(source, value.outcomes);
  if (source.flag()) value.memory = source.bytes();
}

void fill(Source& source, PlanRecorded& value) {
  fill_list(source, value.leases);
  fill_list(source, value.refused);
}

void fill(Source& source, RecordExtension& value) {
  value.term = {source.number(0, kMax)};
  value.lease = {source.number(1, kMax)};
  value.job = {source.number(1, kMax)};
  value.quota_steps = source.number(1, kMax);
}

void fill(Source& source, CloseLeases& value) {
  fill_list(source, value.leases);
  value.reason = source.text();
}

void fill(Source& source, RecordNode& value) {
  value.fact = made_node_fact(source);
  value.term = {source.number(0, kMax)};
  value.number = source.number(0, kMax);
}

void fill(Source& source, JobAdvanced& value) {
  value.job = {source.number(1, kMax)};
  value.finished = source.flag();
  value.steps_left = source.number(0, kMax);
}

void fill(Source& source, StatBlob& value) {
  value.blob = made_blob(source);
}

void fill(Source& source, BlobStat& value) {
  value.have = source.number(0, kMax);
  value.complete = source.flag();
}

void fill(Source& source, PutBlobChunk& value) {
  fill_chunk(source, value);
}

void fill(Source& source, GetBlobChunk& value) {
  value.blob = made_blob(source);
  value.offset = source.number(0, kMax);
  value.max_bytes = source.number32(1, kMax32);
}

void fill(Source& source, BlobChunk& value) {
  fill_chunk(source, value);
}

void fill(Source& source, SubmitJob& value) {
  fill(source, value.spec);
  value.key = source.optional_name();
  value.keep_infeasible = source.flag();
}

void fill(Source& source, JobSubmitted& value) {
  value.job = {source.number(1, kMax)};
  value.existed = source.flag();
  fill(source, value.reason);
}

void fill(Source& source, CommandJob& value) {
  value.job = source.name();
  value.action = static_cast<JobAction>(source.number32(1, 3));
}

void fill(Source& source, QueryJobs& value) {
  value.job = source.optional_name();
  value.all = source.flag();
}

void fill(Source& source, JobList& value) {
  fill_list(source, value.jobs);
  value.now_s = source.not_negative();
}

void fill(Source&, QueryNodes&) {}

void fill(Source& source, NodeList& value) {
  fill_list(source, value.nodes);
  value.round = {source.number(0, kMax)};
  value.round_s = source.not_negative();
  value.window_s = source.not_negative();
  value.policy = source.optional_name();
}

void fill(Source& source, CommandNode& value) {
  value.node = source.name();
  value.action = static_cast<NodeAction>(source.number32(1, 3));
  value.reason = source.optional_name();
  value.deadline_s = source.not_negative();
}

void fill(Source& source, QueryEvents& value) {
  value.after_seq = source.number(0, kMax);
  value.limit = source.number32(1, kMax32);
}

void fill(Source& source, EventPage& value) {
  value.events = source.texts();
  value.last_seq = source.number(0, kMax);
}

void fill(Source& source, QueryLog& value) {
  value.job = {source.number(1, kMax)};
  value.fork = source.number32(0, kMax32);
  value.node = source.optional_name();
  value.offset = source.number(0, kMax);
  value.max_bytes = source.number32(1, kMax32);
}

void fill(Source& source, LogPart& value) {
  value.node = source.optional_name();
  value.offset = source.number(0, kMax);
  value.text = source.bytes();
  value.more = source.flag();
}

void fill(Source&, QueryHealth&) {}

void fill(Source& source, ProcessHealth& value) {
  value.name = source.name();
  value.reachable = source.flag();
  value.pid = source.number(0, kMax);
  value.up_s = source.not_negative();
  value.counters = source.map([&] { return source.number(0, kMax); });
}

void fill(Source& source, ClusterHealth& value) {
  value.cluster_id = source.optional_name();
  fill_list(source, value.processes);
}

void fill(Source& source, PeerInfo& value) {
  value.name = source.name();
  value.roles = source.names();
  value.incarnation = source.number(0, kMax);
  value.endpoint = source.optional_name();
  value.pid = source.number(0, kMax);
  value.directory = source.map([&] { return source.name(); });
}

void fill(Source& source, LinkHello& value) {
  value.cluster_id = source.optional_name();
  value.protocol_version = source.number32(0, kMax32);
  fill(source, value.self);
}

void fill(Source& source, LinkWelcome& value) {
  value.protocol_version = source.number32(0, kMax32);
  fill(source, value.self);
}

void fill(Source& source, LinkRefused& value) {
  value.text = source.text();
  value.code = static_cast<ErrorCode>(source.number32(1, 12));
}

void fill(Source& source, LinkPing& value) {
  value.nonce = source.number(0, kMax);
}

void fill(Source& source, LinkPong& value) {
  value.nonce = source.number(0, kMax);
}

void fill(Source& source, LinkBye& value) {
  value.text = source.text();
}

void fill(Source& source, TrainerHello& value) {
  value.token = source.name();
  value.rank = source.number32(0, kMax32);
  value.pid = source.number(0, kMax);
}

void fill(Source& source, TrainerLeaseStart& value) {
  value.lease = {source.number(1, kMax)};
  value.weights_path = source.optional_name();
  value.result_path = source.name();
  value.quota_steps = source.number(1, kMax);
  value.train_for_s = source.not_negative();
  value.pace_steps_per_s = source.not_negative();
  value.seed = source.number(0, kMax);
  value.first_step = source.number(0, kMax);
  value.total_steps = source.number(0, kMax);
  value.batch_size = source.number32(1, kMax32);
  value.fork = source.number32(0, kMax32);
  value.world_size = source.number32(1, 65536);
  value.rank = source.number32(0, value.world_size - 1);
  value.rendezvous = source.name();
}

void fill(Source& source, TrainerLeaseExtend& value) {
  value.lease = {source.number(1, kMax)};
  value.quota_steps = source.number(1, kMax);
  value.train_for_s = source.not_negative();
}

void fill(Source& source, TrainerSave& value) {
  value.lease = {source.number(1, kMax)};
}

void fill(Source& source, TrainerLeaseStop& value) {
  value.lease = {source.number(1, kMax)};
}

void fill(Source&, TrainerExit&) {}

void fill(Source& source, TrainerProgress& value) {
  value.lease = {source.number(1, kMax)};
  value.steps = source.number(0, kMax);
  value.train_s = source.not_negative();
}

void fill(Source& source, TrainerSaved& value) {
  value.lease = {source.number(1, kMax)};
  value.end = static_cast<LeaseEndReason>(source.number32(0, 5));
  value.over = value.end != LeaseEndReason::kRunning;
  value.steps = source.number(0, kMax);
  value.samples = source.number(0, kMax);
  value.weights_path = source.optional_name();
  value.metrics = source.map([&] { return source.real(); });
  value.train_s = source.not_negative();
  value.pace_missed_s = source.not_negative();
  value.detail = source.text();
}
}  // namespace hadar::testing
