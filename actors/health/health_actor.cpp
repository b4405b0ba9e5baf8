#include "actors/health/health_actor.hpp"

#include <caf/all.hpp>

namespace hadar::health_actor {
namespace {

HealthActor::behavior_type behavior(const std::function<ProcessHealth()>& read) {
  return {[read](const QueryHealth&) { return read(); }};
}

}  // namespace
}  // namespace hadar::health_actor

namespace hadar {

HealthActor spawn_health(caf::actor_system& system, SpawnMode mode, std::function<ProcessHealth()> read) {
  return spawn_as(system, mode, health_actor::behavior, std::move(read));
}

}  // namespace hadar
