// Purpose: moves blobs between a node's cache and the tracker's store, in chunks.
// Inbox: BlobCourierActor. Mailbox: a few transfers a node. Each transfer keeps kWindow chunks in flight: an answered
// chunk is the credit for the next. It blocks on disk: its own thread live.
// Peers: when the blob keeper is down a transfer fails with kUnreachable; asked again, it resumes where it stopped.
#pragma once

#include <memory>

#include "actors/handles.hpp"
#include "actors/spawn.hpp"
#include "runtime/store/blob_store.hpp"

namespace hadar {

struct BlobCourierOptions {
  std::uint32_t chunk_bytes = 1 << 20;
  double chunk_limit_s = 10;
};

BlobCourierActor spawn_blob_courier(caf::actor_system& system, SpawnMode mode, BlobCourierOptions options,
                                    std::shared_ptr<BlobStore> cache, BlobKeeperActor keeper);

}  // namespace hadar
