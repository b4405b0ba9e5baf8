// What gangs are worth to the jobs of a round, and what they cost.
#pragma once

#include <vector>

#include "actors/policy/gang_prices.hpp"
#include "actors/policy/plan_builder.hpp"
#include "actors/pricing/utility.hpp"
#include "actors/throughput/job_speeds.hpp"

namespace hadar {

struct ValueSettings {
  UtilitySettings utility{};
  double stay_bonus = 0.05;  // a gang that stays put is worth this much more
  double probe_bonus = 0.3;  // a gang with a GPU of a type whose speed is only guessed is worth this much more: about
                             // as much as guesses are off, so that a type is tried while it may be the better one
  double switch_s = 0;       // time lost by a job that moves; 0 = its measured merge time, else 1 % of the round
};

// One gang for one job.
struct Offer {
  Gang gang;
  double steps_per_s = 0;
  double utility = 0;  // of this round, after what switching costs
  double price = 0;    // of its GPUs
  bool stays = false;  // equals what the job holds

  [[nodiscard]] double payoff() const { return utility - price; }
};

// Values over one PlanBuilder, which must outlive it; looks at its cluster and jobs, and at what is free only for
// prices that depend on it.
class Valuation {
 public:
  Valuation(const PlanBuilder& plan, const ValueSettings& settings);

  [[nodiscard]] const JobSpeeds& speeds(std::size_t j) const { return speeds_[j]; }
  // Steps still to be done, as far as known; at least 1.
  [[nodiscard]] double steps_left(std::size_t j) const { return jobs_[j].steps_left; }
  [[nodiscard]] double weight(std::size_t j) const { return jobs_[j].weight; }
  // Speed of a gang, steps/s.
  [[nodiscard]] double speed(std::size_t j, const Gang& gang) const;
  // Utility of a round at a speed, nothing taken off.
  [[nodiscard]] double utility_at(std::size_t j, double steps_per_s) const;
  [[nodiscard]] const GangPrices& prices() const { return prices_; }
  // The gang with everything counted: utility x (1 - switching time / round) when it moves, x (1 + bonus) when it
  // stays, x (1 + probe bonus) when the speed on one of its types is a guess.
  [[nodiscard]] Offer offer(std::size_t j, Gang gang) const;
  // What no gang whose slowest member is of type speeds(j).order()[place] gains more than: its payoff when `priced`,
  // else its utility. Exact for a job of one GPU that holds nothing.
  [[nodiscard]] double most_gain(std::size_t j, std::size_t place, bool priced) const;
  // The most the job could gain per GPU on idle GPUs of its best type: the order in which jobs are looked at.
  [[nodiscard]] double density(std::size_t j) const;

 private:
  [[nodiscard]] double switching_factor(std::size_t j) const;

  const PlanBuilder* plan_;
  ValueSettings settings_;
  const std::vector<JobSpeeds>& speeds_;
  std::vector<UtilityJob> jobs_;
  GangPrices prices_;
};

}  // namespace hadar
