// Large rounds to plan: made up, the same for the same shape and seed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "messages/types/round.hpp"

namespace hadar {

struct Shape {
  std::size_t jobs = 2048;
  std::size_t nodes = 512;
  std::size_t types = 3;
  std::size_t inputs = 20;
  bool forkable = false;
  bool mixed = false;  // every third node has two types, every fifth another network
};

// All jobs wait; GPUs are four a node. Gangs of 1, 2, 4 and 8; every job has its own speeds.
RoundInput waiting_input(const Shape& shape, std::uint64_t seed);

// The next border: jobs hold what the plan gave them.
RoundInput running_input(const RoundInput& before, const RoundPlan& plan);

}  // namespace hadar
