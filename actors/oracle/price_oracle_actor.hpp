// Purpose: the price board of each round, and its history.
// Inbox: PriceOracleActor. Mailbox: one board a round, asked by round_flow; queries by clients.
// Peers: none. After a restart the history begins anew and smoothing starts from the first board.
#pragma once

#include "actors/handles.hpp"
#include "actors/pricing/prices.hpp"
#include "actors/spawn.hpp"

namespace hadar {

PriceOracleActor spawn_price_oracle(caf::actor_system& system, SpawnMode mode, PriceSettings settings);

}  // namespace hadar
