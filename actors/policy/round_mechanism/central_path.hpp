// Share programs solved along their central path, so that the answer is the middle of all best answers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace hadar {

enum class CentralGoal : std::uint8_t {
  kSum,     // largest sum of utilities
  kMaxMin,  // largest smallest utility
  kFloors,  // every utility at least its floor; the middle of all that do
  kFinish,  // smallest largest (age + work / utility) / fair
};

// Shares x[job][type] >= 0 with sum_j x_ij <= 1 and sum_i gpus_i x_ij <= capacity_j; utility_i = sum_j value_ij x_ij.
struct CentralProgram {
  CentralGoal goal = CentralGoal::kMaxMin;
  std::vector<double> capacity;            // by type, > 0
  std::vector<double> gpus;                // by job, > 0
  std::vector<std::vector<double>> value;  // [job][type], >= 0, some > 0 in every row without a floor beside it
  std::vector<double> floor;               // by job; kFloors; for embedded_path.hpp also beside kMaxMin, empty = none
  std::vector<std::vector<double>> floor_value;  // [job][type], what those beside kMaxMin count instead of `value`
  std::vector<double> head_start;                // by job, counts as utility under kMaxMin; only there, empty = none
  std::vector<double> age, work, fair;           // by job, work and fair > 0; kFinish
};

struct CentralAnswer {
  std::vector<std::vector<double>> share;  // [job][type]
  double level = 0;                        // kMaxMin: smallest utility; kFinish: largest ratio; else 0
};

// Follows the central path (Boyd and Vandenberghe, Convex Optimization, 11.3) to a relative gap of 1e-9: the limit is
// the analytic centre of the optimal face, near which interior-point solvers stop. One Newton step costs jobs x
// types^3. `beyond`: stop as soon as the level of kMaxMin exceeds it. kFloors starts from `start`, which
// must keep all floors with room. Deterministic; counts steps.
[[nodiscard]] CentralAnswer follow_central_path(const CentralProgram& program, std::optional<double> beyond = {},
                                                const CentralAnswer* start = nullptr);

}  // namespace hadar
