// Which nodes carry which forks.
#pragma once

#include <cstdint>
#include <vector>

#include "actors/policy/hadare/fork_forecast.hpp"
#include "actors/policy/hadare/fork_terms.hpp"
#include "actors/policy/placing.hpp"

namespace hadar {

// Plans forks over a PlanBuilder for one round. A job that is not forkable, that fits no single node, or that only one
// node can carry, gets one gang that renews itself, as under `hadar`; so does a fork that stands alone. Everything else
// ends at the border and merges. The plan, the valuation and the terms must outlive it.
class ForkPlanner {
 public:
  ForkPlanner(PlanBuilder& plan, const Valuation& value, const ForkTerms& terms, const PlacingSettings& placing,
              const Waits& waits);

  // Places all it can. In an early replan jobs with steps still to issue extend to the free nodes first.
  void place(ForkRule rule);

 private:
  struct Host {
    double speed = 0;
    std::uint32_t node = 0;
  };

  void gather();
  void spread();
  void extend_started();
  void fork_idle_nodes();
  void gather_job(std::size_t j);
  void place_on(std::size_t j, std::uint32_t node);
  void add_forks(std::size_t j, const std::vector<Host>& hosts);
  bool loosen(std::size_t j);
  void start_alone(std::size_t j);
  void explain_border(std::size_t j);
  [[nodiscard]] std::vector<Host> free_hosts(std::size_t j) const;
  [[nodiscard]] std::vector<Host> choose_hosts(std::size_t j, double left, ForkSpeeds& speeds) const;
  [[nodiscard]] std::vector<std::size_t> soonest_first() const;
  [[nodiscard]] ForkSpeeds planned(std::size_t j) const;
  [[nodiscard]] bool ends_before_border(std::size_t j, const ForkSpeeds& speeds) const;

  PlanBuilder& plan_;
  const Valuation& value_;
  const ForkTerms& terms_;
  PlacingSettings placing_;
  const Waits& waits_;
  bool room_comes_ = false;  // a job of this plan ends before the border: others may extend then
};

}  // namespace hadar
