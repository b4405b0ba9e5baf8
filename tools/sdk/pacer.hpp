// When steps are due: the pace of an emulated GPU. Pure; the caller brings the time, in seconds of one monotonic clock.
#pragma once

#include <algorithm>
#include <cstdint>

namespace hadar::sdk {

// Step n is due at start + n / speed. A trainer that fell behind may catch up at most kCatchUpS; lag beyond that is
// taken out of the schedule and counted as missed.
class Pacer {
 public:
  static constexpr double kCatchUpS = 1;

  // `steps_per_s` 0: every step is due at once.
  Pacer(double steps_per_s, double start_s) : steps_per_s_(steps_per_s), start_s_(start_s) {}

  // When step n (from 0) may begin.
  [[nodiscard]] double due_s(std::uint64_t n) const {
    return steps_per_s_ > 0 ? start_s_ + static_cast<double>(n) / steps_per_s_ : start_s_;
  }

  // Step n begins now.
  void begin(std::uint64_t n, double now_s) {
    if (steps_per_s_ <= 0) return;
    const double excess = std::max(0.0, now_s - due_s(n) - kCatchUpS);
    start_s_ += excess;
    missed_s_ += excess;
  }

  // The schedule stood still for so long, on purpose (weights were written).
  void pause(double seconds) { start_s_ += seconds; }

  // A gang runs at its slowest member's pace; 0 leaves it as it is.
  void slow_to(double steps_per_s) {
    if (steps_per_s <= 0) return;
    steps_per_s_ = steps_per_s_ > 0 ? std::min(steps_per_s_, steps_per_s) : steps_per_s;
  }

  [[nodiscard]] double steps_per_s() const { return steps_per_s_; }
  [[nodiscard]] double missed_s() const { return missed_s_; }

 private:
  double steps_per_s_;
  double start_s_;
  double missed_s_ = 0;
};

}  // namespace hadar::sdk
