// Parts that the states of both mechanisms have in common, as bytes.
#pragma once

#include "actors/policy/round_mechanism/memory_bytes.hpp"
#include "actors/policy/round_mechanism/received_time.hpp"
#include "actors/policy/round_mechanism/share_history.hpp"

namespace hadar {

void write_combination(MemoryWriter& out, const Combination& what);
[[nodiscard]] Combination read_combination(MemoryReader& in);

void write_history(MemoryWriter& out, const ShareHistory& history);
[[nodiscard]] ShareHistory read_history(MemoryReader& in);

// The whole ledger, exactly.
void write_received(MemoryWriter& out, const ReceivedTime& time);
[[nodiscard]] ReceivedTime read_received(MemoryReader& in);

}  // namespace hadar
