// Purpose: fills the speeds of jobs into their views and learns from reports.
// Inbox: ThroughputBookActor. Mailbox: one view at a time, one measurement per report. Peers: none.
#pragma once

#include "actors/handles.hpp"
#include "actors/spawn.hpp"
#include "actors/throughput/throughput_book.hpp"

namespace hadar {

ThroughputBookActor spawn_throughput_book(caf::actor_system& system, SpawnMode mode, ThroughputBook book);

}  // namespace hadar
