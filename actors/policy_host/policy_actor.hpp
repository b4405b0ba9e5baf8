// Purpose: hosts one policy object.
// Inbox: PolicyActor. Mailbox: one plan at a time, asked by round_flow. A policy's error is answered as it is.
// Peers: none. It holds nothing between rounds, so it may die and be replaced while jobs run.
#pragma once

#include <memory>
#include <string>

#include "actors/handles.hpp"
#include "actors/policy/policy.hpp"
#include "actors/spawn.hpp"

namespace hadar {

// `name` is recorded with each plan.
PolicyActor spawn_policy(caf::actor_system& system, SpawnMode mode, std::string name, std::shared_ptr<Policy> policy);

}  // namespace hadar
