// The Gittins index: how soon a job is likely to end for the service it is about to be given.
#pragma once

#include <cstddef>
#include <vector>

namespace hadar {

// The 2D-Gittins index of Tiresias (NSDI'19) over the services S that jobs needed to end. With a = the service a job
// has received, its index is
//     G(a) = sup over d > 0 of  P(S - a <= d | S > a) / E[min(S - a, d) | S > a],
// in 1/GPU-s; the larger runs first. The distribution is the empirical one of the given services, so the supremum is
// taken at one of them. Immutable.
class GittinsIndex {
 public:
  // `services_gpu_s`: services of ended jobs, in GPU-s, any order; those not above 0 are left out.
  // `delta_gpu_s`: 0 = the supremum; above 0 = this fixed d (the public Tiresias simulator: 3250).
  explicit GittinsIndex(std::vector<double> services_gpu_s, double delta_gpu_s = 0);

  [[nodiscard]] std::size_t samples() const { return services_.size(); }
  // The index at `attained_gpu_s` of service; 0 when no known job needed more.
  [[nodiscard]] double at(double attained_gpu_s) const;

 private:
  std::vector<double> services_;  // rising
  double delta_ = 0;
};

}  // namespace hadar
