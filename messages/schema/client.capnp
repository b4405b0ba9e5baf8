# Clients → gateway, and from there to the actor that knows. Append-only: new fields and messages at the end, numbers are never reused.
@0x9a3c51d0e7b24f18;
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("hadar::wire");
using Cluster = import "cluster.capnp";
using Common = import "common.capnp";
using Job = import "job.capnp";

enum JobAction {
  # What is to happen to a job.
  none @0;  # never sent
  cancel @1;
  hold @2;
  release @3;
}

enum NodeAction {
  # What is to happen to a node.
  none @0;  # never sent
  drain @1;
  undrain @2;
  forget @3;
}

struct SubmitJob {
  # When: `hadar submit`. Who: client → gateway → job_ledger, as a request. Must: validate, write Submitted, answer
  # JobSubmitted; the same key again answers the same job.
  spec @0 :Job.JobSpec;
  key @1 :Text;  # empty = none
  keepInfeasible @2 :Bool;
}

struct JobSubmitted {
  # When: answer to SubmitJob, after the write. Who: job_ledger → client. Must: show the id.
  job @0 :UInt64;
  existed @1 :Bool;  # the key named a job that is already there
  reason @2 :Common.Reason;  # set when kept as infeasible
}

struct CommandJob {
  # When: `hadar cancel|hold|release`. Who: client → gateway → job_ledger, as a request. Must: write the event, have the
  # leases taken back, answer Ack; answer an error in a state that forbids it.
  job @0 :Text;  # id or name
  action @1 :JobAction;
}

struct QueryJobs {
  # When: `hadar jobs|show|explain`. Who: client → gateway → job_ledger, as a request. Must: answer JobList.
  job @0 :Text;  # id or name; empty = all
  all @1 :Bool;  # also ended ones, when job is empty
}

struct JobList {
  # When: answer to QueryJobs. Who: job_ledger → client. Must: show them.
  jobs @0 :List(Job.JobStatus);
  nowS @1 :Float64;  # cluster time
}

struct QueryNodes {
  # When: `hadar nodes`. Who: client → gateway → membership, as a request. Must: answer NodeList.
}

struct NodeList {
  # When: answer to QueryNodes. Who: membership → client. Must: show them.
  nodes @0 :List(Cluster.NodeView);
  round @1 :UInt64;
  roundS @2 :Float64;
  windowS @3 :Float64;  # left until the border
  policy @4 :Text;
}

struct CommandNode {
  # When: `hadar drain|undrain|forget`. Who: client → gateway → membership, as a request. Must: record it, answer Ack; answer
  # an error in a state that forbids it.
  node @0 :Text;
  action @1 :NodeAction;
  reason @2 :Text;
  deadlineS @3 :Float64;  # leases still open then are revoked; 0 = they may end
}

struct QueryEvents {
  # When: `hadar events`. Who: client → gateway → job_ledger, as a request. Must: answer EventPage.
  afterSeq @0 :UInt64;
  limit @1 :UInt32;
}

struct EventPage {
  # When: answer to QueryEvents. Who: job_ledger → client. Must: show them; ask again after the last one.
  events @0 :List(Text);  # one JSON object each, as stored
  lastSeq @1 :UInt64;  # of the log, not of the page
}

struct QueryLog {
  # When: `hadar logs`. Who: client → gateway → node worker, as a request. Must: answer LogPart.
  job @0 :UInt64;
  fork @1 :UInt32;
  node @2 :Text;  # empty: the gateway finds it
  offset @3 :UInt64;
  maxBytes @4 :UInt32;
}

struct LogPart {
  # When: answer to QueryLog. Who: node worker → client. Must: show it; ask again after it.
  node @0 :Text;
  offset @1 :UInt64;  # of the first byte; larger than asked when older bytes were cut
  text @2 :Data;  # raw bytes
  more @3 :Bool;  # bytes after this part are there already
}

struct QueryHealth {
  # When: `hadar doctor`. Who: client → gateway, gateway → each process, as a request. Must: a gateway answers ClusterHealth,
  # any other process ProcessHealth.
}

struct ProcessHealth {
  # When: answer to QueryHealth. Who: any process → gateway. Must: put it into ClusterHealth.
  name @0 :Text;
  reachable @1 :Bool;
  pid @2 :UInt64;
  upS @3 :Float64;
  counters @4 :List(Common.NamedCount);
}

struct ClusterHealth {
  # When: answer to QueryHealth. Who: gateway → client. Must: show it.
  clusterId @0 :Text;
  processes @1 :List(ProcessHealth);
}
