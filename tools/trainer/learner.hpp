// Training state of one trainer process: weights, optimiser, data order.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tools/trainer/all_reduce.hpp"
#include "tools/trainer/task.hpp"

namespace hadar::trainer {

// What decides which samples a lease sees and how far its job is.
struct LeaseOrder {
  std::uint64_t seed = 1;
  std::uint64_t first_step = 0;   // of the job, credited before
  std::uint64_t total_steps = 0;  // of the job; 0 = unknown: the learning rate stays
  std::uint32_t batch_size = 32;
  std::uint32_t fork = 0;
  std::uint32_t rank = 0;
  std::uint32_t world_size = 1;
};

// Adam with decoupled weight decay (Kingma & Ba 2015; Loshchilov & Hutter 2019), the learning rate falling linearly
// over the job's steps. The moments stay while the process is warm, also when the weights are replaced by merged ones:
// these are close by, so the old moments are a better guess than none. Equal calls give equal bits. One thread.
class Learner {
 public:
  explicit Learner(std::unique_ptr<Task> task);

  // Weights as before any training, a function of the seed alone: all forks of a job start equal. Forgets the moments.
  void initialise(std::uint64_t seed);

  [[nodiscard]] const Layout& layout() const { return task_->layout(); }
  [[nodiscard]] const Vector& weights() const { return weights_; }

  // Continue from other weights of the same layout.
  void set_weights(const Vector& weights);

  // Starts the lease's own order of samples: forks, ranks and rounds see different ones.
  void begin(const LeaseOrder& order);

  // One mini-batch; in a gang the gradients are averaged through `reduce`. False when a member is gone: the weights are
  // as before the step.
  bool step(const AllReduce& reduce = {});

  // Validation metrics of the weights, and `train_loss` over the lease's last hundred steps or so (absent before one).
  [[nodiscard]] Metrics metrics();

 private:
  std::span<const std::uint32_t> next_rows();
  void apply_gradient();

  std::unique_ptr<Task> task_;
  Vector weights_;
  Vector gradient_;
  Vector first_moment_;
  Vector second_moment_;
  std::uint64_t updates_ = 0;  // in the moments

  LeaseOrder order_;
  Random random_{0};
  std::vector<std::uint32_t> rows_;   // all training rows in this epoch's order
  std::vector<std::uint32_t> batch_;  // filled over an epoch's end
  std::size_t next_row_ = 0;
  std::uint64_t steps_ = 0;  // of this lease
  double smooth_loss_ = 0;
};

}  // namespace hadar::trainer
