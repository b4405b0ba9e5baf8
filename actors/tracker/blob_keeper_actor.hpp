// Purpose: the blob store as an actor.
// Inbox: BlobKeeperActor. Mailbox: each courier keeps a few chunks in flight. It blocks on disk: its own thread live.
// Peers: a courier that vanishes leaves a partial blob, which resumes or is collected.
#pragma once

#include <memory>

#include "actors/handles.hpp"
#include "actors/spawn.hpp"
#include "runtime/store/blob_store.hpp"

namespace hadar {

// Blobs that no job needs go when they have not changed for this long; also at a start.
inline constexpr double kCollectAge_s = 600;

BlobKeeperActor spawn_blob_keeper(caf::actor_system& system, SpawnMode mode, std::shared_ptr<BlobStore> store);

}  // namespace hadar
