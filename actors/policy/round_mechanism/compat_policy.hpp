// The mechanism of gavel_2022.hpp as a policy.
#pragma once

#include <memory>

#include "actors/policy/policy.hpp"
#include "actors/policy/round_mechanism/share_question.hpp"

namespace hadar {

struct CompatSettings {
  double reset_gap_s = 1920;
  double start_s = 0;          // cluster time that is the mechanism's 0
  double last_arrival_s = -1;  // after `start_s`: no job comes later; below 0 = unknown
  QuestionSettings question;
};

// Follows the mechanism's own exact time, which the cluster's must match: every round starts when all leases of the
// last have ended, trainers start and stop in no time, and run at the declared speeds. Refuses (kInvalidArgument) to
// plan while a lease is held.
[[nodiscard]] std::unique_ptr<Policy> make_compat_policy(const GavelRule& rule, CompatSettings settings);

}  // namespace hadar
