// What forking costs each job of a round, and what it brings.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "actors/policy/valuation.hpp"

namespace hadar {

struct ForkSettings {
  double merge_efficiency = 1;   // eta of a job that has none measured: what steps beyond the fastest fork's are worth
  double merge_s = 0;            // merge time of a job that has none measured; 0 = 1 % of a round
  double start_s = 0;            // from a fork's lease to its first step
  double least_window = 0.05;    // of a round: the shortest training a fork is started for
  std::uint32_t max_forks = 16;  // of one job at once
};

// The joint speed of forks that train side by side and merge.
class ForkSpeeds {
 public:
  void add(double steps_per_s) {
    fastest_ = steps_per_s > fastest_ ? steps_per_s : fastest_;
    sum_ += steps_per_s;
  }
  // Steps a second as counted, and as they are worth: max(s) + eta (sum(s) - max(s)).
  [[nodiscard]] double sum() const { return sum_; }
  [[nodiscard]] double worth(double eta) const { return fastest_ + eta * (sum_ - fastest_); }

 private:
  double fastest_ = 0;
  double sum_ = 0;
};

// Numbers of one round; the plan and the valuation must outlive it. Looks at the cluster and the jobs, never at what is
// free.
class ForkTerms {
 public:
  ForkTerms(const PlanBuilder& plan, const Valuation& value, const ForkSettings& settings);

  [[nodiscard]] const ForkSettings& settings() const { return settings_; }
  // Nodes with enough GPUs of one type for a gang of the job; 0 for a type it does not allow.
  [[nodiscard]] std::uint32_t hosts(std::size_t j, std::uint32_t type) const;
  // Forkable, and more than one node could carry a fork.
  [[nodiscard]] bool forks(std::size_t j) const { return forks_[j]; }
  // As measured on the job, else on others, else as told.
  [[nodiscard]] double eta(std::size_t j) const { return plan_.job(j).merge_efficiency.value_or(unknown_eta_); }
  // How long a merge takes, a tenth of the round at most, and what is left of this round's window.
  [[nodiscard]] double merge_s(std::size_t j) const;
  [[nodiscard]] double usable_s(std::size_t j) const;
  // Training shorter than this is only worth starting to finish.
  [[nodiscard]] double least_s(std::size_t j) const;
  // Part of a whole round in which a fork that starts and merges trains.
  [[nodiscard]] double training_part(std::size_t j) const;
  // Steps a second of forks of these speeds, as the job is judged.
  [[nodiscard]] double judged(std::size_t j, const ForkSpeeds& speeds) const {
    return plan_.job(j).effective_steps ? speeds.worth(eta(j)) : speeds.sum();
  }
  // What forks of these speeds are worth to the job per second of rounds to come.
  [[nodiscard]] double forked(std::size_t j, const ForkSpeeds& speeds) const {
    return speeds.worth(eta(j)) * training_part(j);
  }

 private:
  const PlanBuilder& plan_;
  ForkSettings settings_;
  double unknown_eta_ = 1;
  std::vector<bool> forks_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> hosts_;  // (type, gang size) → nodes that fit it
};

}  // namespace hadar
