#include "actors/tracker/consolidator_actor.hpp"

#include <caf/all.hpp>

#include "runtime/bridge/caf_compat.hpp"

namespace hadar::consolidator {
namespace {

ConsolidatorActor::behavior_type behavior(const MergeFunction& merge) {
  return {[merge](const MergeForks& order) -> caf::result<ForksMerged> {
    auto merged = merge(order);
    if (!merged) return to_caf(merged.error());
    return *std::move(merged);
  }};
}

}  // namespace
}  // namespace hadar::consolidator

namespace hadar {

ConsolidatorActor spawn_consolidator(caf::actor_system& system, SpawnMode mode, MergeFunction merge) {
  return spawn_as(system, mode, consolidator::behavior, std::move(merge));
}

}  // namespace hadar
