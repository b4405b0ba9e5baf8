// Training time up to a moment that is only known later.
#pragma once

#include <algorithm>
#include <vector>

namespace hadar {

class TrainedTime {
 public:
  // So many units trained from `from_s` to `to_s`.
  void add(double from_s, double to_s, double units) {
    sum_s_ += (to_s - from_s) * units;
    since_.push_back({from_s, to_s, units});
  }
  // until() will be asked for moments after all that was added so far only.
  void pass() { since_.clear(); }

  // What lies before `t_s`, units times seconds.
  [[nodiscard]] double until(double t_s) const {
    auto sum_s = sum_s_;
    for (const auto& part : since_) sum_s -= std::max(0.0, part.to_s - std::max(part.from_s, t_s)) * part.units;
    return sum_s;
  }

 private:
  struct Part {
    double from_s = 0, to_s = 0, units = 0;
  };
  double sum_s_ = 0;
  std::vector<Part> since_;  // since the last pass()
};

}  // namespace hadar
