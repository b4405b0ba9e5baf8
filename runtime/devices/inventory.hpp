// Which GPUs this machine has: asked of NVIDIA's driver when there is one, else as declared.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "messages/types/cluster.hpp"
#include "messages/types/result.hpp"

namespace hadar {

// One GPU as the driver tells of it. Facts the driver does not tell are 0.
struct GpuDevice {
  std::uint32_t index = 0;  // in the driver's order, by PCI bus: CUDA's own order needs CUDA_DEVICE_ORDER=PCI_BUS_ID
  std::string name;         // "NVIDIA H200"
  GpuType type;             // gpu_type_of(name)
  std::uint64_t memory_bytes = 0;
  std::uint32_t pcie_generation = 0;  // the most that GPU and slot can do together
  std::uint32_t pcie_lanes = 0;

  friend bool operator==(const GpuDevice&, const GpuDevice&) = default;
};

struct DriverReport {
  std::string driver_version;
  std::vector<GpuDevice> gpus;  // rising index
};

inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

// Asks NVML, loaded at run time so that no build and no process depends on a driver. Errors: kNotFound (the library is
// not there: no driver), kIo (the driver refused; the message names the call and its error). Blocks for up to a second
// at its first call; thread-safe.
Result<DriverReport> query_driver(const std::string& library = kNvmlLibrary);

// A driver's product name as the type used in tables: without vendor, form factor and memory size.
// "NVIDIA H200" -> "H200", "Tesla V100-SXM2-16GB" -> "V100", "NVIDIA GeForce RTX 3090" -> "RTX 3090".
GpuType gpu_type_of(std::string_view product_name);

// Usable PCIe rate of one direction in GB/s; 0 when generation or lanes are unknown.
double pcie_gb_s(std::uint32_t generation, std::uint32_t lanes);

struct FoundInventory {
  NodeInventory node;
  std::string source;  // one line: where the GPUs were read from, and what was passed over
};

// The node's inventory. A declaration that is emulated stands as it is. Otherwise the driver's word counts when it
// names GPUs, else the declaration, else the node has no GPUs. The driver's GPUs keep their order: neighbours of one
// type form a group, so GPU i of the node is GPU i of the driver. pcie_gb_s is that of the slowest GPU.
FoundInventory find_inventory(const NodeInventory& declared, const std::string& library = kNvmlLibrary);

}  // namespace hadar
