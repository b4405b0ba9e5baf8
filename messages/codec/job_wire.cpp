#include "messages/codec/job_wire.hpp"

#include "messages/codec/common_wire.hpp"

namespace hadar::wire {

void build(SleepSpec::Builder out, const hadar::SleepSpec& in) {
  build_list(in.steps_per_s, [&](auto size) { return out.initStepsPerS(size); });
  out.setCheckpointBytes(in.checkpoint_bytes);
  out.setCrashAtStep(in.crash_at_step);
  out.setLogBytesPerS(in.log_bytes_per_s);
}

hadar::SleepSpec read(SleepSpec::Reader in, const Where& at) {
  hadar::SleepSpec out;
  out.steps_per_s = read_map(in.getStepsPerS(), at / "steps_per_s", positive);
  out.checkpoint_bytes = in.getCheckpointBytes();
  out.crash_at_step = in.getCrashAtStep();
  out.log_bytes_per_s = not_negative(in.getLogBytesPerS(), at / "log_bytes_per_s");
  return out;
}

void build(TargetMetric::Builder out, const hadar::TargetMetric& in) {
  out.setMetric(text(in.metric));
  out.setValue(in.value);
  out.setAtLeast(in.at_least);
}

hadar::TargetMetric read(TargetMetric::Reader in, const Where& at) {
  hadar::TargetMetric out;
  out.metric = read_optional_name(in.getMetric(), at / "metric");
  if (out.metric.empty()) return out;
  out.value = finite(in.getValue(), at / "value");
  out.at_least = in.getAtLeast();
  return out;
}

void build(JobSpec::Builder out, const hadar::JobSpec& in) {
  out.setName(text(in.name));
  out.setWorkload(text(in.workload));
  build_list(in.command, [&](auto size) { return out.initCommand(size); });
  out.setModel(text(in.model));
  out.setBatchSize(in.batch_size);
  out.setGpus(in.gpus);
  out.setTotalSteps(in.total_steps);
  build_list(in.gpu_types, [&](auto size) { return out.initGpuTypes(size); });
  out.setForkable(in.forkable);
  out.setWeight(in.weight);
  out.setDeadlineS(in.deadline_s);
  out.setUser(text(in.user));
  out.setProportionalBatch(in.proportional_batch);
  out.setCheckpointEveryS(in.checkpoint_every_s);
  out.setSeed(in.seed);
  build(out.initSleep(), in.sleep);
  if (!in.target.metric.empty()) build(out.initTarget(), in.target);
  out.setEffectiveSteps(in.effective_steps);
}

hadar::JobSpec read(JobSpec::Reader in, const Where& at) {
  hadar::JobSpec out;
  out.name = read_name(in.getName(), at / "name");
  out.workload = read_optional_name(in.getWorkload(), at / "workload");
  out.command = read_texts(in.getCommand(), at / "command");
  out.model = read_optional_name(in.getModel(), at / "model");
  out.batch_size = at_least_one(in.getBatchSize(), at / "batch_size");
  out.gpus = gang_size(in.getGpus(), at / "gpus");
  out.total_steps = at_least_one(in.getTotalSteps(), at / "total_steps");
  out.gpu_types = read_names(in.getGpuTypes(), at / "gpu_types");
  out.forkable = in.getForkable();
  out.weight = positive(in.getWeight(), at / "weight");
  out.deadline_s = not_negative(in.getDeadlineS(), at / "deadline_s");
  out.user = read_optional_name(in.getUser(), at / "user");
  out.proportional_batch = in.getProportionalBatch();
  out.checkpoint_every_s = not_negative(in.getCheckpointEveryS(), at / "checkpoint_every_s");
  out.seed = in.getSeed();
  out.sleep = read(in.getSleep(), at / "sleep");
  out.target = read(in.getTarget(), at / "target");
  out.effective_steps = in.getEffectiveSteps();
  if (out.workload.empty() == out.command.empty())
    refuse(at / "workload", out.workload, "must be set when command is not, and only then");
  return out;
}

void build(JobStatus::Builder out, const hadar::JobStatus& in) {
  out.setJob(in.job.value);
  build(out.initSpec(), in.spec);
  out.setState(static_cast<JobState>(in.state));
  build(out.initReason(), in.reason);
  out.setStepsCredited(in.steps_credited);
  out.setStepsRunning(in.steps_running);
  out.setForks(in.forks);
  out.setForksMax(in.forks_max);
  out.setConsolidations(in.consolidations);
  build(out.initVersion(), in.version);
  out.setSubmittedTS(in.submitted_t_s);
  out.setHasStartedTS(in.started_t_s.has_value());
  out.setStartedTS(in.started_t_s.value_or(0));
  out.setHasFinishedTS(in.finished_t_s.has_value());
  out.setFinishedTS(in.finished_t_s.value_or(0));
  build_list(in.metrics, [&](auto size) { return out.initMetrics(size); });
  out.setHasMergeEfficiency(in.merge_efficiency.has_value());
  out.setMergeEfficiency(in.merge_efficiency.value_or(0));
  out.setHasStepsEffective(in.steps_effective.has_value());
  out.setStepsEffective(in.steps_effective.value_or(0));
}

hadar::JobStatus read(JobStatus::Reader in, const Where& at) {
  hadar::JobStatus out;
  out.job = read_id<JobId>(in.getJob(), at / "job");
  out.spec = read(in.getSpec(), at / "spec");
  out.state = read_enum<hadar::JobState>(in.getState(), 1, 8, at / "state");
  out.reason = read(in.getReason(), at / "reason");
  out.steps_credited = in.getStepsCredited();
  out.steps_running = in.getStepsRunning();
  out.forks = in.getForks();
  out.forks_max = in.getForksMax();
  out.consolidations = in.getConsolidations();
  out.version = read(in.getVersion(), at / "version");
  out.submitted_t_s = not_negative(in.getSubmittedTS(), at / "submitted_t_s");
  if (in.getHasStartedTS()) out.started_t_s = not_negative(in.getStartedTS(), at / "started_t_s");
  if (in.getHasFinishedTS()) out.finished_t_s = not_negative(in.getFinishedTS(), at / "finished_t_s");
  out.metrics = read_map(in.getMetrics(), at / "metrics");
  if (in.getHasMergeEfficiency()) out.merge_efficiency = part_of_one(in.getMergeEfficiency(), at / "merge_efficiency");
  if (in.getHasStepsEffective()) out.steps_effective = not_negative(in.getStepsEffective(), at / "steps_effective");
  return out;
}

}  // namespace hadar::wire
