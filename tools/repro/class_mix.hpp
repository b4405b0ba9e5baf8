// Workloads in four classes of size, as Hadar's simulations draw them (arXiv 2503.10918; Gavel, OSDI'20, has the
// speeds).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/repro/experiment.hpp"

namespace hadar::repro {

// Classes: S, ResNet-18, 0.02 to 1 GPU-hours on V100s; M, CycleGAN, 1 to 10; L, LM or Transformer, 10 to 50; XL,
// ResNet-50, 60 to 100. Uniform within a class, as is the batch size among those measured for the gang.
struct ClassMix {
  std::string name;
  std::array<double, 4> shares{};                // of S, M, L, XL; sum 1
  std::array<std::array<double, 4>, 4> gangs{};  // per class: shares of 1, 2, 4, 8 GPUs; sum 1
  double jobs_per_h = 0;                         // Poisson; 0 = all at 0
};

// Shares of gang sizes by class. CycleGAN is measured on one GPU only.
const std::array<std::array<double, 4>, 4>& gangs_of_philly();  // sizes in Microsoft's Philly trace, by class
std::array<std::array<double, 4>, 4> gangs_alike(std::array<double, 4> shares);  // the same for S, L and XL

struct DrawnWorkload {
  std::vector<TraceJob> jobs;
  double useful_gpu_s = 0;  // on V100s
};

// The same mix and seed give the same workload everywhere; another rate changes arrivals only. `jobs` >= 1.
DrawnWorkload draw_workload(const ClassMix& mix, std::uint64_t jobs, std::uint64_t seed);

// "S .71 M .22 L .04 XL .03; gangs 1/2/4/8 …".
std::string text_of(const ClassMix& mix);

}  // namespace hadar::repro
