// How fast a job runs on a gang, from its estimates.
#pragma once

#include <cstdint>
#include <vector>

#include "actors/policy/plan_builder.hpp"

namespace hadar {

// The speeds of one job on the types of one round, in steps/s of one gang member. A type without an estimate is
// unknown, not slow: it is taken at the mean of the known ones (1 step/s when none is known) and marked as a probe, so
// that it is tried and never rejected for lack of a number. A gang over several nodes uses the spread estimate of a
// type where there is one. Immutable.
class JobSpeeds {
 public:
  JobSpeeds(const PlanBuilder& plan, std::size_t j);

  // Steps/s of one member on a type; 0 for a type the job does not allow. `spread`: its gang spans nodes.
  [[nodiscard]] double member(std::uint32_t type, bool spread) const { return (spread ? spread_ : packed_)[type]; }
  [[nodiscard]] bool guessed(std::uint32_t type) const { return guessed_[type]; }
  // Steps/s of a whole gang, which takes one synchronous step at a time. Its slowest member sets the pace (Hadar, arXiv
  // 2503.10918); with `proportional_batch` the batch is split by speed and the pace is the members' mean.
  [[nodiscard]] double of(const Gang& gang) const;
  // The fastest a gang of this job could be on idle GPUs of its best type; > 0 when any type is allowed here.
  [[nodiscard]] double best() const { return best_; }
  // Types the job allows, fastest first (packed speed), ties by number.
  [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  bool proportional_ = false;
  double best_ = 0;
  std::vector<double> packed_;
  std::vector<double> spread_;
  std::vector<bool> guessed_;
  std::vector<std::uint32_t> order_;
};

}  // namespace hadar
