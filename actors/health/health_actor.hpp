// Purpose: tells what its process counts, for `hadar doctor`.
// Inbox: HealthActor; answers at once. Peers: none.
#pragma once

#include <functional>

#include "actors/handles.hpp"
#include "actors/spawn.hpp"

namespace hadar {

// `read` gathers the counters; called for each question.
HealthActor spawn_health(caf::actor_system& system, SpawnMode mode, std::function<ProcessHealth()> read);

}  // namespace hadar
