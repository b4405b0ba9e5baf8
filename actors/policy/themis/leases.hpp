// How long Themis' winners may keep what they won.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "messages/types/round.hpp"

namespace hadar {

// Rounds left of each job's win. Travels in RoundPlan::memory as text, at most `kMostJobs` entries (lowest ids); a job
// that is not remembered has no lease left.
class Leases {
 public:
  static constexpr std::size_t kMostJobs = 30000;

  // Reads what `write` wrote. Anything else, such as another policy's memory, counts as no leases.
  [[nodiscard]] static Leases read(const std::string& memory);

  // At a border: a round of every lease has passed.
  void open_round();
  // Whether the job's lease goes on in the round that was opened.
  [[nodiscard]] bool runs_on(JobId job) const { return rounds_.contains(job); }
  // Starts a lease of `lease_rounds` rounds for each job with GPUs that has none, and forgets jobs without GPUs.
  void count(const RoundPlan& plan, std::uint32_t lease_rounds);
  [[nodiscard]] std::string write() const;

 private:
  std::map<JobId, std::uint32_t> rounds_;
};

}  // namespace hadar
