// Means over seeds.
#pragma once

#include <optional>
#include <vector>

namespace hadar::report {

// The mean over seeds, and half its 95 % interval (Student's t); the latter is absent for one seed.
struct Interval {
  double mean = 0;
  std::optional<double> half;
};

// Of values >= 1 in number.
Interval interval_of(const std::vector<double>& values);

}  // namespace hadar::report
