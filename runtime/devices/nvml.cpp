// NVML through dlopen. The prototypes are written out here: nvml.h is not part of every CUDA toolkit.
#include <array>
#include <dlfcn.h>
#include <memory>

#include "runtime/devices/inventory.hpp"

namespace hadar {
namespace {

using NvmlDevice = void*;

struct NvmlMemory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct Nvml {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*device_count)(unsigned*) = nullptr;
  int (*device_by_index)(unsigned, NvmlDevice*) = nullptr;
  int (*device_name)(NvmlDevice, char*, unsigned) = nullptr;
  int (*device_memory)(NvmlDevice, NvmlMemory*) = nullptr;
  int (*max_generation)(NvmlDevice, unsigned*) = nullptr;
  int (*max_lanes)(NvmlDevice, unsigned*) = nullptr;
};

struct CloseLibrary {
  void operator()(void* handle) const { ::dlclose(handle); }
};
using Library = std::unique_ptr<void, CloseLibrary>;

template <class Function>
bool load(const Library& library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(::dlsym(library.get(), name));
  return out != nullptr;
}

// The first name the library lacks; nullptr when all are there.
const char* load_all(const Library& library, Nvml& nvml) {
  if (!load(library, "nvmlInit_v2", nvml.init)) return "nvmlInit_v2";
  if (!load(library, "nvmlShutdown", nvml.shutdown)) return "nvmlShutdown";
  if (!load(library, "nvmlErrorString", nvml.error_string)) return "nvmlErrorString";
  if (!load(library, "nvmlSystemGetDriverVersion", nvml.driver_version)) return "nvmlSystemGetDriverVersion";
  if (!load(library, "nvmlDeviceGetCount_v2", nvml.device_count)) return "nvmlDeviceGetCount_v2";
  if (!load(library, "nvmlDeviceGetHandleByIndex_v2", nvml.device_by_index)) return "nvmlDeviceGetHandleByIndex_v2";
  if (!load(library, "nvmlDeviceGetName", nvml.device_name)) return "nvmlDeviceGetName";
  if (!load(library, "nvmlDeviceGetMemoryInfo", nvml.device_memory)) return "nvmlDeviceGetMemoryInfo";
  if (!load(library, "nvmlDeviceGetMaxPcieLinkGeneration", nvml.max_generation))
    return "nvmlDeviceGetMaxPcieLinkGeneration";
  if (!load(library, "nvmlDeviceGetMaxPcieLinkWidth", nvml.max_lanes)) return "nvmlDeviceGetMaxPcieLinkWidth";
  return nullptr;
}

Error refused(const Nvml& nvml, const std::string& call, int code) {
  const char* text = nvml.error_string(code);
  return {ErrorCode::kIo, "NVML: " + call + " failed: " + (text != nullptr ? text : "error " + std::to_string(code))};
}

Result<GpuDevice> describe(const Nvml& nvml, unsigned index) {
  NvmlDevice device = nullptr;
  if (const int code = nvml.device_by_index(index, &device); code != 0)
    return tl::unexpected(refused(nvml, "nvmlDeviceGetHandleByIndex_v2(" + std::to_string(index) + ")", code));
  std::array<char, 96> name{};
  if (const int code = nvml.device_name(device, name.data(), name.size() - 1); code != 0)
    return tl::unexpected(refused(nvml, "nvmlDeviceGetName(" + std::to_string(index) + ")", code));
  GpuDevice gpu{.index = index, .name = name.data(), .type = gpu_type_of(name.data())};
  // Not every board and virtual machine tells these; what is not told stays 0, which means unknown.
  NvmlMemory memory{};
  if (nvml.device_memory(device, &memory) == 0) gpu.memory_bytes = memory.total;
  unsigned value = 0;
  if (nvml.max_generation(device, &value) == 0) gpu.pcie_generation = value;
  if (nvml.max_lanes(device, &value) == 0) gpu.pcie_lanes = value;
  return gpu;
}

Result<DriverReport> ask(const Nvml& nvml) {
  DriverReport report;
  std::array<char, 96> version{};
  if (nvml.driver_version(version.data(), version.size() - 1) == 0) report.driver_version = version.data();
  unsigned count = 0;
  if (const int code = nvml.device_count(&count); code != 0)
    return tl::unexpected(refused(nvml, "nvmlDeviceGetCount_v2", code));
  for (unsigned index = 0; index < count; ++index) {
    auto gpu = describe(nvml, index);
    if (!gpu) return fail(std::move(gpu));
    report.gpus.push_back(std::move(*gpu));
  }
  return report;
}

}  // namespace

Result<DriverReport> query_driver(const std::string& library_name) {
  const Library library(::dlopen(library_name.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!library) return fail(ErrorCode::kNotFound, "no NVIDIA driver: " + library_name + " cannot be loaded");
  Nvml nvml;
  if (const char* missing = load_all(library, nvml); missing != nullptr)
    return fail(ErrorCode::kIo, library_name + ": has no " + missing + "; a newer driver is needed");
  if (const int code = nvml.init(); code != 0) return tl::unexpected(refused(nvml, "nvmlInit_v2", code));
  auto report = ask(nvml);
  nvml.shutdown();
  return report;
}

}  // namespace hadar
