// When the jobs of a round will be done if their forks are laid out by a rule from now on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "actors/policy/hadare/fork_terms.hpp"

namespace hadar {

enum class ForkRule {
  kGather,  // all nodes to the job soonest done, then to the next
  kSpread,  // one gang per job, warm; nodes left idle fork for the job soonest done
};

// Seconds from now, over the unfinished jobs; weights count in the mean.
struct ForkForecast {
  double mean_completion_s = 0;
  double makespan_s = 0;
};

// Plays a rule to the end of the queue over counts of GPUs per type: each step lays out all GPUs by the rule, then time
// passes to the next completions. Gangs are taken on one type where they fit and forks on as many nodes as hold one;
// a forked job trains for the part of each round that merging and starting leave, a lone gang stays warm. An estimate:
// nodes are not told apart, prices and makespan shares stay those of now, and where many run several end in one step.
// Where jobs queue, the makespan of spreading is what `hadar` makes of the makespan's lower bound, if that is less.
// At most about 512 steps of O(jobs + forks) each.
class ForkForecaster {
 public:
  ForkForecaster(const PlanBuilder& plan, const Valuation& value, const ForkTerms& terms);

  [[nodiscard]] ForkForecast play(ForkRule rule) const;

 private:
  struct Runner {
    std::size_t job = 0;
    double left = 0;  // steps
    double rate = 0;  // worth of steps per second
  };
  using Pool = std::vector<double>;  // free GPUs per type

  [[nodiscard]] double bound_s() const;
  [[nodiscard]] std::vector<Runner> line_up(ForkRule rule) const;
  // Each sets the rates of the runners it reaches, until no GPU is left, and tells how many those are: the first ones.
  std::size_t gather(std::span<Runner> runners) const;
  std::size_t spread(std::span<Runner> runners, double wanted) const;
  [[nodiscard]] double lone(std::size_t j, bool priced, Pool& pool, std::uint32_t& type) const;
  void take_forks(std::size_t j, double left, Pool& pool, ForkSpeeds& speeds, std::uint32_t forks,
                  std::uint32_t own_type) const;

  const PlanBuilder& plan_;
  const Valuation& value_;
  const ForkTerms& terms_;
  Pool gpus_;
  std::vector<double> full_;  // per job: what it is worth to have all nodes, per second
};

}  // namespace hadar
