#include <algorithm>
#include <tuple>

#include "tests/support/message_values.hpp"

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

std::vector<std::uint32_t> some_gpus(Source& source, const std::vector<GpuGroup>& groups) {
  std::uint32_t count = 0;
  for (const auto& group : groups) count += group.count;
  if (count == 0) return {};
  return {source.number32(0, count - 1)};
}

double part_of_one(Source& source) {
  return source.number32(0, 1000) / 1000.0;
}

}  // namespace

BlobRef made_blob(Source& source) {
  return {source.hash(), source.number(0, kMax)};
}

void fill(Source& source, ForkId& value) {
  value.job = {source.number(1, kMax)};
  value.fork = source.number32(0, kMax32);
}

void fill(Source& source, BlobRef& value) {
  if (!source.flag()) return;
  value = made_blob(source);
}

void fill(Source& source, ModelVersion& value) {
  value.version = source.number(0, kMax);
  fill(source, value.weights);
}

void fill(Source& source, Reason& value) {
  value.code = source.optional_name();
  value.text = source.text();
  value.numbers = source.map([&] { return source.real(); });
}

void fill(Source& source, SleepSpec& value) {
  value.steps_per_s = source.map([&] { return source.positive(); });
  value.checkpoint_bytes = source.number(0, kMax);
  value.crash_at_step = source.number(0, kMax);
  value.log_bytes_per_s = source.not_negative();
}

void fill(Source& source, TargetMetric& value) {
  if (!source.flag()) return;
  value.metric = source.name();
  value.value = source.real();
  value.at_least = source.flag();
}

void fill(Source& source, JobSpec& value) {
  value.name = source.name();
  value.model = source.optional_name();
  value.batch_size = source.number32(1, kMax32);
  value.gpus = source.number32(1, 65536);
  value.total_steps = source.number(1, kMax);
  value.gpu_types = source.names();
  value.forkable = source.flag();
  value.weight = source.positive();
  value.deadline_s = source.not_negative();
  value.user = source.optional_name();
  value.proportional_batch = source.flag();
  value.checkpoint_every_s = source.not_negative();
  value.seed = source.number(0, kMax);
  fill(source, value.sleep);
  if (source.flag())
    value.workload = source.name();
  else
    value.command = {source.name(), source.text()};
  fill(source, value.target);
  value.effective_steps = source.flag();
}

void fill(Source& source, JobStatus& value) {
  value.job = {source.number(1, kMax)};
  fill(source, value.spec);
  value.state = static_cast<JobState>(source.number32(1, 8));
  fill(source, value.reason);
  value.steps_credited = source.number(0, kMax);
  value.steps_running = source.number(0, kMax);
  value.forks = source.number32(0, kMax32);
  value.forks_max = source.number32(0, kMax32);
  value.consolidations = source.number(0, kMax);
  fill(source, value.version);
  value.submitted_t_s = source.not_negative();
  if (source.flag()) value.started_t_s = source.not_negative();
  if (source.flag()) value.finished_t_s = source.not_negative();
  value.metrics = source.map([&] { return source.real(); });
  if (source.flag()) value.merge_efficiency = part_of_one(source);
  if (source.flag()) value.steps_effective = source.not_negative();
}

void fill(Source& source, GpuGroup& value) {
  value.type = source.name();
  value.count = source.number32(1, 1000);
}

void fill(Source& source, NodeInventory& value) {
  value.name = source.name();
  fill_list(source, value.gpus);
  value.pcie_gb_s = source.not_negative();
  value.net_gb_s = source.not_negative();
  value.emulated = source.flag();
}

void fill(Source& source, NodeView& value) {
  fill(source, value.inventory);
  value.state = static_cast<NodeState>(source.number32(1, 5));
  value.reason = source.text();
  value.idle_gpus = some_gpus(source, value.inventory.gpus);
  fill_list(source, value.leases);
  value.epoch = {source.number(0, kMax)};
  value.since_s = source.not_negative();
  value.drain_deadline_s = source.not_negative();
}

void fill(Source& source, GangSlot& value) {
  value.world_size = source.number32(1, 65536);
  value.rank = source.number32(0, value.world_size - 1);
  value.rendezvous = source.optional_name();
}

void fill(Source& source, Lease& value) {
  value.id = {source.number(1, kMax)};
  fill(source, value.fork);
  value.node = source.name();
  value.gpus = source.rising();
  value.quota_steps = source.number(1, kMax);
  value.train_for_s = source.not_negative();
  fill(source, value.base);
  value.first_step = source.number(0, kMax);
  value.round = {source.number(0, kMax)};
  value.term = {source.number(0, kMax)};
  value.epoch = {source.number(0, kMax)};
  fill(source, value.gang);
  value.spec = shared<JobSpec>(source);
  for (std::size_t i = 0; i < value.gpus.size(); ++i) value.gpu_types.push_back(source.name());
  value.shares_with = {source.number(0, kMax)};
}

void fill(Source& source, ProgressSample& value) {
  value.lease = {source.number(1, kMax)};
  value.steps = source.number(0, kMax);
  value.train_s = source.not_negative();
}

void fill(Source& source, HeldLease& value) {
  fill(source, value.lease);
  value.over = source.flag();
}

