// What finish-time fairness remembers of a job between two questions for shares.
#pragma once

#include <cstdint>

namespace hadar {

struct ShareHistory {
  double isolated = 0;           // ShareJob::isolated_history: Gavel's cum_i
  double isolated_rate = 0;      // steps per s on an isolated share when shares were last asked for; 0 = never
  std::uint64_t asked_done = 0;  // steps done then

  // At a question: the steps done since the last one count as the time they would have taken in isolation then
  // (public Gavel code, finish_time_fairness).
  void ask(std::uint64_t steps_done, double isolated_rate_now) {
    if (isolated_rate > 0) isolated += static_cast<double>(steps_done - asked_done) / isolated_rate;
    asked_done = steps_done;
    isolated_rate = isolated_rate_now;
  }

  friend bool operator==(const ShareHistory&, const ShareHistory&) = default;
};

}  // namespace hadar
