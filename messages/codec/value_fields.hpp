// The JSON keys of values that stand inside events. Inside the codec only.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "messages/codec/json_writer.hpp"
#include "messages/types/cluster.hpp"
#include "messages/types/job.hpp"
#include "messages/types/lease.hpp"
#include "messages/types/model.hpp"
#include "messages/types/round.hpp"

namespace hadar::json {

std::span<const Named<OutcomeKind>> names_of(Named<OutcomeKind>);
std::span<const Named<LeaseEndReason>> names_of(Named<LeaseEndReason>);

template <class Io, Is<Reason> E>
void fields(Io& io, E& reason) {
  io("code", reason.code);
  io("text", reason.text);
  io("numbers", reason.numbers);
}

template <class Io, Is<BlobRef> E>
void fields(Io& io, E& blob) {
  io("hash", blob.hash);
  io("size", blob.size);
}

// A model version as an object: {version, hash, size}.
template <class Io, Is<ModelVersion> E>
void fields(Io& io, E& model) {
  io("version", model.version);
  fields(io, model.weights);
}

template <class Io, Is<GpuGroup> E>
void fields(Io& io, E& group) {
  io("type", group.type);
  io("count", group.count);
}

template <class Io, Is<SleepSpec> E>
void fields(Io& io, E& sleep) {
  io("steps_per_s", sleep.steps_per_s);
  io("checkpoint_bytes", sleep.checkpoint_bytes);
  io("crash_at_step", sleep.crash_at_step);
  io("log_bytes_per_s", sleep.log_bytes_per_s);
}

// A field that is there only when it says something.
template <class Io, class T>
void optional_field(Io& io, std::string_view key, std::optional<T>& value) {
  if (io.has(key)) io(key, value.emplace());
}
template <class Io, class T>
void optional_field(Io& io, std::string_view key, const std::optional<T>& value) {
  if (value) io(key, *value);
}

template <class Io, Is<TargetMetric> E>
void fields(Io& io, E& target) {
  io("metric", target.metric);
  io("value", target.value);
  io("at_least", target.at_least);
}

template <class Io, Is<JobSpec> E>
void fields(Io& io, E& spec) {
  io("name", spec.name);
  io("workload", spec.workload);
  io("command", spec.command);
  io("model", spec.model);
  io("batch_size", spec.batch_size);
  io("gpus", spec.gpus);
  io("total_steps", spec.total_steps);
  io("gpu_types", spec.gpu_types);
  io("forkable", spec.forkable);
  io("weight", spec.weight);
  io("deadline_s", spec.deadline_s);
  io("user", spec.user);
  io("proportional_batch", spec.proportional_batch);
  io("checkpoint_every_s", spec.checkpoint_every_s);
  io("seed", spec.seed);
  io("sleep", spec.sleep);
  if constexpr (Io::kReads) {
    if (io.has("target")) io("target", spec.target);
    if (io.has("effective_steps")) io("effective_steps", spec.effective_steps);
  } else {
    if (!spec.target.metric.empty()) io("target", spec.target);
    if (spec.effective_steps) io("effective_steps", spec.effective_steps);
  }
}

// `spec` is left out: it stands in the job's Submitted.
template <class Io, Is<Lease> E>
void fields(Io& io, E& lease) {
  io("lease", lease.id);
  io("job", lease.fork.job);
  io("fork", lease.fork.fork);
  io("node", lease.node);
  io("gpus", lease.gpus);
  io("gpu_types", lease.gpu_types);
  io("quota", lease.quota_steps);
  io("train_for_s", lease.train_for_s);
  io("base", lease.base);
  io("first_step", lease.first_step);
  io("round", lease.round);
  io("term", lease.term);
  io("epoch", lease.epoch);
  io("rank", lease.gang.rank);
  io("world_size", lease.gang.world_size);
  io("rendezvous", lease.gang.rendezvous);
  if constexpr (Io::kReads) {
    if (io.has("shares_with")) io("shares_with", lease.shares_with);
  } else if (lease.shares_with.value != 0) {
    io("shares_with", lease.shares_with);
  }
}

}  // namespace hadar::json
