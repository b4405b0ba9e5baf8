// Puts a round's jobs into a share problem.
#pragma once

#include <map>
#include <vector>

#include "actors/policy/cluster_index.hpp"
#include "actors/policy/gavel/gavel_rules.hpp"
#include "actors/policy/settings.hpp"
#include "messages/types/round.hpp"

namespace hadar {

struct QuestionSettings {
  std::map<std::string, double> prices;          // per GPU and hour, by type
  std::map<std::string, double> entity_weights;  // by user; 1 for others
  EntityRule entity_rule = EntityRule::kFairness;
  std::uint64_t seed = 0;
};

// The settings `price.<type>`, `entity_weight.<user>`, `entity_rule` ("fairness", "fifo") and `seed`.
[[nodiscard]] QuestionSettings read_question_settings(SettingsReader& reader);

// The question over some jobs of a round (rising places in `input.jobs`) at `now_s` of cluster time. `speeds` has their
// steps/s by type of `cluster`, 0 = cannot run. Prices that nobody gave: the published ones of Gavel's evaluation for
// V100, P100 and K80, otherwise the mean of the known. Entities are users. Pairs only for rules that share GPUs.
[[nodiscard]] ShareProblem share_problem(const RoundInput& input, const ClusterIndex& cluster,
                                         const std::vector<std::size_t>& jobs,
                                         const std::vector<std::vector<double>>& speeds, const GavelRule& rule,
                                         const QuestionSettings& settings, double now_s);

// Steps/s of both jobs side by side, by type of `cluster`; empty when they cannot share.
[[nodiscard]] std::vector<std::array<double, 2>> pair_speeds(const RoundInput& input, const ClusterIndex& cluster,
                                                             const JobView& a, const JobView& b);

// Fingerprint of all that shares depend on, but for what changes by itself: steps done and time gone by.
[[nodiscard]] std::uint64_t fingerprint_of(const ShareProblem& problem);

}  // namespace hadar
