# Rounds: what a policy is given and answers; prices. Append-only: new fields and messages at the end, numbers are never reused.
@0x9a3c51d0e7b24f15;
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("hadar::wire");
using Cluster = import "cluster.capnp";
using Common = import "common.capnp";

enum Placement {
  # On one node or over several.
  none @0;  # never sent
  packed @1;
  spread @2;
}

enum EstimateSource {
  # Where a speed comes from.
  none @0;  # never sent
  declared @1;
  prior @2;
  measured @3;
}

enum OutcomeKind {
  # What a round gives a job.
  none @0;  # never sent
  granted @1;
  waiting @2;
  infeasible @3;
}

struct Estimate {
  # Steps per second of one gang member on one GPU of a type.
  type @0 :Text;
  placement @1 :Placement;
  stepsPerS @2 :Float64;
  source @3 :EstimateSource;
}

struct GpuSlice {
  # GPUs of one node.
  node @0 :Text;
  gpus @1 :List(UInt32);  # indices on the node
}

struct Allocation {
  # What a fork of a job holds, or is to hold.
  fork @0 :Common.ForkId;
  slices @1 :List(GpuSlice);  # one a node
  quotaSteps @2 :UInt64;  # above 0 in a plan
  endsAtBorder @3 :Bool;  # false: renews itself while unchanged
  stepsPerS @4 :Float64;  # expected of the gang
  sharesWith @5 :UInt64;  # the job on the very same GPUs; 0 = none
}

struct JobView {
  # A job as a planner sees it; whole, never a delta.
  job @0 :UInt64;
  model @1 :Text;
  batchSize @2 :UInt32;
  gpus @3 :UInt32;
  gpuTypes @4 :List(Text);  # allowed; empty = any
  forkable @5 :Bool;
  proportionalBatch @6 :Bool;
  weight @7 :Float64;
  deadlineTS @8 :Float64;  # cluster time; 0 = none
  user @9 :Text;
  submittedTS @10 :Float64;  # cluster time
  hasStartedTS @11 :Bool;
  startedTS @12 :Float64;
  stepsTotal @13 :UInt64;
  stepsCredited @14 :UInt64;
  stepsIssued @15 :UInt64;  # quotas of open leases
  attainedServiceGpuS @16 :Float64;
  mergeS @17 :Float64;  # measured; 0 = unknown
  modelBytes @18 :UInt64;  # 0 = unknown
  merging @19 :Bool;  # not plannable now
  estimates @20 :List(Estimate);  # absent = unknown
  held @21 :List(Allocation);  # open leases; their quotas are what is left of them
  hasMergeEfficiency @22 :Bool;
  mergeEfficiency @23 :Float64;  # fitted, 0 to 1
  effectiveSteps @24 :Bool;  # judged by what steps are worth, not by their number
}

struct NodeCapacity {
  # A node a planner may use.
  node @0 :Text;
  gpus @1 :List(Cluster.GpuGroup);
  idleGpus @2 :List(UInt32);
  pcieGbS @3 :Float64;
  netGbS @4 :Float64;
}

struct PriceBoard {
  # When: answer to PriceRound. Who: price_oracle → round_flow. Must: hand it to the policy; when it comes late, use the last
  # one, marked stale.
  round @0 :UInt64;  # the round they were made for
  stale @1 :Bool;
  price @2 :List(Common.NamedNumber);  # utility per GPU and round, by type
  uMin @3 :List(Common.NamedNumber);  # bounds of the exponential curve
  uMax @4 :List(Common.NamedNumber);
  exponential @5 :Bool;  # GPUs cost what the curve says at their node's fill; else all of a type the same
}

struct RoundInput {
  # All a policy is given for a round. Also kept as a file of its own for replay.
  round @0 :UInt64;
  early @1 :Bool;  # held allocations are immovable
  nowS @2 :Float64;  # cluster time
  roundS @3 :Float64;  # a whole round
  windowS @4 :Float64;  # left to the border
  seed @5 :UInt64;
  jobs @6 :List(JobView);  # rising ids
  nodes @7 :List(NodeCapacity);  # rising names
  prices @8 :PriceBoard;
  memory @9 :Data;  # of the last plan; at most 1 MiB
  pairs @10 :List(PairEstimate);  # rising; empty unless the policy shares GPUs
}

struct PairEstimate {
  # Steps per second of one gang member of each of two jobs on the same GPUs; both 0 = they do not fit.
  aModel @0 :Text;
  aBatchSize @1 :UInt32;
  bModel @2 :Text;
  bBatchSize @3 :UInt32;
  gpus @4 :UInt32;  # gang size of both
  type @5 :Text;
  aStepsPerS @6 :Float64;
  bStepsPerS @7 :Float64;
}

struct Outcome {
  # What a round gives a job, and why.
  job @0 :UInt64;
  kind @1 :OutcomeKind;
  reason @2 :Common.Reason;
}

struct RoundPlan {
  # What a policy answers. Complete: a held allocation that is not repeated is revoked.
  round @0 :UInt64;
  allocations @1 :List(Allocation);  # rising (job, fork)
  outcomes @2 :List(Outcome);  # one for every job of the input, same order
  memory @3 :Data;  # goes into the next input; at most 1 MiB
}

struct PlanRound {
  # When: a round opened, or GPUs fell idle in mid-round (early). Who: round_flow → policy actor, as a request. Must: answer
  # RoundPlanned, the same bytes for the same input; an early plan leaves held allocations alone.
  input @0 :RoundInput;
}

struct RoundPlanned {
  # When: answer to PlanRound. Who: policy actor → round_flow. Must: check it against the input, record it, have its leases
  # granted.
  plan @0 :RoundPlan;
  policy @1 :Text;
  planMs @2 :Float64;
}

struct PriceRound {
  # When: a round opened, before the policy is asked. Who: round_flow → price_oracle, as a request. Must: answer a
  # PriceBoard made from these jobs and nodes; prices and memory of the input are ignored.
  input @0 :RoundInput;
}

struct QueryPrices {
  # When: a user asks for prices. Who: gateway → price_oracle, as a request. Must: answer PriceHistory.
  rounds @0 :UInt32;  # how many of the latest boards
}

struct PriceHistory {
  # When: answer to QueryPrices. Who: price_oracle → gateway. Must: pass it to the client.
  boards @0 :List(PriceBoard);  # rising rounds
}
