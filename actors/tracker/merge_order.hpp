// From the forks of a job to what is merged and credited. Pure.
#pragma once

#include <vector>

#include "actors/local_messages.hpp"
#include "actors/tracker/fork_board.hpp"

namespace hadar {

struct MergeDecision {
  std::vector<MergeInput> inputs;  // weights to be merged; fewer than two need no consolidator
  SettleForks settle;              // weights already set when there are fewer than two inputs
};

// Who is in and with which coefficient, by the merge rule of actors/consolidation.
MergeDecision decide_merge(const MergeOrder& order);

// Forks the consolidator could not use: out, with its reason, and not credited.
void leave_out(SettleForks& settle, const std::vector<RefusedLease>& left_out);

}  // namespace hadar
