// How far each job's model has come where merges keep a part only of what slower forks add. The truth of a simulation:
// its trainers score by it, its figures tell it, and no actor knows it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "messages/types/event.hpp"

namespace hadar {

class LearntSteps {
 public:
  explicit LearntSteps(double merge_efficiency) : merge_efficiency_(merge_efficiency) {}

  void take(const event::Consolidated& e) {
    double sum = 0;
    double most = 0;
    for (const auto& fork : e.forks) {
      const auto steps = fork.in ? static_cast<double>(fork.steps) : 0;
      sum += steps;
      most = std::max(most, steps);
    }
    steps_[e.job] += most + merge_efficiency_ * (sum - most);
  }
  // Steps of one GPU that would have brought the model as far.
  [[nodiscard]] double of(JobId job) const {
    const auto found = steps_.find(job);
    return found == steps_.end() ? 0 : found->second;
  }

 private:
  double merge_efficiency_;
  std::map<JobId, double> steps_;
};

// A loss that falls as a power of the steps, by four fifths over the job.
inline double simulated_loss(const JobSpec& spec, double steps) {
  return std::pow(1 + 9 * steps / static_cast<double>(spec.total_steps), -0.7);
}

}  // namespace hadar
