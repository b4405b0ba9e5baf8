# Leases, and what nodes report of them to the job-tracker. Append-only: new fields and messages at the end, numbers are never reused.
@0x9a3c51d0e7b24f13;
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("hadar::wire");
using Common = import "common.capnp";
using Job = import "job.capnp";

enum LeaseEndReason {
  # Why a lease is over; running: it is not, the report is of a checkpoint.
  running @0;
  quota @1;
  deadline @2;
  revoked @3;
  failed @4;
  lost @5;
}

enum ReportVerdict {
  # What becomes of a report.
  none @0;  # never sent
  accepted @1;
  settled @2;
  stale @3;
}

struct GangSlot {
  # A lease's part in a gang.
  rank @0 :UInt32;  # of its first GPU
  worldSize @1 :UInt32;  # GPUs over all leases of the gang
  rendezvous @2 :Text;  # host:port where rank 0 listens
}

struct Lease {
  # Named GPUs of one node for a fork of a job until a step quota or a deadline.
  id @0 :UInt64;
  fork @1 :Common.ForkId;
  node @2 :Text;
  gpus @3 :List(UInt32);  # indices on the node
  gpuTypes @4 :List(Text);  # of these GPUs, same order
  quotaSteps @5 :UInt64;
  trainForS @6 :Float64;  # from the node's commit; 0 = renews itself
  base @7 :Common.ModelVersion;
  firstStep @8 :UInt64;  # steps credited to the job at base
  round @9 :UInt64;
  term @10 :UInt64;
  epoch @11 :UInt64;  # of the node when granted
  gang @12 :GangSlot;
  spec @13 :Job.JobSpec;  # null where the receiver knows it
  sharesWith @14 :UInt64;  # the job whose leases may have the very same GPUs; 0 = none
}

struct LeaseReport {
  # When: a lease ended, or a checkpoint of one that goes on was stored. Who: node worker → fork_tracker (job-tracker), as a
  # request, resent until it is answered. Must: store it durably and answer ReportAnswered; credit nothing yet. The steps
  # count from `base`, not from the lease's start.
  lease @0 :UInt64;
  fork @1 :Common.ForkId;
  node @2 :Text;
  epoch @3 :UInt64;
  base @4 :Common.ModelVersion;
  end @5 :LeaseEndReason;
  steps @6 :UInt64;
  samples @7 :UInt64;
  weights @8 :Common.BlobRef;
  metrics @9 :List(Common.NamedNumber);
  trainS @10 :Float64;  # inside the step loop since base
  paceMissedS @11 :Float64;
  detail @12 :Text;
}

struct ReportAnswered {
  # When: answer to LeaseReport. Who: fork_tracker → node worker. Must: forget the report, and its weights once they are
  # merged or left out; on `settled` and `stale` at once.
  lease @0 :UInt64;
  verdict @1 :ReportVerdict;
  text @2 :Text;
  base @3 :Common.ModelVersion;  # after a credited checkpoint: what the lease goes on from; else version 0
}

struct ProgressSample {
  # Sampled progress of one lease.
  lease @0 :UInt64;
  steps @1 :UInt64;  # since the lease's base
  trainS @2 :Float64;
}

struct ProgressSampled {
  # When: at intervals while leases train. Who: node worker → fork_tracker, one-way; may be lost. Must: show it, never
  # credit it.
  node @0 :Text;
  samples @1 :List(ProgressSample);
}

struct HeldLease {
  # A lease a node holds when it says hello.
  lease @0 :Lease;
  over @1 :Bool;  # ended; its report waits for an answer
}

struct PreparedLease {
  # A lease its node is ready to start.
  lease @0 :UInt64;
  rendezvous @1 :Text;  # host:port where rank 0 of a gang over several nodes listens; empty otherwise
}

struct RefusedLease {
  # A lease turned down, and why.
  lease @0 :UInt64;
  reason @1 :Text;
}
