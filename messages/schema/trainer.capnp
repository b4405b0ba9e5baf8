@0xd3c1f7a2b85e4e90;
# Between a node worker and the trainers it started, over ipc:// on one machine. Every message travels as two frames: the
# message kind (16 bits, little-endian) and the body. Fields are appended, never renumbered or reused. Steps, samples
# and seconds count from the start of the lease unless a field says otherwise.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("hadar::schema");

# A trainer says it once, first of all. The node worker knows the sender by its token from then on; until then its other
# frames are dropped and counted.
struct TrainerHello {
  token @0 :Text;  # handed over in HADAR_TRAINER_TOKEN
  rank @1 :UInt32;
  pid @2 :UInt64;
}

# The node worker says it to an idle trainer. The trainer loads the weights and steps until its quota, its deadline or a
# TrainerLeaseStop, then answers with TrainerSaved{over}.
struct TrainerLeaseStart {
  lease @0 :UInt64;
  weightsPath @1 :Text;  # empty: initialise from the seed
  resultPath @2 :Text;   # each save goes to a fresh name: this one + ".N"
  quotaSteps @3 :UInt64;
  trainForS @4 :Float64;      # 0 = until stopped
  paceStepsPerS @5 :Float64;  # 0 = unpaced
  seed @6 :UInt64;
  firstStep @7 :UInt64;   # of the job: steps credited before this lease
  totalSteps @8 :UInt64;  # of the job
  batchSize @9 :UInt32;
  fork @10 :UInt32;
  rank @11 :UInt32;
  worldSize @12 :UInt32;
  rendezvous @13 :Text;  # "host:port" of rank 0; empty when worldSize is 1
}

# The node worker gives a running lease more steps on the same base. Ignored by a trainer whose lease is over.
struct TrainerLeaseExtend {
  lease @0 :UInt64;
  quotaSteps @1 :UInt64;  # new total
  trainForS @2 :Float64;  # new limit from now; 0 = until stopped
}

# The node worker wants the weights at the next step; the trainer answers with TrainerSaved{over = false} and goes on.
struct TrainerSave {
  lease @0 :UInt64;
}

# The node worker ends the lease at the next step; the trainer answers with TrainerSaved{over = true}.
struct TrainerLeaseStop {
  lease @0 :UInt64;
}

# The node worker needs the trainer no more: it exits with 0.
struct TrainerExit {
}

# A trainer, at its first step and then at most twice a second.
struct TrainerProgress {
  lease @0 :UInt64;
  steps @1 :UInt64;
  trainS @2 :Float64;
}

# A trainer, when weights are written and closed. The node worker owns the file from then on.
struct TrainerSaved {
  lease @0 :UInt64;
  over @1 :Bool;
  end @2 :UInt8;  # LeaseEndReason; 0 (running) exactly when not over
  steps @3 :UInt64;
  samples @4 :UInt64;
  weightsPath @5 :Text;  # empty: it has none
  metrics @6 :List(TrainerMetric);
  trainS @7 :Float64;
  paceMissedS @8 :Float64;
  detail @9 :Text;
}

struct TrainerMetric {
  name @0 :Text;
  value @1 :Float64;  # finite
}
