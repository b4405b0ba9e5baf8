// What data sheets say of GPU types, and the guess made from it.
#pragma once

#include <optional>
#include <string_view>

#include "messages/types/ids.hpp"

namespace hadar {

struct GpuFacts {
  std::string_view type;
  double fp32_tflops = 0;
  double memory_gb_s = 0;
  double pcie_gb_s = 0;  // one direction
};

// Facts of a type by name; case, spaces, dashes and a vendor's prefix do not matter ("NVIDIA RTX-3090" is "RTX 3090"),
// and a memory size behind the name does not either. Nothing for an unknown type.
[[nodiscard]] std::optional<GpuFacts> facts_of(const GpuType& type);

// Speed against a V100: (tflops / V100's)^0.5 x (memory bandwidth / V100's)^0.5 x min(1, pcie / V100's)^0.25. HadarE
// (arXiv 2503.10918) starts from a performance-memory index and PCIe scaling; it does not give the formula, the
// exponents are ours.
[[nodiscard]] double performance_index(const GpuFacts& facts);

}  // namespace hadar
