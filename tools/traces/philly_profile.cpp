// A workload like Microsoft's Philly (Jeon et al., ATC'19), fitted to the part of the public trace (CC-BY-4.0) that the
// public artifact of Sia (SOSP'23) hands on: 56,421 jobs of 109 days.
//   Gang sizes: their shares there. Run times: for each of the classes 1, 2, 4, 8 and more GPUs the quantiles there,
//   joined by straight lines in the logarithm. Arrivals: a Poisson process whose rate follows the hour of the day and
//   the day of the week there (relative to the mean; thinned from the highest rate). Not kept: bursts of equal jobs,
//   users, what ran on which node. Models are drawn with equal chance, since the trace has none.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "tools/traces/profile.hpp"

namespace hadar::traces {
namespace {

struct Size {
  std::uint32_t gpus;
  std::uint32_t jobs;  // in the trace
};
constexpr std::array kSizes{Size{1, 52993}, Size{2, 364}, Size{4, 1326}, Size{8, 1546}, Size{16, 118},
                            Size{24, 1},    Size{32, 64}, Size{64, 6},   Size{128, 3}};
constexpr std::uint64_t kJobs = 56421;

constexpr std::array kParts{0.0, 0.01, 0.02, 0.05, 0.1,  0.2,  0.3,   0.4,   0.5, 0.6,
                            0.7, 0.8,  0.9,  0.95, 0.98, 0.99, 0.995, 0.999, 1.0};
using Quantiles = std::array<double, kParts.size()>;  // seconds
constexpr Quantiles kOne{1,    36,   42,   50,    75,    266,    586,    1083,    1709,   2425,
                         2865, 5057, 9603, 22199, 81213, 173263, 340858, 1172959, 3256045};
constexpr Quantiles kTwo{4,      41,     75,     97,     112,    221,     20861,   28327,   55844,  90790,
                         136713, 197392, 343700, 526030, 942695, 1397988, 1463703, 2582803, 2582803};
constexpr Quantiles kFour{3,     35,    43,     68,     108,    178,    603,     1694,    10325,  25617,
                          48526, 85595, 137279, 233725, 508635, 654823, 1117032, 2641566, 2750674};
constexpr Quantiles kEight{1,      32,     69,     93,     209,    723,     3838,    11850,   23188,  58140,
                           138469, 199996, 340658, 499116, 784770, 1083118, 2010727, 2655194, 4628226};
constexpr Quantiles kMore{1,     2,     4,      30,     42,     273,    1255,   3718,   19009, 48179,
                          62217, 98970, 163599, 231731, 308335, 341346, 353444, 891298, 891298};

// Arrivals by hour of the day and by day from Monday, as parts of their mean.
constexpr std::array kByHour{1.38, 1.15, 1.11, 1.18, 0.71, 1.30, 1.77, 2.15, 1.08, 0.93, 1.16, 0.90,
                             0.77, 0.72, 0.65, 0.68, 0.50, 0.48, 0.79, 0.71, 0.98, 1.00, 0.91, 1.01};
constexpr std::array kByDay{0.93, 1.11, 1.29, 1.50, 1.36, 0.39, 0.42};
constexpr double kHighest = 2.15 * 1.50;

const Quantiles& quantiles_of(std::uint32_t gpus) {
  switch (gpus) {
    case 1: return kOne;
    case 2: return kTwo;
    case 4: return kFour;
    case 8: return kEight;
    default: return kMore;
  }
}

double run_time_s(const Quantiles& quantiles, double part) {
  std::size_t i = 1;
  while (i + 1 < kParts.size() && part >= kParts[i]) ++i;
  const double along = (part - kParts[i - 1]) / (kParts[i] - kParts[i - 1]);
  return quantiles[i - 1] * std::pow(quantiles[i] / quantiles[i - 1], along);
}

Shape draw(Random& random) {
  auto place = random.below(kJobs);
  Shape shape;
  for (const auto& size : kSizes) {
    shape.gpus = size.gpus;
    if (place < size.jobs) break;
    place -= size.jobs;
  }
  shape.alone_s = run_time_s(quantiles_of(shape.gpus), random.unit());
  return shape;
}

// Time 0 is a Monday at midnight.
double relative_rate(double now_s) {
  const auto hour = static_cast<std::size_t>(std::fmod(now_s / 3600, 24));
  const auto day = static_cast<std::size_t>(std::fmod(now_s / 86400, 7));
  return kByHour[std::min(hour, kByHour.size() - 1)] * kByDay[std::min(day, kByDay.size() - 1)];
}

double gap_s(Random& random, double now_s, double jobs_per_h) {
  const double mean_s = 3600 / (jobs_per_h * kHighest);
  double at_s = now_s;
  do {
    at_s += random.exponential(mean_s);
  } while (random.unit() * kHighest >= relative_rate(at_s));
  return at_s - now_s;
}

}  // namespace

Profile philly_profile() {
  return {.name = "philly",
          .summary = "like Microsoft's Philly: its gang sizes, run times, hours and weekdays",
          .draw = draw,
          .gap_s = gap_s};
}

}  // namespace hadar::traces
