// Finish-time fairness of the jobs of a round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "actors/policy/plan_builder.hpp"

namespace hadar {

// rho = T_sh / T_id of Themis (NSDI'20, section 3) for the jobs of one plan, which must outlive it. Looks at what jobs
// need and what is installed, never at what is free. Jobs that no installed GPU can run have rho 0.
class FinishTimes {
 public:
  explicit FinishTimes(const PlanBuilder& plan);

  // Should the job get nothing until the round's border, and its fastest type then.
  [[nodiscard]] double rho_waiting(std::size_t j) const { return rho_waiting_[j]; }
  // Should it run at this speed, in steps/s (> 0), from now until it is done.
  [[nodiscard]] double rho_at(std::size_t j, double steps_per_s) const;

 private:
  [[nodiscard]] double ideal_s(std::size_t j) const;

  const PlanBuilder* plan_;
  std::vector<double> ideal_s_;  // T_id; 0 = cannot run
  std::vector<double> rho_waiting_;
};

}  // namespace hadar
