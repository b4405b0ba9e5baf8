// The mechanisms' states as bytes.
#pragma once

#include <optional>
#include <string>

#include "actors/policy/round_mechanism/gavel_2022.hpp"

namespace hadar {

// Numbers in full double precision.
[[nodiscard]] std::string write_memory(const Gavel2022State& state);
// Nothing when the bytes are no such state over `types` types, as after a change of policy.
[[nodiscard]] std::optional<Gavel2022State> read_gavel_2022(const std::string& memory, std::size_t types);

}  // namespace hadar
