// How every job's demand rises with the water level.
#pragma once

#include <memory>
#include <vector>

#include "actors/policy/solvers/max_min.hpp"

namespace hadar::solvers {

// Where water filling stands: what each job has and the most it can still reach.
struct WaterState {
  double level = 0;
  std::vector<double> demands;
  std::vector<double> caps;
  std::vector<char> frozen;  // these keep their demand for good
};

// Demands as a rising function of the level, from one price event to the next.
class LevelPath {
 public:
  LevelPath() = default;
  LevelPath(const LevelPath&) = delete;
  LevelPath& operator=(const LevelPath&) = delete;
  virtual ~LevelPath() = default;

  // The level all jobs start from.
  [[nodiscard]] virtual double first_level() const { return 0; }
  // Starts again from `state`; demands never fall below its demands nor exceed its caps.
  virtual void rebuild(const WaterState& state) = 0;
  // The level at which every job has reached its cap or is frozen; at least the state's level.
  [[nodiscard]] virtual double last_level() const = 0;
  // Demands at a level between the state's and last_level().
  virtual void demands(double level, std::vector<double>& out) const = 0;
};

// Every job on its own: demand = rate * level (rate = weight / gang size for Gavel's normalised utility).
std::unique_ptr<LevelPath> flat_path(std::vector<double> rates);

// Finish-time ratios: level = -rho, demand = 1 / (rho * fair - age). `start` is a ratio that all jobs can keep.
std::unique_ptr<LevelPath> finish_path(FinishTerms terms, double start);

// Jobs in entities, each of which gains water at the rate of its weight (Gavel, OSDI'20, section 4.3).
struct EntityTerms {
  std::vector<double> weight;                     // by entity; > 0
  std::vector<char> fifo;                         // by entity: oldest job first, else fair inside
  std::vector<std::vector<std::size_t>> members;  // jobs of each entity, oldest first
  std::vector<double> job_weight;                 // inside a fair entity; > 0
  std::vector<double> gpus;                       // gang sizes
};
std::unique_ptr<LevelPath> entity_path(EntityTerms terms);

}  // namespace hadar::solvers
