// A first guess of a job's speed from what is known before it ever ran.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "actors/throughput/gpu_facts.hpp"
#include "messages/types/result.hpp"
#include "messages/types/throughput.hpp"

namespace hadar {

// How much work one sample of a model is. HadarE (arXiv 2503.10918) weighs models by such classes without giving their
// values; which model is in which class is our reading of what one sample costs.
enum class Complexity : std::uint8_t { kLow = 0, kModerate = 1, kHigh = 2, kExtreme = 3 };

// By the model's name: case, spaces and dashes do not matter. Unknown names are kModerate.
[[nodiscard]] Complexity complexity_of(std::string_view model);

// steps/s = exp(log_scale) x performance_index(gpu) x (batch size / 32)^batch x exp(complexity x class). The index's
// own exponents are not fitted: on K80, P100 and V100 compute and memory bandwidth rise alike, and any split of the two
// leaves the same error within 1 %.
struct SpeedPrior {
  double log_scale = 0;   // of a V100 at batch size 32 and class 0
  double batch = -1;      // negative: larger batches are slower
  double complexity = 0;  // per class, in natural logarithms

  [[nodiscard]] double steps_per_s(const GpuFacts& gpu, std::uint32_t batch_size, Complexity model) const;
  friend bool operator==(const SpeedPrior&, const SpeedPrior&) = default;
};

// Fitted to the speeds of 26 job types on K80, P100 and V100 that Gavel's authors measured (OSDI'20, public
// simulation_throughputs.json).
[[nodiscard]] SpeedPrior calibrated_prior();

// Least squares on logarithms over the rows of one GPU on types with facts. kInvalidArgument when only
// one batch size or class is left, so that the fit has no single answer.
[[nodiscard]] Result<SpeedPrior> fit_prior(const ThroughputTable& table);

// How far a prior that never saw a model is off on it. Factors: 2 means half or twice the true speed, on average over
// the rows (geometric).
struct PriorError {
  std::string model;
  std::size_t rows = 0;
  double factor_unseen = 1;    // nothing of the job is known
  double factor_measured = 1;  // one speed of the job is known (on the last of its types by name): errors on the others
};

// Leaves each model out in turn. Errors as fit_prior().
[[nodiscard]] Result<std::vector<PriorError>> leave_one_model_out(const ThroughputTable& table);

}  // namespace hadar
