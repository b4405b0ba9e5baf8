// Dynamic programming over a queue of jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/policy/gang_search.hpp"

namespace hadar {

struct QueueSettings {
  bool priced = false;        // gains are payoffs
  std::size_t budget = 1000;  // states opened at most, scaled down with the cluster; then each further job takes its
                              // best paying offer
  bool exact = false;         // every gang is tried instead of those of `offers`, and the budget is not scaled down:
                              // for small clusters
};

// Chooses one offer or none for each job so that the sum of what they gain is largest: payoffs, or plain utilities when
// nobody outside the program wants the GPUs, since their price stands for others' demand. Memo by (job, free GPUs) with
// like nodes exchanged: nodes are alike when they have the same free GPUs, network, and none of the jobs holds anything
// there. What cannot gain more than the best found is not opened.
class QueueProgram {
 public:
  QueueProgram(PlanBuilder& plan, const Valuation& value, std::vector<std::size_t> jobs, const QueueSettings& settings);

  // Allocates the choice in the plan. Returns the sum of gains.
  double place();
  // States opened by `place`, and whether the budget sufficed for an exact answer.
  [[nodiscard]] std::size_t states() const { return memo_.size(); }
  [[nodiscard]] bool exact() const { return exact_; }

 private:
  static constexpr std::int32_t kSkip = -1;
  struct Best {
    double gain = 0;
    std::int32_t choice = kSkip;  // place among the job's offers
  };

  [[nodiscard]] std::string key(std::size_t place) const;
  [[nodiscard]] double gain(const Offer& offer) const { return settings_.priced ? offer.payoff() : offer.utility; }
  [[nodiscard]] std::vector<Offer> choices(std::size_t j) const;
  [[nodiscard]] double most_from(std::size_t place) const;
  Best solve(std::size_t place);
  Best open(std::size_t place);

  PlanBuilder& plan_;
  const Valuation& value_;
  std::vector<std::size_t> jobs_;
  QueueSettings settings_;
  bool exact_ = true;
  std::vector<std::vector<double>>
      most_;  // per place and type in the job's order: what no gang with it gains more than
  std::vector<std::uint32_t> node_class_;  // equal for nodes that may be exchanged
  std::vector<std::uint32_t> rare_nodes_;  // all but those of the largest class
  std::unordered_map<std::string, Best> memo_;
};

}  // namespace hadar
