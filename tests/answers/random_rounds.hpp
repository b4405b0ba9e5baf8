// Small random rounds, and every gang a job could have in them.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "actors/policy/plan_builder.hpp"

namespace hadar::answers {

// Numbers from one seed, the same on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) / static_cast<double>(1ULL << 53);
  }
  std::uint32_t upto(std::uint32_t most) { return static_cast<std::uint32_t>(engine_() % (most + 1)); }  // 0 to most
  bool chance(double part) { return between(0, 1) < part; }

 private:
  std::mt19937_64 engine_;
};

struct RoundShape {
  std::uint32_t most_nodes = 4;
  std::uint32_t most_gpus = 3;  // of a type on a node
  std::uint32_t most_jobs = 1;
  std::uint32_t most_gang = 5;
  bool proportional = false;  // every job splits its batch by speed
  bool exponential = false;   // prices rise with what is taken on a node
};

// A border with 1 to 3 types, mixed nodes, fast and slow networks; jobs with and without speeds for spread gangs,
// closed to some types, some of them running. Prices by type.
RoundInput random_round(std::uint64_t seed, const RoundShape& shape);

// Every whole gang of free GPUs of types the job allows.
std::vector<Gang> every_gang(const PlanBuilder& plan, std::size_t job);

}  // namespace hadar::answers
