// From the forks of a job to what is merged and credited. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "actors/local_messages.hpp"
#include "actors/tracker/fork_board.hpp"
#include "messages/types/result.hpp"

namespace hadar {

struct MergeDecision {
  std::vector<MergeInput> inputs;  // weights to be merged; fewer than two need no consolidator
  SettleForks settle;              // weights already set when there are fewer than two inputs
};

// Who is in and with which coefficient, by the merge rule of actors/consolidation. `excluded` are leases whose weights
// turned out unfit, with the reason. Errors: kInternal when the forks did more steps than the job has left.
Result<MergeDecision> decide_merge(const MergeOrder& order, const std::map<LeaseId, std::string>& excluded = {});

}  // namespace hadar
