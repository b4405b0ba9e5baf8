#include "actors/tracker/blob_keeper_actor.hpp"

#include <caf/all.hpp>

#include "runtime/bridge/caf_compat.hpp"

namespace hadar::blob_keeper {
namespace {

caf::result<BlobChunk> read_chunk(const BlobStore& store, const GetBlobChunk& request) {
  auto bytes = store.get_chunk(request.blob, request.offset, request.max_bytes);
  if (!bytes) return to_caf(bytes.error());
  const auto checksum = chunk_checksum(bytes->bytes());
  return BlobChunk{request.blob, request.offset, checksum, *std::move(bytes)};
}

BlobKeeperActor::behavior_type behavior(const std::shared_ptr<BlobStore>& store) {
  return {
      [store](const StatBlob& request) {
        return BlobStat{store->have(request.blob), store->has(request.blob)};
      },
      [store](const PutBlobChunk& chunk) -> caf::result<BlobStat> {
        if (store->has(chunk.blob)) return BlobStat{chunk.blob.size, true};
        auto put = store->put_chunk(chunk.blob, chunk.offset, chunk.checksum, chunk.payload.bytes());
        if (!put) return to_caf(put.error());
        return BlobStat{store->have(chunk.blob), store->has(chunk.blob)};
      },
      [store](const GetBlobChunk& request) { return read_chunk(*store, request); },
      [store](const KeepBlobs& keep) { store->collect(keep.hashes, kCollectAge_s); },
  };
}

}  // namespace
}  // namespace hadar::blob_keeper

namespace hadar {

BlobKeeperActor spawn_blob_keeper(caf::actor_system& system, SpawnMode mode, std::shared_ptr<BlobStore> store) {
  return spawn_as(system, mode, blob_keeper::behavior, std::move(store));
}

}  // namespace hadar
