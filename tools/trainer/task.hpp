// What can be trained: a model over a data set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "messages/types/job.hpp"
#include "messages/types/result.hpp"
#include "tools/trainer/layout.hpp"
#include "tools/trainer/random.hpp"

namespace hadar::trainer {

// How a task likes to be trained.
struct Recipe {
  float learning_rate = 1e-3F;  // at the job's first step
  float weight_decay = 0;       // decoupled from the gradient, per step and unit of learning rate
};

// Data and model shape; the weights stay outside, as one flat vector in layout(). Deterministic. One thread at a time,
// since the passes share scratch.
class Task {
 public:
  virtual ~Task() = default;

  [[nodiscard]] virtual const Layout& layout() const = 0;
  [[nodiscard]] virtual Recipe recipe() const = 0;
  [[nodiscard]] virtual std::size_t training_rows() const = 0;

  // Fresh weights, a function of `random` (and of the training data's mean, where a model starts from it).
  virtual void initialise(Random& random, Vector& weights) const = 0;

  // The mean loss over these training rows, and its gradient (every element is written).
  virtual float gradient(std::span<const std::uint32_t> rows, const Vector& weights, Vector& gradient) = 0;

  // Metrics on the validation part: `accuracy` or `mse`, and what a trivial guess reaches as `baseline_accuracy` or
  // `baseline_mse`. A few milliseconds at most.
  virtual Metrics evaluate(const Vector& weights) = 0;
};

// The task of a workload: "image", "weather" or "recommendation", its data read from `folder`.
// kInvalidArgument: no such workload; kNotFound, kCorrupt: its data file.
Result<std::unique_ptr<Task>> make_task(const std::string& workload, const std::filesystem::path& folder);

}  // namespace hadar::trainer
