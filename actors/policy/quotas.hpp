// Shares out steps among the forks of a job.
#pragma once

#include <cstdint>
#include <vector>

namespace hadar {

// `total` split in proportion to `weights` (all >= 0, at least one > 0) by largest remainder: the shares sum to `total`
// exactly, equal remainders go to the earlier index.
[[nodiscard]] std::vector<std::uint64_t> largest_remainder(std::uint64_t total, const std::vector<double>& weights);

// Quotas of forks that train side by side, each for its `usable_s` at its `steps_per_s`: floor(speed x time), at
// least 1. When those exceed `steps_left`, `steps_left` is split by speed instead, so that all forks end together and
// the last round is exact; a fork may then get 0 (it is not needed). HadarE (arXiv 2503.10918) lets stronger nodes do
// more steps and leaves the split open; ours is proportional to speed.
[[nodiscard]] std::vector<std::uint64_t> fork_quotas(std::uint64_t steps_left, const std::vector<double>& steps_per_s,
                                                     const std::vector<double>& usable_s);

}  // namespace hadar
