// Prints this machine's GPUs and compares the GPU's weighted average with the CPU's, bit by bit.
// Exit codes: 0 equal, 1 they differ or CUDA failed, 77 not compared (no CUDA device, or a build without CUDA).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "runtime/devices/inventory.hpp"
#include "runtime/weights/sum_kernels.hpp"
#ifdef HADAR_HAVE_CUDA
#include "runtime/devices/average_cuda.hpp"
#endif

namespace hadar {
namespace {

constexpr int kNotCompared = 77;
constexpr std::size_t kCount = (std::size_t{8} << 20) + 77;  // more than one chunk, and a remainder

void print_inventory() {
  const auto found = find_inventory(NodeInventory());
  std::printf("inventory: %s\n", found.source.c_str());
  if (const auto report = query_driver())
    for (const auto& gpu : report->gpus)
      std::printf("  GPU %u: %s -> type %s, %llu MiB, PCIe %u x%u (%.1f GB/s)\n", gpu.index, gpu.name.c_str(),
                  gpu.type.c_str(), static_cast<unsigned long long>(gpu.memory_bytes >> 20), gpu.pcie_generation,
                  gpu.pcie_lanes, pcie_gb_s(gpu.pcie_generation, gpu.pcie_lanes));
}

int not_compared(const char* why) {
  std::printf("************************************************************************\n");
  std::printf("NOT COMPARED: %s\n", why);
  std::printf("The CUDA weighted average was not run on this machine.\n");
  std::printf("************************************************************************\n");
  return kNotCompared;
}

#ifdef HADAR_HAVE_CUDA
using Copies = std::vector<std::vector<float>>;

// Values over many magnitudes: rounding differences show.
Copies random_copies(std::size_t copies) {
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  Copies values(copies, std::vector<float>(kCount));
  for (auto& copy : values)
    for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = std::ldexp(normal(random), static_cast<int>(i % 61) - 30);
  return values;
}

std::vector<float> average_on_cpu(const Copies& copies, const std::vector<double>& coefficients) {
  std::vector<float> out(kCount);
  std::vector<double> block(kSumBlock);
  for (std::size_t at = 0; at < kCount; at += kSumBlock) {
    const auto sum = std::span(block).first(std::min(kSumBlock, kCount - at));
    for (std::size_t i = 0; i < copies.size(); ++i)
      add_scaled(Dtype::kF32, std::as_bytes(std::span(copies[i])).data() + at * sizeof(float), coefficients[i], i == 0,
                 sum);
    round_sums(Dtype::kF32, sum, std::as_writable_bytes(std::span(out)).data() + at * sizeof(float));
  }
  return out;
}

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

int compare() {
  const auto probe = probe_cuda();
  if (!probe) {
    std::printf("FAILED: %s\n", probe.error().message.c_str());
    return 1;
  }
  std::printf("%s\n", probe->text.c_str());
  if (probe->devices == 0) return not_compared(probe->text.c_str());
  const auto copies = random_copies(5);
  const std::vector<double> coefficients = {0.4, 0.24, 0.16, 0.12, 0.08};
  auto start = std::chrono::steady_clock::now();
  const auto cpu = average_on_cpu(copies, coefficients);
  const double cpu_ms = ms_since(start);
  const std::vector<std::span<const float>> views(copies.begin(), copies.end());
  start = std::chrono::steady_clock::now();
  const auto gpu = average_on_gpu(views, coefficients);
  const double gpu_ms = ms_since(start);
  if (!gpu) {
    std::printf("FAILED: %s\n", gpu.error().message.c_str());
    return 1;
  }
  std::size_t different = 0;
  for (std::size_t i = 0; i < kCount; ++i) different += std::memcmp(&cpu[i], &(*gpu)[i], sizeof(float)) != 0 ? 1 : 0;
  std::printf("average of %zu copies of %zu floats: CPU %.1f ms, GPU with transfers %.1f ms, %zu values differ: %s\n",
              copies.size(), kCount, cpu_ms, gpu_ms, different, different == 0 ? "EQUAL bit for bit" : "DIFFERENT");
  return different == 0 ? 0 : 1;
}
#else
int compare() {
  return not_compared("built without CUDA");
}
#endif

}  // namespace
}  // namespace hadar

int main() {
  hadar::print_inventory();
  return hadar::compare();
}
