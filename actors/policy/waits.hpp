// How many rounds each job has waited: the memory that bounds starvation.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "messages/types/round.hpp"

namespace hadar {

// Carried from plan to plan in RoundPlan::memory as text, at most `kMostJobs` entries (the longest waits), which keeps
// it far below the memory's limit.
class Waits {
 public:
  static constexpr std::size_t kMostJobs = 30000;

  // Reads what `write` wrote. Anything else, such as another policy's memory after a change of policy, counts as
  // no waits yet.
  [[nodiscard]] static Waits read(const std::string& memory);

  // Rounds the job has waited since a border last gave it GPUs.
  [[nodiscard]] std::uint32_t rounds(JobId job) const;
  // Counts a finished plan: at a border jobs with GPUs start again at 0 and those waiting gain a round; an early replan
  // counts for nothing, since the rest of a round is no round. Jobs that are gone are forgotten.
  void count(const RoundInput& input, const RoundPlan& plan);
  [[nodiscard]] std::string write() const;

 private:
  std::map<JobId, std::uint32_t> rounds_;
};

}  // namespace hadar
