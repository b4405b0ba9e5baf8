// When rounds open: at borders of time, or, as in Gavel's public simulator, each when the last one's leases have ended.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "messages/types/ids.hpp"

namespace hadar {

class RoundClock {
 public:
  virtual ~RoundClock() = default;

  // The round that is open now; before the first border, the first one.
  [[nodiscard]] virtual RoundId round(double now_s) const = 0;
  // When the next round opens, or is taken to open where nobody knows; cluster time.
  [[nodiscard]] virtual double next_border_s(double now_s) const = 0;
  // Whether rounds open by time, and changes between two borders are planned at once. If not, a round opens whenever a
  // change finds everything done.
  [[nodiscard]] virtual bool borders_by_time() const = 0;
  // Whether a change now is the next border's to plan: it is about to come, or has come unnoticed.
  [[nodiscard]] virtual bool border_is_near(double now_s) const = 0;
  // A round opens.
  virtual void open(double now_s) = 0;
};

// Borders every `round_s`, the first at `first_border_s`, where round `first` opens.
std::unique_ptr<RoundClock> borders_by_time(RoundId first, double first_border_s, double round_s);
// Rounds from `first` on, of unknown length; `round_s` is what plans are made for.
std::unique_ptr<RoundClock> rounds_until_all_is_done(RoundId first, double round_s);

}  // namespace hadar
