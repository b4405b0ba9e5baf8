// When two leases may have the same GPUs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "messages/types/lease.hpp"

namespace hadar {

// Whether two leases have a GPU in common, by their rising indices on one node.
inline bool overlap(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](auto gpu) { return std::binary_search(b.begin(), b.end(), gpu); });
}

// Whether two leases of one node may both have their GPUs: the very same ones, and one names the other's job.
inline bool may_share(const Lease& a, const Lease& b) {
  return a.gpus == b.gpus && a.fork.job != b.fork.job && (a.shares_with == b.fork.job || b.shares_with == a.fork.job);
}

}  // namespace hadar
