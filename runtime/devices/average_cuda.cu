#include <algorithm>
#include <cuda_runtime.h>
#include <memory>

#include "runtime/devices/average_cuda.hpp"

namespace hadar {
namespace {

constexpr std::size_t kChunk = std::size_t{4} << 20;  // floats
constexpr int kThreads = 256;

// The _rn intrinsics are never fused into one operation, as the CPU's loops are not: same operations, same bits.
__global__ void add_scaled_kernel(const float* in, double coefficient, bool first, double* sum, std::size_t count) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const double product = __dmul_rn(coefficient, static_cast<double>(in[i]));
  sum[i] = first ? product : __dadd_rn(sum[i], product);
}

__global__ void round_kernel(const double* sum, float* out, std::size_t count) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i] = __double2float_rn(sum[i]);
}

struct Free {
  void operator()(void* memory) const { cudaFree(memory); }
};
template <class T>
using DeviceArray = std::unique_ptr<T[], Free>;

Status check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return {};
  return fail(ErrorCode::kIo, std::string("CUDA: ") + call + " failed: " + cudaGetErrorString(code));
}

template <class T>
Result<DeviceArray<T>> allocate(std::size_t count) {
  void* memory = nullptr;
  if (auto good = check(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc"); !good) return fail(std::move(good));
  return DeviceArray<T>(static_cast<T*>(memory));
}

unsigned blocks_for(std::size_t count) {
  return static_cast<unsigned>((count + kThreads - 1) / kThreads);
}

struct Buffers {
  DeviceArray<float> values;
  DeviceArray<double> sum;
};

Status average_chunk(std::span<const std::span<const float>> copies, std::span<const double> coefficients,
                     std::size_t from, Buffers& buffers, std::span<float> out) {
  const auto count = out.size();
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const auto part = copies[i].subspan(from, count);
    auto good = check(cudaMemcpy(buffers.values.get(), part.data(), part.size_bytes(), cudaMemcpyHostToDevice),
                      "cudaMemcpy to the device");
    if (!good) return good;
    add_scaled_kernel<<<blocks_for(count), kThreads>>>(buffers.values.get(), coefficients[i], i == 0, buffers.sum.get(),
                                                       count);
    if (good = check(cudaGetLastError(), "add_scaled_kernel"); !good) return good;
  }
  round_kernel<<<blocks_for(count), kThreads>>>(buffers.sum.get(), buffers.values.get(), count);
  if (auto good = check(cudaGetLastError(), "round_kernel"); !good) return good;
  return check(cudaMemcpy(out.data(), buffers.values.get(), out.size_bytes(), cudaMemcpyDeviceToHost),
               "cudaMemcpy from the device");
}

}  // namespace

Result<CudaProbe> probe_cuda() {
  int devices = 0;
  const auto code = cudaGetDeviceCount(&devices);
  // Without any driver the runtime says "insufficient driver", not "no device".
  if (code == cudaErrorInsufficientDriver) return CudaProbe{0, "no CUDA device: there is no driver, or it is too old"};
  if (code == cudaErrorNoDevice) return CudaProbe{0, "no CUDA device"};
  if (auto good = check(code, "cudaGetDeviceCount"); !good) return fail(std::move(good));
  CudaProbe probe{devices, std::to_string(devices) + " CUDA device(s):"};
  for (int device = 0; device < devices; ++device) {
    cudaDeviceProp facts{};
    if (auto good = check(cudaGetDeviceProperties(&facts, device), "cudaGetDeviceProperties"); !good)
      return fail(std::move(good));
    probe.text += (device > 0 ? ", " : " ") + std::string(facts.name) + " (sm_" + std::to_string(facts.major) +
                  std::to_string(facts.minor) + ", " + std::to_string(facts.totalGlobalMem >> 20) + " MiB)";
  }
  return probe;
}

Result<std::vector<float>> average_on_gpu(std::span<const std::span<const float>> copies,
                                          std::span<const double> coefficients) {
  if (copies.empty() || copies.size() != coefficients.size())
    return fail(ErrorCode::kInvalidArgument, "average: as many coefficients as copies are needed, at least one");
  const auto count = copies[0].size();
  for (const auto& copy : copies)
    if (copy.size() != count) return fail(ErrorCode::kInvalidArgument, "average: copies must have the same length");
  std::vector<float> out(count);
  if (count == 0) return out;
  const auto chunk = std::min(count, kChunk);
  auto values = allocate<float>(chunk);
  if (!values) return fail(std::move(values));
  auto sum = allocate<double>(chunk);
  if (!sum) return fail(std::move(sum));
  Buffers buffers{std::move(*values), std::move(*sum)};
  for (std::size_t from = 0; from < count; from += chunk) {
    const auto part = std::span(out).subspan(from, std::min(chunk, count - from));
    if (auto good = average_chunk(copies, coefficients, from, buffers, part); !good) return fail(std::move(good));
  }
  return out;
}

}  // namespace hadar
