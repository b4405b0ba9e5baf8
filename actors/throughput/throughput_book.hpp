// What is known of how fast jobs run on which types, from declaration to measurement. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "actors/throughput/gpu_facts.hpp"
#include "messages/types/job.hpp"
#include "messages/types/throughput.hpp"

namespace hadar {

// Owned by one tracker (or read-only by many), single thread. Deterministic: the same calls give the same estimates.
class ThroughputBook {
 public:
  // `table` declares speeds at scale 1; every speed in it counts times `time_scale` (> 0). A synthetic job's own
  // declaration (`sleep.steps_per_s`) is taken as it stands.
  // `pairs`: speeds of jobs side by side, in any order, either way round; its speeds count times `time_scale` too.
  // Unless it `learns`, `measured` changes nothing.
  ThroughputBook(ThroughputTable table, double time_scale, const PairTable& pairs = {}, bool learns = true);

  // At most one estimate per type and placement, rising by type, the best known:
  //   measured on this job, else on jobs of the same model, batch size and gang size (not for sleep jobs, which may
  //   have any speed under one name), else declared (in the job file for sleep jobs, else in the table),
  //   else a prior from GPU facts: the job's known speeds scaled by performance_index, or, when it has none,
  //   calibrated_prior().
  // Types are those of the table, of the job's own declaration, and those measured so far. A type without facts and
  // without numbers gets no estimate: it is unknown, not slow.
  [[nodiscard]] std::vector<Estimate> estimates_for(JobId job, const JobSpec& spec) const;

  // A gang whose slowest member ran on `type` did `steps` in `train_s` seconds inside the step loop: an exponential
  // moving average with weight 0.5 (Gavel's), the first measurement as it is. Nothing is learned from no steps, from
  // less than 10 ms, or from a speed within a millionth of the known one.
  void measured(JobId job, const JobSpec& spec, const GpuType& type, std::uint64_t steps, double train_s,
                Placement placement = Placement::kPacked);

  // Steps/s declared for a gang member on a type: the row of the job's gang size, else of one GPU; 0 = nothing
  // declared.
  [[nodiscard]] double declared(const JobSpec& spec, const GpuType& type,
                                Placement placement = Placement::kPacked) const;

  // Declared speeds of every two of these workloads side by side (of one with itself too), on every type, for gangs of
  // equal size: rows with their batch size, else those for any. Rising as RoundInput::pairs wants it; a job's batch
  // size stands in the answer. Sleep jobs have none.
  [[nodiscard]] PairTable pairs_of(const std::vector<std::shared_ptr<const JobSpec>>& specs) const;

  // Speeds of two jobs on the same GPUs; {0, 0} when nothing is declared or they do not fit.
  [[nodiscard]] std::array<double, 2> declared_pair(const JobSpec& a, const JobSpec& b, const GpuType& type) const;

  // Of whom estimates_for() may say something new.
  class News {
   public:
    [[nodiscard]] bool any() const { return all_ || !jobs_.empty() || !models_.empty(); }
    [[nodiscard]] bool about(JobId job, const JobSpec& spec) const;

   private:
    friend class ThroughputBook;
    bool all_ = false;
    std::set<JobId> jobs_;
    std::set<std::tuple<std::string, std::uint32_t, std::uint32_t>> models_;  // as ModelKey
  };
  // Since the last call.
  [[nodiscard]] News take_news() { return std::exchange(news_, {}); }

  // Drops what was measured on this job alone; what its model taught stays.
  void forget(JobId job);

 private:
  using Place = std::pair<GpuType, Placement>;
  using ModelKey = std::tuple<std::string, std::uint32_t, std::uint32_t>;  // model, batch size, gang size

  using PairKey = std::tuple<WorkloadKey, WorkloadKey, std::uint32_t>;  // gang size

  [[nodiscard]] const std::map<GpuType, std::array<double, 2>>* find_pair(const WorkloadKey& a, const WorkloadKey& b,
                                                                          std::uint32_t gpus) const;
  using Types = std::map<GpuType, std::optional<GpuFacts>>;
  void add_priors(const JobSpec& spec, const Types& types, std::map<Place, Estimate>& found) const;

  std::map<std::pair<ModelKey, Place>, double> table_;
  bool learns_ = true;
  Types types_;
  std::map<PairKey, std::map<GpuType, std::array<double, 2>>> pairs_;  // both ways round
  using Learned = std::map<Place, double>;
  static ModelKey key_of(const JobSpec& spec);
  static bool learn(Learned& learned, const Place& place, double speed);
  static double found_in(const Learned* learned, const Place& place);

  std::map<JobId, Learned> by_job_;
  std::map<ModelKey, Learned> by_model_;
  News news_;
};

}  // namespace hadar
