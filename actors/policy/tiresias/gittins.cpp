#include "actors/policy/tiresias/gittins.hpp"

#include <algorithm>
#include <utility>

namespace hadar {

GittinsIndex::GittinsIndex(std::vector<double> services_gpu_s, double delta_gpu_s)
    : services_(std::move(services_gpu_s)), delta_(delta_gpu_s) {
  std::erase_if(services_, [](double service) { return !(service > 0); });
  std::sort(services_.begin(), services_.end());
}

double GittinsIndex::at(double attained_gpu_s) const {
  const auto first = std::upper_bound(services_.begin(), services_.end(), attained_gpu_s);
  const auto longer = static_cast<double>(services_.end() - first);
  double best = 0;
  double ended = 0;        // jobs that end within d
  double given_gpu_s = 0;  // what they take until then, together
  for (auto it = first; it != services_.end(); ++it) {
    const double d = *it - attained_gpu_s;
    if (delta_ > 0 && d > delta_) break;
    ended += 1;
    given_gpu_s += d;
    if (delta_ == 0) best = std::max(best, ended / (given_gpu_s + (longer - ended) * d));
  }
  if (delta_ > 0 && longer > 0) return ended / (given_gpu_s + (longer - ended) * delta_);
  return best;
}

}  // namespace hadar
