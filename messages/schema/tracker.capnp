# Scheduler ↔ job-tracker. Append-only: new fields and messages at the end, numbers are never reused.
@0x9a3c51d0e7b24f16;
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("hadar::wire");
using Cluster = import "cluster.capnp";
using Common = import "common.capnp";
using Lease = import "lease.capnp";
using Round = import "round.capnp";

struct OpenTerm {
  # When: the scheduler started and reached the job-tracker. Who: round_flow → job_ledger, as a request. Must: raise the term
  # durably and answer TermOpened; commands of older terms are stale from now on. Asked again by the incarnation that holds
  # the term, answer with that term.
  policy @0 :Text;
  roundS @1 :Float64;
  incarnation @2 :UInt64;  # of the scheduler, new at each start; 0 = not told
}

struct TermOpened {
  # When: answer to OpenTerm. Who: job_ledger → round_flow. Must: go on from here: later rounds and leases get larger numbers,
  # the open leases are waited for or adopted.
  term @0 :UInt64;
  lastRound @1 :UInt64;
  lastLease @2 :UInt64;
  memory @3 :Data;  # of the last recorded plan
  openLeases @4 :List(Lease.Lease);
  nodes @5 :List(Cluster.NodeView);  # as far as events tell
  nowS @6 :Float64;  # cluster time
}

struct ViewJobs {
  # When: a round opens. Who: round_flow → job_ledger, as a request. Must: answer JobsViewed.
  round @0 :UInt64;
  pairs @1 :Bool;  # also how jobs run side by side
}

struct JobsViewed {
  # When: answer to ViewJobs. Who: job_ledger → round_flow. Must: put the jobs into the round input, have the
  # unwanted leases revoked.
  jobs @0 :List(Round.JobView);
  unwanted @1 :List(UInt64);  # open leases of jobs that were cancelled, held back, failed or merged
  nowS @2 :Float64;  # cluster time
  pairs @3 :List(Round.PairEstimate);  # rising; empty unless asked for
}

struct RecordPlan {
  # When: a plan passed its checks. Who: round_flow → job_ledger, as a request. Must: fill base and spec into the leases, write
  # LeasesGranted and the changed outcomes in one transaction, then answer PlanRecorded.
  term @0 :UInt64;
  round @1 :UInt64;
  early @2 :Bool;
  policy @3 :Text;
  prices @4 :List(Common.NamedNumber);  # by GPU type
  leases @5 :List(Lease.Lease);  # to be granted
  outcomes @6 :List(Round.Outcome);
  memory @7 :Data;  # the policy's, when it planned anew; absent: as last recorded
}

struct PlanRecorded {
  # When: answer to RecordPlan, after the write. Who: job_ledger → round_flow. Must: prepare exactly these leases; drop the
  # refused ones.
  leases @0 :List(Lease.Lease);  # base and spec filled in
  refused @1 :List(Lease.RefusedLease);
}

struct RecordExtension {
  # When: before an ExtendLease. Who: lease_keeper → job_ledger, as a request. Must: write LeaseExtended, answer Ack; answer
  # an error when the steps are not there any more.
  term @0 :UInt64;
  lease @1 :UInt64;
  job @2 :UInt64;
  quotaSteps @3 :UInt64;  # new total
}

struct CloseLeases {
  # When: leases will never report: refused by their node, or their node was lost. Who: lease_keeper → job_ledger, as a
  # request. Must: write LeaseClosed for those still open, merge their last checkpoints where there are some, answer Ack.
  leases @0 :List(UInt64);
  reason @1 :Text;
}

struct RecordNode {
  # When: a node came up, was lost, drained, undrained or forgotten. Who: membership → job_ledger, as a request. Must: write
  # the event, answer Ack; answer Ack alone when it has this number or a later one of this term already.
  fact @0 :Text;  # the event as one JSON object, as in the event log but without seq and t_s
  term @1 :UInt64;
  number @2 :UInt64;  # rises within the term
}

struct JobAdvanced {
  # When: a job has a new version, was submitted, released or has ended. Who: job_ledger → round_flow, one-way. Must: plan
  # early when GPUs are idle and the job can use them.
  job @0 :UInt64;
  finished @1 :Bool;
  stepsLeft @2 :UInt64;
}
