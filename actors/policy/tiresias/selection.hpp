// Which jobs run this round, and where, when jobs come in a strict order of priority.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "actors/policy/plan_builder.hpp"

namespace hadar {

// Walks `order` (places of jobs in the input, best first) without blocking: each job whose gang fits into what those
// before it left gets one. Single use: make, then place once. Both references must outlive it.
class Selection {
 public:
  Selection(PlanBuilder& plan, std::vector<std::size_t> order);

  // Running jobs that are to go on keep their GPUs; the others get whichever fit tightest.
  void place_sticky();
  // Every job gets its fastest type with room, in order; it keeps what it holds when that is of the same types.
  void place_on_fastest();

  // The free GPUs a job found when its turn came, by its place in the input; meaningless for jobs not in the order.
  [[nodiscard]] std::uint32_t found_free(std::size_t j) const { return found_free_[j]; }

 private:
  // Places all jobs one way or another and returns what each got; empty for those passed over.
  std::vector<Gang> choose();
  [[nodiscard]] Gang any_gang(std::size_t rank) const;
  bool place_chosen(const std::vector<Gang>& chosen);

  PlanBuilder& plan_;
  std::vector<std::size_t> order_;
  std::vector<std::uint32_t> found_free_;
  std::vector<std::pair<std::size_t, Gang>> holders_;  // rank and held gang, rising ranks
};

}  // namespace hadar
