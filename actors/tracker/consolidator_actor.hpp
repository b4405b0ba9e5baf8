// Purpose: merges the weights of a job's forks into a new blob.
// Inbox: ConsolidatorActor, one merge at a time. Mailbox: at most one merge per job. It blocks: its own thread live.
// Peers: none; a failed merge is answered with an error and leaves the last version as it was.
#pragma once

#include <functional>

#include "actors/handles.hpp"
#include "actors/spawn.hpp"
#include "messages/types/result.hpp"

namespace hadar {

// Does the merge; given by the composition root (safetensors and the blob store live, nothing to merge in simulation).
// Errors: kIo may pass by itself and is tried again; any other leaves all inputs out.
using MergeFunction = std::function<Result<ForksMerged>(const MergeForks&)>;

ConsolidatorActor spawn_consolidator(caf::actor_system& system, SpawnMode mode, MergeFunction merge);

}  // namespace hadar
