// Models for jobs of which only the duration is known.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "messages/types/throughput.hpp"

namespace hadar::traces {

// A job type at a gang size.
struct JobType {
  std::string model;
  std::uint32_t batch_size = 1;
  double steps_per_s = 0;  // on V100, packed; where it has none, on the fastest type
};

// The stable hash of a job's name and a seed: FNV-1a over the name, then SplitMix64's mixer over hash + seed.
std::uint64_t stable_hash(std::string_view name, std::uint64_t seed);

class ModelDraw {
 public:
  // The table must have a positive speed at one GPU, or nothing can be drawn.
  explicit ModelDraw(const ThroughputTable& table);

  // Job types that run on so many GPUs, rising by (model, batch size); where none is measured, those of one GPU.
  [[nodiscard]] const std::vector<JobType>& types_for(std::uint32_t gpus) const;
  // True when some type is measured at this gang size.
  [[nodiscard]] bool measured(std::uint32_t gpus) const { return by_gpus_.contains(gpus); }
  // True when this type is measured at this gang size.
  [[nodiscard]] bool measured(std::string_view model, std::uint32_t batch_size, std::uint32_t gpus) const;
  // The type of this model and batch size at that gang size, else at one GPU; nullptr when there is neither.
  [[nodiscard]] const JobType* find(std::string_view model, std::uint32_t batch_size, std::uint32_t gpus) const;
  // One of types_for(gpus) by stable_hash; nullptr when there is none.
  [[nodiscard]] const JobType* draw(std::string_view job_id, std::uint32_t gpus, std::uint64_t seed) const;

 private:
  [[nodiscard]] const JobType* at(std::string_view model, std::uint32_t batch_size, std::uint32_t gpus) const;

  std::map<std::uint32_t, std::vector<JobType>> by_gpus_;
  std::vector<JobType> none_;
};

}  // namespace hadar::traces
