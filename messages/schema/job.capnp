# Jobs: what was asked for, and where they stand. Append-only: new fields and messages at the end, numbers are never reused.
@0x9a3c51d0e7b24f12;
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("hadar::wire");
using Common = import "common.capnp";

enum JobState {
  # Where a job stands.
  none @0;  # never sent
  waiting @1;
  running @2;
  merging @3;
  held @4;
  infeasible @5;
  completed @6;
  failed @7;
  cancelled @8;
}

struct SleepSpec {
  # The built-in synthetic workload.
  stepsPerS @0 :List(Common.NamedNumber);  # of one gang member, by GPU type
  checkpointBytes @1 :UInt64;
  crashAtStep @2 :UInt64;  # 0 = never
  logBytesPerS @3 :Float64;
}

struct TargetMetric {
  # A validation metric that ends a job early when it is reached.
  metric @0 :Text;  # empty = none
  value @1 :Float64;
  atLeast @2 :Bool;  # false: reached at or below the value
}

struct JobSpec {
  # What a user asked for. Exactly one of workload and command is set.
  name @0 :Text;
  workload @1 :Text;
  command @2 :List(Text);  # argv
  model @3 :Text;
  batchSize @4 :UInt32;  # samples per step of one gang member
  gpus @5 :UInt32;  # gang size
  totalSteps @6 :UInt64;
  gpuTypes @7 :List(Text);  # allowed types; empty = any
  forkable @8 :Bool;
  weight @9 :Float64;
  deadlineS @10 :Float64;  # after submission; 0 = none
  user @11 :Text;
  proportionalBatch @12 :Bool;
  checkpointEveryS @13 :Float64;  # 0 = once a round
  seed @14 :UInt64;
  sleep @15 :SleepSpec;
  target @16 :TargetMetric;
  effectiveSteps @17 :Bool;  # totalSteps counts what steps are worth once merged
}

struct JobStatus {
  # A job as users see it.
  job @0 :UInt64;
  spec @1 :JobSpec;
  state @2 :JobState;
  reason @3 :Common.Reason;
  stepsCredited @4 :UInt64;
  stepsRunning @5 :UInt64;  # sampled, not credited
  forks @6 :UInt32;  # open now
  forksMax @7 :UInt32;  # most at once so far
  consolidations @8 :UInt64;
  version @9 :Common.ModelVersion;
  submittedTS @10 :Float64;  # cluster time
  hasStartedTS @11 :Bool;
  startedTS @12 :Float64;
  hasFinishedTS @13 :Bool;
  finishedTS @14 :Float64;
  metrics @15 :List(Common.NamedNumber);  # latest validation metrics
  hasMergeEfficiency @16 :Bool;
  mergeEfficiency @17 :Float64;  # fitted, 0 to 1
  hasStepsEffective @18 :Bool;
  stepsEffective @19 :Float64;  # what the credited steps are worth
}
