// The job SDK in C++: hadar_job.h with an owner and without out-parameters. Header only; link with -lhadar_job.
//
//   hadar::TrainingJob job;
//   const auto save = [&](const std::string& path) { write weights; };
//   while (const hadar_lease* lease = job.next_lease()) {
//     load lease->weights_path, or initialise from lease->seed when it is null
//     while (job.next_step(save)) {
//       train one step
//       job.step_done(samples);
//     }
//     job.end_lease(save, {{"accuracy", accuracy}});
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "tools/sdk/hadar_job.h"

namespace hadar {

class TrainingJob {
 public:
  // Writes the weights to a path; must close the file.
  using Save = std::function<void(const std::string& path)>;

  // Throws std::runtime_error when the environment is not one to work in.
  TrainingJob() : handle_(hadar_connect()) {
    if (handle_ == nullptr) throw std::runtime_error(hadar_last_error());
  }
  ~TrainingJob() { hadar_close(handle_); }
  TrainingJob(const TrainingJob&) = delete;
  TrainingJob& operator=(const TrainingJob&) = delete;

  // Waits for the next lease; null when the process is needed no more. Throws std::runtime_error when the node worker
  // is gone. The lease lives until the next call.
  const hadar_lease* next_lease() {
    switch (hadar_next_lease(handle_, &lease_)) {
      case HADAR_GO: return &lease_;
      case HADAR_EXIT: return nullptr;
      case HADAR_FAULT: break;
    }
    throw std::runtime_error(hadar_last_error());
  }

  // Waits until the next step is due; false when the lease is over. Calls `save` when weights are wanted in between.
  bool next_step(const Save& save) {
    hadar_action action = HADAR_TRAIN;
    while ((action = hadar_before_step(handle_)) == HADAR_SAVE) {
      write(save);
      hadar_saved(handle_);
    }
    return action == HADAR_TRAIN;
  }

  // Counts one step done.
  void step_done(std::uint64_t samples) { hadar_after_step(handle_, samples); }

  // Reports the lease with its weights and metrics. Throws std::invalid_argument for a metric that is not finite.
  void end_lease(const Save& save, const std::map<std::string, double>& metrics) {
    write(save);
    for (const auto& [name, value] : metrics)
      if (hadar_metric(handle_, name.c_str(), value) != 0) throw std::invalid_argument(hadar_last_error());
    hadar_end_lease(handle_);
  }

  // Sums over the gang in place. False when a member is gone; the lease ends then.
  bool all_reduce(float* values, std::size_t count) { return hadar_all_reduce(handle_, values, count) == 0; }

  // For what this class does not wrap.
  hadar_job* handle() { return handle_; }

 private:
  void write(const Save& save) {
    if (const char* path = hadar_result_path(handle_)) save(path);
  }

  hadar_job* handle_;
  hadar_lease lease_{};
};

}  // namespace hadar
