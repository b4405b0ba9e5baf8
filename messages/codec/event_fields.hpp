// The JSON keys of events: the keys after seq, t_s and kind. Inside the codec only.
#pragma once

#include <optional>
#include <vector>

#include "messages/codec/value_fields.hpp"
#include "messages/types/event.hpp"

namespace hadar::json {

template <class Io, Is<event::ClusterStarted> E>
void fields(Io& io, E& e) {
  io("cluster_id", e.cluster_id);
}

template <class Io, Is<event::SchedulerStarted> E>
void fields(Io& io, E& e) {
  io("term", e.term);
  io("policy", e.policy);
  io("round_s", e.round_s);
}

template <class Io, Is<event::Submitted> E>
void fields(Io& io, E& e) {
  io("job", e.job);
  io("spec", e.spec);
  io("key", e.key);
  io("infeasible", e.infeasible);
  io("reason", e.reason);
}

// Events that say no more than which job.
template <class E>
concept NamesJobOnly = Is<E, event::Held> || Is<E, event::Released> || Is<E, event::Cancelled>;

template <class Io, NamesJobOnly E>
void fields(Io& io, E& e) {
  io("job", e.job);
}

template <class Io, Is<event::PlanOutcome> E>
void fields(Io& io, E& e) {
  io("job", e.job);
  io("round", e.round);
  io("outcome", e.kind);
  io("reason", e.reason);
}

template <class Io, Is<event::RoundOpened> E>
void fields(Io& io, E& e) {
  io("round", e.round);
  io("policy", e.policy);
  io("prices", e.prices);
}

inline std::optional<JobId> only_job(const std::vector<Lease>& leases) {
  std::optional<JobId> job;
  for (const auto& lease : leases) {
    if (job && *job != lease.fork.job) return std::nullopt;
    job = lease.fork.job;
  }
  return job;
}

// A key "job" of its own stands here only when all leases are of one job.
template <class Io, Is<event::LeasesGranted> E>
void fields(Io& io, E& e) {
  std::optional<JobId> job = only_job(e.leases);
  if constexpr (Io::kReads)
    if (io.has("job")) io("job", job.emplace());
  if constexpr (!Io::kReads)
    if (job) io("job", *job);
  io("round", e.round);
  io("early", e.early);
  io("leases", e.leases);
  if constexpr (Io::kReads)
    if (job != only_job(e.leases)) io.refuse("job", "must be the one job of all leases, and there only then");
}

template <class Io, Is<event::LeaseExtended> E>
void fields(Io& io, E& e) {
  io("job", e.job);
  io("lease", e.lease);
  io("quota", e.quota_steps);
}

template <class Io, Is<event::LeaseClosed> E>
void fields(Io& io, E& e) {
  io("job", e.job);
  io("node", e.node);
  io("lease", e.lease);
  io("reason", e.reason);
}

// "final" says again what "end" says: whether the lease is over.
template <class Io, Is<event::ForkReported> E>
void fields(Io& io, E& e) {
  auto& report = e.report;
  io("job", e.job);
  io("node", report.node);
  io("lease", report.lease);
  io("fork", report.fork.fork);
  io("epoch", report.epoch);
  io("base", report.base);
  io("end", report.end);
  bool is_final = report.end != LeaseEndReason::kRunning;
  io("final", is_final);
  io("steps", report.steps);
  io("samples", report.samples);
  io("weights", report.weights);
  io("metrics", report.metrics);
  io("train_s", report.train_s);
  io("pace_missed_s", report.pace_missed_s);
  io("detail", report.detail);
  if constexpr (Io::kReads) {
    report.fork.job = e.job;
    if (is_final != (report.end != LeaseEndReason::kRunning)) io.refuse("final", "must be false only for end running");
  }
}

template <class Io, Is<event::MergedFork> E>
void fields(Io& io, E& fork) {
  io("lease", fork.lease);
  io("fork", fork.fork);
  io("steps", fork.steps);
  io("in", fork.in);
  io("open", fork.open);
  io("reason", fork.reason);
}

template <class Io, Is<event::Consolidated> E>
void fields(Io& io, E& e) {
  io("job", e.job);
  io("version", e.version.version);
  io("forks", e.forks);
  io("credited", e.credited);
  io("metrics", e.metrics);
  io("merge_s", e.merge_s);
  io("weights", e.version.weights);
  optional_field(io, "merge_efficiency", e.merge_efficiency);
  optional_field(io, "steps_effective", e.steps_effective);
}

template <class Io, Is<event::Completed> E>
void fields(Io& io, E& e) {
  io("job", e.job);
  io("metrics", e.metrics);
}

template <class Io, Is<event::Failed> E>
void fields(Io& io, E& e) {
  io("job", e.job);
  io("reason", e.reason);
}

template <class Io, Is<event::NodeUp> E>
void fields(Io& io, E& e) {
  io("node", e.inventory.name);
  io("gpus", e.inventory.gpus);
  io("pcie_gb_s", e.inventory.pcie_gb_s);
  io("net_gb_s", e.inventory.net_gb_s);
  io("emulated", e.inventory.emulated);
  io("epoch", e.epoch);
}

template <class Io, Is<event::NodeLost> E>
void fields(Io& io, E& e) {
  io("node", e.node);
  io("epoch", e.epoch);
  io("reason", e.reason);
}

template <class Io, Is<event::NodeDraining> E>
void fields(Io& io, E& e) {
  io("node", e.node);
  io("reason", e.reason);
  io("deadline_s", e.deadline_s);
}

template <class Io, Is<event::NodeDrained> E>
void fields(Io& io, E& e) {
  io("node", e.node);
  io("reason", e.reason);
}

// Events that say no more than which node.
template <class E>
concept NamesNodeOnly = Is<E, event::NodeUndrained> || Is<E, event::NodeForgotten>;

template <class Io, NamesNodeOnly E>
void fields(Io& io, E& e) {
  io("node", e.node);
}

}  // namespace hadar::json
