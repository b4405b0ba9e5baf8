// What becomes of the average of a job's copies: taken as it is, or used as the direction of an outer step.
// Formulas: research notes on consolidation beyond weighted averaging (FedNova, NeurIPS'20; DiLoCo, arXiv 2311.08105).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "messages/types/result.hpp"

namespace hadar {

enum class OuterKind : std::uint8_t {
  kAverage,   // theta <- sum p_i theta_i: HadarE
  kNesterov,  // g = theta - sum p_i theta_i; m <- mu m + g; theta <- theta - lr (g + mu m): DiLoCo
  kFedNova,   // theta <- theta - t_eff sum p_i (theta - theta_i) / t_i, t_eff = sum p_i t_i, t_i = steps of copy i
};

// Without a base version (the first merge of a job that started from a seed) every kind is the average.
struct OuterOptimizer {
  OuterKind kind = OuterKind::kAverage;
  double learning_rate = 0.7;  // of kNesterov; > 0
  double momentum = 0.9;       // mu of kNesterov; 0 <= mu < 1

  friend bool operator==(const OuterOptimizer&, const OuterOptimizer&) = default;
};

constexpr std::string_view name_of(OuterKind kind) {
  switch (kind) {
    case OuterKind::kAverage: return "average";
    case OuterKind::kNesterov: return "nesterov";
    case OuterKind::kFedNova: return "fednova";
  }
  return "?";
}

// The setting of that name, with its default numbers. Errors: kInvalidArgument, listing the names.
inline Result<OuterOptimizer> outer_optimizer_named(std::string_view name) {
  for (const auto kind : {OuterKind::kAverage, OuterKind::kNesterov, OuterKind::kFedNova})
    if (name_of(kind) == name) return OuterOptimizer{.kind = kind};
  return fail(ErrorCode::kInvalidArgument,
              "outer optimiser '" + std::string(name) + "' is unknown; known: average, nesterov, fednova");
}

}  // namespace hadar
