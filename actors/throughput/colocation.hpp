// How much of its own speed a job keeps beside another on the same GPU, known for some pairs and estimated for the
// rest.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "actors/throughput/matrix_completion.hpp"
#include "messages/types/result.hpp"

namespace hadar {

// One job type's kept speeds, by (GPU type, partner): speed beside the partner divided by speed alone, 0 to 1.
using KeptSpeeds = std::vector<double>;
using ProfiledSpeeds = std::vector<std::optional<double>>;

struct ColocationEstimate {
  std::size_t reference = 0;  // the reference type it is most like
  KeptSpeeds kept;            // that type's row
};

// Estimates a new job type from a few measured pairs: its row is completed together with those of the reference types,
// which are known in full, and the reference nearest by cosine is taken for it (Gavel's estimator, OSDI'20 section 6;
// after Quasar, ASPLOS'14). Rows have the same length. Errors as complete().
[[nodiscard]] Result<ColocationEstimate> estimate_colocation(const std::vector<KeptSpeeds>& references,
                                                             const ProfiledSpeeds& profiled,
                                                             const CompletionSettings& settings);

struct ColocationCheck {
  std::size_t job_types = 0;      // estimated: all but the references
  std::size_t cells = 0;          // left out of their profiles
  double mean_error = 0;          // absolute, in parts of the speed alone
  double mean_error_of_mean = 0;  // of the guess "each pair keeps what references keep on average", beside it
};

// Fully known job types, and which of them each column is about.
struct ColocationTable {
  std::vector<KeptSpeeds> rows;
  std::vector<std::size_t> partners;  // of each column, the partner's row
};

// Splits the table: the first `references` types in an order drawn from the seed are references, and only pairs with
// them are looked at; each of the rest is profiled on `fraction` of its cells (also drawn) and estimated; errors are
// over the cells left out. kInvalidArgument unless 1 <= references < rows and 0 < fraction < 1; errors as complete().
[[nodiscard]] Result<ColocationCheck> check_colocation(const ColocationTable& table, std::size_t references,
                                                       double fraction, const CompletionSettings& settings);

}  // namespace hadar
