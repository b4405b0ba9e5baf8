# Node worker ↔ scheduler (membership, lease_keeper). Append-only: new fields and messages at the end, numbers are never reused.
@0x9a3c51d0e7b24f14;
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("hadar::wire");
using Cluster = import "cluster.capnp";
using Lease = import "lease.capnp";

struct NodeHello {
  # When: the link to the scheduler came up, first or again. Who: node worker → membership, as a request. Must: decide which
  # of its leases go on, note the node as up, answer NodeWelcome; refuse a name that a live node holds.
  inventory @0 :Cluster.NodeInventory;
  incarnation @1 :UInt64;  # new at each start of the process
  epoch @2 :UInt64;  # last one it was given; 0 = none
  held @3 :List(Lease.HeldLease);
}

struct NodeWelcome {
  # When: answer to NodeHello. Who: membership → node worker. Must: take term and epoch as its own, go on with `adopt` under
  # them, stop and forget `discard` without a report.
  term @0 :UInt64;
  epoch @1 :UInt64;
  roundS @2 :Float64;
  outageGraceS @3 :Float64;  # how long it may train on without the scheduler
  adopt @4 :List(UInt64);
  discard @5 :List(UInt64);
}

struct PrepareLeases {
  # When: a plan is durable. Who: lease_keeper → node worker, one request a node and round. Must: refuse with an old term or
  # epoch (stale); reserve the GPUs, start nothing, answer LeasesPrepared.
  term @0 :UInt64;
  epoch @1 :UInt64;
  leases @2 :List(Lease.Lease);
}

struct LeasesPrepared {
  # When: answer to PrepareLeases. Who: node worker → lease_keeper. Must: commit the accepted ones whose whole gang was
  # accepted, revoke the others.
  accepted @0 :List(Lease.PreparedLease);
  refused @1 :List(Lease.RefusedLease);
}

struct CommitLeases {
  # When: every member of these leases' gangs is prepared. Who: lease_keeper → node worker, as a request. Must: start
  # training, count `train_for_s` from now, answer Ack.
  term @0 :UInt64;
  epoch @1 :UInt64;
  leases @2 :List(Lease.PreparedLease);  # rendezvous: rank 0's, for every member of the gang
}

struct RevokeLeases {
  # When: a plan drops leases, a gang failed to form, or a job was cancelled or held. Who: lease_keeper → node worker, as a
  # request. Must: stop these leases at the next step, free their GPUs, report what was trained, answer Ack.
  term @0 :UInt64;
  epoch @1 :UInt64;
  leases @2 :List(UInt64);
  reason @3 :Text;
}

struct ExtendLease {
  # When: a job with unissued steps goes on on the same GPUs. Who: lease_keeper → node worker, as a request. Must: raise the
  # quota and the limit of a lease that still runs and answer Ack; answer an error when it has ended.
  term @0 :UInt64;
  epoch @1 :UInt64;
  lease @2 :UInt64;
  quotaSteps @3 :UInt64;  # new total
  trainForS @4 :Float64;  # new limit from now; 0 = renews itself
}

struct LeaseEnded {
  # When: the GPUs of a lease are free again, and once more when the tracker has answered its report. Who: node worker →
  # lease_keeper, as a request, repeated until answered. Must: take the GPUs as idle; when reported, forget the lease;
  # answer Ack. Steps are the job-tracker's matter.
  lease @0 :UInt64;
  node @1 :Text;
  epoch @2 :UInt64;
  end @3 :Lease.LeaseEndReason;
  detail @4 :Text;
  reported @5 :Bool;  # the node owes the tracker no report of it (any more)
}

struct Ack {
  # When: a request was carried out and has no other answer. Who: any actor. Must: nothing.
}
