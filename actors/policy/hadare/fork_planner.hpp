// Which nodes carry which forks.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "actors/policy/placing.hpp"

namespace hadar {

enum class ForkRule {
  kGather,  // all nodes to the job soonest done, then to the next
  kSpread,  // one gang per job, warm; nodes left idle fork for the job soonest done
};

struct ForkSettings {
  double merge_efficiency = 1;       // eta: what steps beyond the fastest fork's are worth to progress, 0 to 1
  double merge_s = 0;                // merge time of a job that has none measured; 0 = 3 % of a round
  double least_window = 0.05;        // of a round: the shortest training a fork is started for
  std::uint32_t max_forks = 16;      // of one job at once
  std::size_t predict_most = 16;     // jobs and nodes up to which both rules are played to the end and compared
  std::size_t predict_budget = 400;  // states of the dynamic program while predicting
};

// Plans forks over a PlanBuilder for one round. A job that is not forkable, that fits no single node, or that only one
// node can carry, gets one gang that renews itself, as under `hadar`. Everything else ends at the border and merges.
// The plan and the valuation must outlive it. Progress of k forks at speeds s is max(s) + eta (sum(s) - max(s)).
class ForkPlanner {
 public:
  ForkPlanner(PlanBuilder& plan, const Valuation& value, const ForkSettings& forks, const PlacingSettings& placing,
              const Waits& waits);

  // The rule whose predicted mean completion time plus makespan, merges included, is smaller. Beyond `predict_most`
  // jobs or nodes: gather from eta 0.85 up, spread below, where forking pays less than it costs.
  [[nodiscard]] ForkRule choose();
  // Places all it can. In an early replan jobs with steps still to issue extend to the free nodes first.
  void place(ForkRule rule);
  // Seconds from now until all jobs are done under a rule, each at once replanned: mean completion time + makespan.
  [[nodiscard]] double predict(ForkRule rule);

 private:
  void gather();
  void spread(const PlacingSettings& placing);
  void extend_started();
  void fork_idle_nodes();
  void fork(std::size_t j, bool extend);
  void add_forks(std::size_t j, std::vector<std::uint32_t> nodes);
  bool fork_onto(std::size_t j, std::uint32_t node);
  void start_alone(std::size_t j);
  [[nodiscard]] std::vector<std::size_t> soonest_first() const;
  [[nodiscard]] std::uint32_t hosts(std::size_t j, std::uint32_t type) const;
  [[nodiscard]] bool forks_at_all(std::size_t j) const;
  [[nodiscard]] double speed_on(std::size_t j, std::uint32_t node) const;
  [[nodiscard]] double merge_s(std::size_t j) const;
  [[nodiscard]] double usable_s(std::size_t j) const;
  [[nodiscard]] double least_s(std::size_t j) const;
  [[nodiscard]] double progress(const std::vector<double>& speeds) const;
  [[nodiscard]] double planned_progress(std::size_t j) const;
  [[nodiscard]] bool worth_starting(std::size_t j, double speed) const;

  PlanBuilder& plan_;
  const Valuation& value_;
  ForkSettings forks_;
  PlacingSettings placing_;
  const Waits& waits_;
  std::vector<double> left_;  // steps, per job; 0 once done in a prediction
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> hosts_;  // (type, gang size) → nodes that fit it
};

}  // namespace hadar
