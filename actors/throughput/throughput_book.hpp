// What is known of the speeds of jobs: declared, measured. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "messages/types/ids.hpp"
#include "messages/types/job.hpp"
#include "messages/types/throughput.hpp"

namespace hadar {

class ThroughputBook {
 public:
  // `table` holds declared speeds; times `time_scale` they are this cluster's.
  ThroughputBook(ThroughputTable table, double time_scale);

  // Speeds of one gang member of a job on every type anything is known of, rising by type. The job's own measurements
  // come first, then those of jobs of the same model and batch size, then what is declared (in the job file for sleep
  // jobs, else in the table).
  [[nodiscard]] std::vector<Estimate> estimates_for(JobId job, const JobSpec& spec) const;

  // A gang on GPUs of `type` did `steps` in `train_s` > 0 seconds: a moving average of weight 0.5 (as Gavel's).
  void measured(JobId job, const JobSpec& spec, const GpuType& type, std::uint64_t steps, double train_s);

  // Steps per second declared for a gang member on a type; 0 = nothing declared.
  [[nodiscard]] double declared(const JobSpec& spec, const GpuType& type) const;

 private:
  using ModelKey = std::tuple<std::string, std::uint32_t, GpuType>;  // model, batch size, type

  ThroughputTable table_;
  double time_scale_;
  std::map<std::pair<JobId, GpuType>, double> by_job_;
  std::map<ModelKey, double> by_model_;
};

}  // namespace hadar
