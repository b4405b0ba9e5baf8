// Gangs that stay on one GPU type where they can, for policies that do not price GPUs. Each of these looks only at what
// is free in the plan and never changes it; an empty gang means that none fits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "actors/policy/plan_builder.hpp"

namespace hadar {

// The job's gang on one type: the one it holds; otherwise on one node, where fewest GPUs are taken back from running
// jobs, then where fewest are left over; otherwise on as few nodes as it takes.
[[nodiscard]] Gang gang_on_type(const PlanBuilder& plan, std::size_t j, std::uint32_t type);

// The job's gang over whatever it allows, on as few nodes as it takes, a node's types in the order of `types`.
[[nodiscard]] Gang gang_on_any(const PlanBuilder& plan, std::size_t j, const std::vector<std::uint32_t>& types);

// Blind to speed: of one type on one node, where fewest GPUs are taken back, then left over; otherwise of the type that
// needs fewest nodes; otherwise over several types.
[[nodiscard]] Gang tightest_gang(const PlanBuilder& plan, std::size_t j);

// On the job's fastest type that has room for the whole gang; over several types only when no type has. A gang the
// job holds is preferred to another of the same types.
[[nodiscard]] Gang fastest_gang(const PlanBuilder& plan, std::size_t j);

// The first held allocation of the job that could be renewed as this plan stands, by its place in JobView::held.
[[nodiscard]] std::optional<std::size_t> renewable(const PlanBuilder& plan, std::size_t j);

// Makes a gang that fits the job's only one; a gang the job holds already is renewed.
void give(PlanBuilder& plan, std::size_t j, const Gang& gang);

}  // namespace hadar
