# What stands on the outside of every message between processes, in a frame of its own. Append-only: new fields at the
# end, numbers are never reused.
@0x9a3c51d0e7b24f1a;
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("hadar::wire");

struct Envelope {
  # When: before each message. Who: the sender's transport. Must: hand the body to the actor `target`, or the answer to
  # the request that `correlation` names; drop and count what it cannot read.
  kind @0 :UInt16;         # of hadar::MessageKind; 0 only in errors
  target @1 :UInt16;       # of hadar::ActorKey; 0 in answers and link messages
  flag @2 :UInt8;          # of hadar::EnvelopeFlag
  errorCode @3 :UInt16;    # of hadar::ErrorCode; 0 when there is no error
  correlation @4 :UInt64;  # names a request to its sender; 0 in one-way messages
  errorText @5 :Text;
}
