// How an actor is spawned: the composition root chooses, since blocking work needs a thread of its own live and none in
// virtual time.
#pragma once

#include <caf/actor_system.hpp>
#include <utility>

namespace hadar {

enum class SpawnMode { kShared, kOwnThread };

template <class Function, class... Args>
auto spawn_as(caf::actor_system& system, SpawnMode mode, Function function, Args&&... args) {
  return mode == SpawnMode::kOwnThread ? system.spawn<caf::detached>(function, std::forward<Args>(args)...)
                                       : system.spawn(function, std::forward<Args>(args)...);
}

}  // namespace hadar
