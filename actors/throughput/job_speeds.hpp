// How fast a job runs on the types of a round, from its estimates.
#pragma once

#include <cstdint>
#include <vector>

#include "messages/types/round.hpp"

namespace hadar {

// The speeds of one job on a list of types, in steps/s of one gang member. Types are numbered by their place in the
// list. A type without an estimate is unknown, not slow: it is taken at the mean of the known ones (1 step/s when none
// is known), so that it is never rejected for lack of a number. Immutable.
class JobSpeeds {
 public:
  // None of any type yet.
  JobSpeeds() = default;
  // `types` rising by name. Of several estimates of one type and placement the best source counts: measured, then
  // declared, then prior.
  JobSpeeds(const JobView& job, const std::vector<GpuType>& types);

  [[nodiscard]] bool allows(std::uint32_t type) const { return types_[type].allowed; }
  // Steps/s of one member on a type; 0 for a type the job does not allow. `spread`: its gang spans nodes.
  [[nodiscard]] double member(std::uint32_t type, bool spread = false) const {
    return spread ? types_[type].spread : types_[type].packed;
  }
  // True when an estimate says how fast the type is for a gang over several nodes.
  [[nodiscard]] bool knows_spread(std::uint32_t type) const { return types_[type].spread_rank > 0; }
  // How many types there are.
  [[nodiscard]] std::size_t types() const { return types_.size(); }
  // True when the speed on an allowed type is a guess: a prior, or the mean of the known ones.
  [[nodiscard]] bool guessed(std::uint32_t type) const { return types_[type].guessed; }
  // Speed on the fastest allowed type; 0 when none is allowed.
  [[nodiscard]] double best() const { return best_; }
  // Allowed types, fastest first (packed), ties by number.
  [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  struct Speed {
    double packed = 0;
    double spread = 0;
    std::uint8_t packed_rank = 0;  // of the estimates they are from; 0 = none
    std::uint8_t spread_rank = 0;
    bool allowed = false;
    bool guessed = false;
  };

  void read_allowed(const JobView& job, const std::vector<GpuType>& types);
  void read_estimates(const JobView& job, const std::vector<GpuType>& types);
  void guess_unknown();

  double best_ = 0;
  std::vector<Speed> types_;
  std::vector<std::uint32_t> order_;
};

}  // namespace hadar
