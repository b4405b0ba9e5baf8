// The one problem each job solves by itself once GPUs have prices.
#pragma once

#include <cstddef>

namespace hadar::solvers {

// At most two types and the job's shares on them.
struct Mix {
  std::size_t first = 0;
  std::size_t second = 0;
  double first_share = 0;
  double second_share = 0;
  double slope = 0;  // price per GPU of one more unit of utility
};

// The cheapest way to reach utility `demand` with shares that sum to at most 1: min l.x, a.x >= d. It is the lower
// convex hull of the points (a_j, l_j) and the origin, read at d; walked by gift wrapping. On equal ratios the larger
// a_j wins, else the walk could start at a dominated point where types are free. At the cap, where a_max may miss d by
// rounding, the last slope is kept. R is the number of types when known at compile time, 0 otherwise. Some a_j must be
// above 0.
template <std::size_t R>
inline Mix cheapest_mix(const double* a, const double* l, double demand, std::size_t types) {
  const std::size_t n = R == 0 ? types : R;
  Mix mix;
  std::size_t at = n;
  for (std::size_t j = 0; j < n; ++j) {
    if (a[j] <= 0) continue;
    if (at == n) {
      at = j;
      continue;
    }
    const double left = l[j] * a[at];
    const double right = l[at] * a[j];
    if (left < right || (left == right && a[j] > a[at])) at = j;
  }
  mix.first = at;
  mix.slope = l[at] / a[at];
  if (a[at] >= demand) {
    mix.first_share = demand / a[at];
    return mix;
  }
  for (;;) {
    std::size_t next = n;
    double rise = 0;
    double gain = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double more = a[j] - a[at];
      if (more <= 0) continue;
      const double price = l[j] - l[at];
      if (next == n || price * gain < rise * more || (price * gain == rise * more && more > gain)) {
        next = j;
        rise = price;
        gain = more;
      }
    }
    if (next == n) {
      mix.first = at;
      mix.first_share = 1;
      mix.second_share = 0;
      return mix;
    }
    mix.slope = rise / gain;
    if (a[next] >= demand) {
      mix.first = at;
      mix.second = next;
      mix.second_share = (demand - a[at]) / gain;
      mix.first_share = 1 - mix.second_share;
      return mix;
    }
    at = next;
  }
}

}  // namespace hadar::solvers
