# The link itself: handshake and liveness. Handled by the transport, never seen by actors. Append-only: new fields and messages at the end, numbers are never reused.
@0x9a3c51d0e7b24f19;
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("hadar::wire");

enum ErrorCode {
  # Codes of hadar::ErrorCode.
  none @0;  # never sent
  invalidArgument @1;
  notFound @2;
  alreadyExists @3;
  infeasible @4;
  refused @5;
  stale @6;
  overloaded @7;
  unreachable @8;
  timedOut @9;
  corrupt @10;
  io @11;
  internal @12;
}

struct DirectoryEntry {
  # Where a role can be reached. Lists of these rise by role.
  role @0 :Text;
  endpoint @1 :Text;
}

struct PeerInfo {
  # Who one side of a link is.
  name @0 :Text;
  roles @1 :List(Text);
  incarnation @2 :UInt64;  # new at each start of the process
  endpoint @3 :Text;  # where it listens; empty for clients
  pid @4 :UInt64;
  directory @5 :List(DirectoryEntry);  # as far as it knows
}

struct LinkHello {
  # When: a connection is made, first of all. Who: the side that connects. Must: check cluster id, protocol version and name;
  # answer LinkWelcome or LinkRefused.
  clusterId @0 :Text;
  protocolVersion @1 :UInt32;
  self @2 :PeerInfo;
}

struct LinkWelcome {
  # When: answer to LinkHello. Who: the listening side. Must: take the link as up.
  protocolVersion @0 :UInt32;
  self @1 :PeerInfo;
}

struct LinkRefused {
  # When: answer to LinkHello. Who: the listening side. Must: not try again by itself; show the text.
  text @0 :Text;  # why, and what would be right
  code @1 :ErrorCode;
}

struct LinkPing {
  # When: a link was silent for a while. Who: either side. Must: answer LinkPong with the same nonce.
  nonce @0 :UInt64;
}

struct LinkPong {
  # When: answer to LinkPing. Who: the side that was asked. Must: take the link as alive.
  nonce @0 :UInt64;
}

struct LinkBye {
  # When: a process stops. Who: either side. Must: take the link as down at once.
  text @0 :Text;
}
