// Filling in a matrix of which a part is known, as Quasar and Gavel's estimator do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "messages/types/result.hpp"

namespace hadar {

// Rows of equal length; an empty cell is unknown. Known cells are finite.
using PartialMatrix = std::vector<std::vector<std::optional<double>>>;

struct CompletionSettings {
  std::size_t rank = 10;         // of the factors (Gavel's k)
  double penalty = 1e-2;         // on their squares (Gavel's mu); > 0
  std::size_t iterations = 100;  // of alternating least squares, at most
  double tolerance = 1e-3;       // ends when the mean change of a cell falls below it
  std::uint64_t seed = 1;        // of the first factors
};

// Probabilistic matrix factorisation: the product of two factors of low rank that fits the known cells, found by
// alternating least squares (Mnih and Salakhutdinov, NIPS 2007; the settings are those of Gavel's public code). Every
// cell of the answer is filled, known ones approximately. The same input gives the same bytes.
// kInvalidArgument for ragged rows, a matrix without cells, rank 0 or a penalty that is not above 0.
[[nodiscard]] Result<std::vector<std::vector<double>>> complete(const PartialMatrix& known,
                                                                const CompletionSettings& settings);

}  // namespace hadar
