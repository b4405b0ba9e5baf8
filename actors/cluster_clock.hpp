// Cluster time inside an actor: seconds since the cluster's first start, on the actor system's clock (steady when live,
// virtual when simulated).
#pragma once

#include <caf/actor_clock.hpp>
#include <caf/duration.hpp>
#include <chrono>
#include <cmath>

namespace hadar {

class ClusterClock {
 public:
  // `start_s` is the cluster time now.
  ClusterClock(caf::actor_clock& clock, double start_s) : clock_(&clock), begin_(clock.now()), start_s_(start_s) {}

  [[nodiscard]] double now_s() const {
    return start_s_ + std::chrono::duration<double>(clock_->now() - begin_).count();
  }

 private:
  caf::actor_clock* clock_;
  caf::actor_clock::time_point begin_;
  double start_s_;
};

// For CAF's timed calls; never negative.
inline std::chrono::microseconds caf_delay(double seconds) {
  return std::chrono::microseconds(seconds > 0 ? static_cast<std::int64_t>(seconds * 1e6) : 0);
}

// A request's limit; infinity sets no timer.
inline caf::duration caf_limit(double seconds) {
  return std::isinf(seconds) ? caf::duration(caf::infinite) : caf::duration(caf_delay(seconds));
}

}  // namespace hadar
