#include "tools/report/interval.hpp"

#include <array>
#include <cmath>
#include <numeric>

namespace hadar::report {
namespace {

// 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom, then the normal's.
constexpr std::array kStudent{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                              2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                              2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
constexpr double kNormal = 1.960;

}  // namespace

Interval interval_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  Interval interval;
  interval.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() < 2) return interval;
  double squares = 0;
  for (const double value : values) squares += (value - interval.mean) * (value - interval.mean);
  const double student = values.size() - 1 <= kStudent.size() ? kStudent[values.size() - 2] : kNormal;
  interval.half = student * std::sqrt(squares / (n - 1) / n);
  return interval;
}

}  // namespace hadar::report
