# Blobs between nodes and the job-tracker, in chunks with credits. Append-only: new fields and messages at the end, numbers are never reused.
@0x9a3c51d0e7b24f17;
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("hadar::wire");
using Common = import "common.capnp";

struct StatBlob {
  # When: before a transfer, and after a broken one. Who: node worker → blob keeper, as a request. Must: answer BlobStat.
  blob @0 :Common.BlobRef;
}

struct BlobStat {
  # When: answer to StatBlob. Who: blob keeper → node worker. Must: go on from `have`; send nothing when complete.
  have @0 :UInt64;  # bytes from the start
  complete @1 :Bool;
}

struct PutBlobChunk {
  # When: a blob is stored. Who: node worker → blob keeper, as a request; the bytes travel in the payload frame. Must: check
  # the checksum, append at `offset`, answer BlobStat: the credit for the next chunk. The last chunk is answered once the
  # whole is checked against its hash and durable.
  blob @0 :Common.BlobRef;
  offset @1 :UInt64;
  checksum @2 :UInt64;  # XXH3-64 of the chunk
}

struct GetBlobChunk {
  # When: a blob is fetched. Who: node worker → blob keeper, as a request. Must: answer BlobChunk.
  blob @0 :Common.BlobRef;
  offset @1 :UInt64;
  maxBytes @2 :UInt32;
}

struct BlobChunk {
  # When: answer to GetBlobChunk. Who: blob keeper → node worker; the bytes travel in the payload frame. Must: check the
  # checksum, keep the bytes, ask for the next.
  blob @0 :Common.BlobRef;
  offset @1 :UInt64;
  checksum @2 :UInt64;  # XXH3-64 of the chunk
}
