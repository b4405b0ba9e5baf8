#include <variant>

#include "tests/support/message_values.hpp"

namespace hadar::testing {
namespace {

Metrics metrics(Source& source) {
  return source.map([&] { return source.real(); });
}

void fill_fact(Source& source, event::ClusterStarted& e) {
  e.cluster_id = source.name();
}
void fill_fact(Source& source, event::SchedulerStarted& e) {
  e = {{source.number(1, kMax)}, source.name(), source.positive()};
}
void fill_fact(Source& source, event::Submitted& e) {
  fill(source, e.job);
  fill(source, e.spec);
  e.key = source.optional_name();
  e.infeasible = source.flag();
  fill(source, e.reason);
}
void fill_fact(Source& source, event::Held& e) {
  fill(source, e.job);
}
void fill_fact(Source& source, event::Released& e) {
  fill(source, e.job);
}
void fill_fact(Source& source, event::PlanOutcome& e) {
  fill(source, e.job);
  fill(source, e.round);
  e.kind = static_cast<OutcomeKind>(source.number32(1, 3));
  fill(source, e.reason);
}
void fill_fact(Source& source, event::RoundOpened& e) {
  fill(source, e.round);
  e.policy = source.name();
  e.prices = source.map([&] { return source.not_negative(); });
}
void fill_fact(Source& source, event::LeasesGranted& e) {
  fill(source, e.round);
  e.early = source.flag();
  fill_list(source, e.leases);
  for (auto& lease : e.leases) lease.spec = nullptr;
  if (source.flag())
    for (auto& lease : e.leases) lease.fork.job = e.leases.front().fork.job;
}
void fill_fact(Source& source, event::LeaseExtended& e) {
  fill(source, e.lease);
  fill(source, e.job);
  e.quota_steps = source.number(1, kMax);
}
void fill_fact(Source& source, event::LeaseClosed& e) {
  fill(source, e.lease);
  fill(source, e.job);
  e.node = source.name();
  e.reason = source.text();
}
void fill_fact(Source& source, event::ForkReported& e) {
  fill(source, e.report);
  e.job = e.report.fork.job;
}
void fill(Source& source, event::MergedFork& fork) {
  fill(source, fork.lease);
  fork.fork = source.number32(0, kMax32);
  fork.steps = source.number(0, kMax);
  fork.in = source.flag();
  fork.open = source.flag();
  fork.reason = source.text();
}
void fill_fact(Source& source, event::Consolidated& e) {
  fill(source, e.job);
  fill(source, e.version);
  e.forks.resize(source.count());
  for (auto& fork : e.forks) fill(source, fork);
  e.credited = source.number(0, kMax);
  e.metrics = metrics(source);
  e.merge_s = source.not_negative();
  if (source.flag()) e.merge_efficiency = source.real();
  if (source.flag()) e.steps_effective = source.not_negative();
}
void fill_fact(Source& source, event::Completed& e) {
  fill(source, e.job);
  e.metrics = metrics(source);
}
void fill_fact(Source& source, event::Failed& e) {
  fill(source, e.job);
  e.reason = source.text();
}
void fill_fact(Source& source, event::Cancelled& e) {
  fill(source, e.job);
}
void fill_fact(Source& source, event::NodeUp& e) {
  fill(source, e.inventory);
  fill(source, e.epoch);
}
void fill_fact(Source& source, event::NodeLost& e) {
  e.node = source.name();
  fill(source, e.epoch);
  e.reason = source.text();
}
void fill_fact(Source& source, event::NodeDraining& e) {
  e = {source.name(), source.text(), source.not_negative()};
}
void fill_fact(Source& source, event::NodeDrained& e) {
  e = {source.name(), source.text()};
}
void fill_fact(Source& source, event::NodeUndrained& e) {
  e.node = source.name();
}
void fill_fact(Source& source, event::NodeForgotten& e) {
  e.node = source.name();
}

template <std::size_t I = 0>
EventBody made_at(Source& source, std::size_t index) {
  if constexpr (I + 1 < std::variant_size_v<EventBody>)
    if (index != I) return made_at<I + 1>(source, index);
  std::variant_alternative_t<I, EventBody> fact;
  fill_fact(source, fact);
  return fact;
}

}  // namespace

EventBody made_fact(Source& source, std::size_t index) {
  return made_at(source, index);
}

EventBody made_node_fact(Source& source) {
  const auto first = EventBody(event::NodeUp{}).index();
  return made_fact(source, source.number(first, std::variant_size_v<EventBody> - 1));
}

void fill(Source& source, EventBody& value) {
  value = made_fact(source, source.number(0, std::variant_size_v<EventBody> - 1));
}

void fill(Source& source, Event& value) {
  value.seq = source.number(1, kMax);
  value.t_s = source.not_negative();
  fill(source, value.body);
}

}  // namespace hadar::testing
