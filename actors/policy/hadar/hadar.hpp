// Hadar (Sultana et al., arXiv 2503.10918; IPDPS 2024): prices, payoffs, and gangs over several GPU types.
#pragma once

#include "actors/policy/placing.hpp"
#include "actors/policy/policy.hpp"
#include "actors/policy/settings.hpp"

namespace hadar {

// Every round each job's gang is chosen so that the sum of payoffs (utility of the round minus the price of its GPUs)
// is largest; gangs may span nodes and mix types. Jobs keep their GPUs between borders; at a border any job may move,
// which costs it its switching time, and a gang that stays earns a small bonus.
//
// The paper ranks by the level of a utility of completion time under an exponential price. Measured against Gavel that
// form lost mean completion time; the default here weighs what a job loses by waiting one more round for the mean
// completion time and for the makespan, under prices at which demand meets supply: for 480 jobs on 60 GPUs it ends
// within some hundredths of the least makespan and still shortens the mean completion time. The paper's forms stay
// available: utility = "inverse-slowdown", and [prices] form = "exponential".
//
// Settings: utility ("jct-makespan", or another of utility_names), beta (7), quota.USER (a user's part of all GPUs),
// stay_bonus (0.05), probe_bonus (0.3), switch_s (0 = measured), window (64), budget (1000), exact (false),
// max_wait_rounds (500).
[[nodiscard]] Result<std::unique_ptr<Policy>> make_hadar(const PolicySettings& settings);

// The settings that `hadar` and `hadare` share.
[[nodiscard]] ValueSettings read_value_settings(SettingsReader& reader);
[[nodiscard]] PlacingSettings read_placing_settings(SettingsReader& reader);

}  // namespace hadar
