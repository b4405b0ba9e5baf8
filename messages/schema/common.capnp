# Values that every theme uses. Append-only: new fields and messages at the end, numbers are never reused.
@0x9a3c51d0e7b24f11;
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("hadar::wire");

struct NamedNumber {
  # A number under a name: metrics, prices, numbers of a reason. Lists of these rise by name.
  name @0 :Text;
  number @1 :Float64;
}

struct NamedCount {
  # A count under a name. Lists of these rise by name.
  name @0 :Text;
  count @1 :UInt64;
}

struct ForkId {
  # One copy of a job; an unforked job has the single fork 0.
  job @0 :UInt64;
  fork @1 :UInt32;
}

struct BlobRef {
  # A blob by content. An empty hash means no blob, then the size is 0.
  hash @0 :Text;  # 32 lower-case hex digits of XXH3-128
  size @1 :UInt64;  # bytes
}

struct ModelVersion {
  # A version of a job's weights; version 0 is the state before any training and has no blob.
  version @0 :UInt64;
  weights @1 :BlobRef;
}

struct Reason {
  # Why something stands where it stands: a code, a sentence, the numbers in it.
  code @0 :Text;  # snake_case; empty: nothing to say
  text @1 :Text;
  numbers @2 :List(NamedNumber);
}
