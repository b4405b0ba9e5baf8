// Strong identifiers. Two ids of different kinds never mix.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace hadar {

template <class Tag>
struct Id {
  std::uint64_t value = 0;

  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

using JobId = Id<struct JobTag>;      // 1, 2, … in order of submission; 0 means none
using LeaseId = Id<struct LeaseTag>;  // unique for the life of a cluster; 0 means none
using RoundId = Id<struct RoundTag>;  // 1, 2, …
using Term = Id<struct TermTag>;      // rises at each start of the scheduler; fences its commands
using Epoch = Id<struct EpochTag>;    // rises when a node is declared lost; fences that node

using NodeName = std::string;
using GpuType = std::string;  // data, never an enum: "V100", "RTX 3090"

// One copy of a job. An unforked job has the single fork 0.
struct ForkId {
  JobId job;
  std::uint32_t fork = 0;

  friend constexpr auto operator<=>(const ForkId&, const ForkId&) = default;
};

}  // namespace hadar

template <class Tag>
struct std::hash<hadar::Id<Tag>> {
  std::size_t operator()(const hadar::Id<Tag>& id) const noexcept { return std::hash<std::uint64_t>{}(id.value); }
};