void fill(Source& source, PreparedLease& value) {
  value.lease = {source.number(1, kMax)};
  value.rendezvous = source.optional_name();
}

void fill(Source& source, RefusedLease& value) {
  value.lease = {source.number(1, kMax)};
  value.reason = source.text();
}

void fill(Source& source, LeaseReport& value) {
  value.lease = {source.number(1, kMax)};
  fill(source, value.fork);
  value.node = source.name();
  value.epoch = {source.number(0, kMax)};
  fill(source, value.base);
  value.end = static_cast<LeaseEndReason>(source.number32(0, 5));
  value.steps = source.number(0, kMax);
  value.samples = source.number(0, kMax);
  fill(source, value.weights);
  value.metrics = source.map([&] { return source.real(); });
  value.train_s = source.not_negative();
  value.pace_missed_s = source.not_negative();
  value.detail = source.text();
}

void fill(Source& source, Estimate& value) {
  value.type = source.name();
  value.placement = static_cast<Placement>(source.number32(1, 2));
  value.steps_per_s = source.not_negative();
  value.source = static_cast<EstimateSource>(source.number32(1, 3));
}

void fill(Source& source, PairEstimate& value) {
  value.a = {source.name(), source.number32(0, kMax32)};
  value.b = {source.name(), source.number32(0, kMax32)};
  value.gpus = source.number32(1, 65536);
  value.type = source.name();
  value.a_steps_per_s = source.not_negative();
  value.b_steps_per_s = source.not_negative();
  if (value.b < value.a) std::swap(value.a, value.b);
}

void fill_pairs(Source& source, PairTable& pairs) {
  fill_list(source, pairs);
  make_rising(pairs, [](const PairEstimate& pair) { return std::tuple(pair.a, pair.b, pair.gpus, pair.type); });
}

void fill(Source& source, GpuSlice& value) {
  value.node = source.name();
  value.gpus = source.rising();
}

void fill(Source& source, Allocation& value) {
  fill(source, value.fork);
  fill_list(source, value.slices);
  value.quota_steps = source.number(0, kMax);
  value.ends_at_border = source.flag();
  value.steps_per_s = source.not_negative();
  fill(source, value.slices.emplace_back());
  value.shares_with = {source.number(0, kMax)};
}

void fill(Source& source, JobView& value) {
  value.job = {source.number(1, kMax)};
  value.model = source.optional_name();
  value.batch_size = source.number32(1, kMax32);
  value.gpus = source.number32(1, 65536);
  value.gpu_types = source.names();
  value.forkable = source.flag();
  value.proportional_batch = source.flag();
  value.weight = source.positive();
  value.deadline_t_s = source.not_negative();
  value.user = source.optional_name();
  value.submitted_t_s = source.not_negative();
  if (source.flag()) value.started_t_s = source.not_negative();
  value.steps_total = source.number(0, kMax);
  value.steps_credited = source.number(0, value.steps_total);
  value.steps_issued = source.number(0, value.steps_total - value.steps_credited);
  value.attained_service_gpu_s = source.not_negative();
  value.merge_s = source.not_negative();
  value.model_bytes = source.number(0, kMax);
  value.merging = source.flag();
  fill_list(source, value.estimates);
  fill_list(source, value.held);
  if (source.flag()) value.merge_efficiency = part_of_one(source);
  value.effective_steps = source.flag();
}

void fill(Source& source, NodeCapacity& value) {
  value.node = source.name();
  fill_list(source, value.gpus);
  value.idle_gpus = some_gpus(source, value.gpus);
  value.pcie_gb_s = source.not_negative();
  value.net_gb_s = source.not_negative();
}

void fill(Source& source, RoundInput& value) {
  value.round = {source.number(0, kMax)};
  value.early = source.flag();
  value.now_s = source.not_negative();
  value.round_s = source.not_negative();
  value.window_s = source.not_negative();
  value.seed = source.number(0, kMax);
  fill_list(source, value.jobs);
  fill_list(source, value.nodes);
  fill(source, value.prices);
  value.memory = source.bytes();
  fill_pairs(source, value.pairs);
  make_rising(value.jobs, [](const auto& job) { return job->job; });
  make_rising(value.nodes, [](const auto& node) { return node.node; });
}

void fill(Source& source, Outcome& value) {
  value.job = {source.number(1, kMax)};
  value.kind = static_cast<OutcomeKind>(source.number32(1, 3));
  fill(source, value.reason);
}

void fill(Source& source, RoundPlan& value) {
  value.round = {source.number(0, kMax)};
  fill_list(source, value.allocations);
  fill_list(source, value.outcomes);
  value.memory = source.bytes();
  for (auto& allocation : value.allocations) allocation.quota_steps = source.number(1, kMax);
  make_rising(value.allocations, [](const auto& allocation) { return allocation.fork; });
  make_rising(value.outcomes, [](const auto& outcome) { return outcome.job; });
}

void fill(Source& source, PriceBoard& value) {
  value.round = {source.number(0, kMax)};
  value.stale = source.flag();
  value.price = source.map([&] { return source.not_negative(); });
  value.u_min = source.map([&] { return source.not_negative(); });
  value.u_max = source.map([&] { return source.not_negative(); });
}

}  // namespace hadar::testing
