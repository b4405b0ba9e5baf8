// The weighted average of a merge on a GPU. Only in builds with CUDA (target hadar_devices_cuda), which nothing that
// schedules links: loading CUDA costs time and memory.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "messages/types/result.hpp"

namespace hadar {

struct CudaProbe {
  int devices = 0;   // 0 also when there is no driver
  std::string text;  // one line: what was found, or why nothing
};

// Looks for CUDA devices. Errors: kIo for any answer but "devices" and "none".
Result<CudaProbe> probe_cuda();

// sum_i coefficients[i] * copies[i], element by element, summed in double in the order given and rounded once: the same
// bits as the CPU's add_scaled and round_sums. All copies have the same length. Uses the current device; memory on it
// is bounded (one chunk of values and one of sums). Errors: kInvalidArgument (no copies, lengths or counts differ), kIo
// (CUDA refused; the message names the call).
Result<std::vector<float>> average_on_gpu(std::span<const std::span<const float>> copies,
                                          std::span<const double> coefficients);

}  // namespace hadar
