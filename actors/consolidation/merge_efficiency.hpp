// How much of what slower forks add a merge keeps: eta, fitted to what the forks' weights scored. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "messages/types/job.hpp"

namespace hadar {

// What one fork brought into a merge.
struct ForkScore {
  std::uint64_t steps = 0;
  Metrics metrics;  // of its weights before the merge
};

// What the weights of one fork scored, after `sure + eta x beyond` effective steps.
struct ProgressPoint {
  double sure = 0;    // steps of each merge's fastest fork, then its own
  double beyond = 0;  // steps of the other forks of those merges
  double score = 0;
};

// A job's merges, and what they tell of eta. A merge of forks with s_i steps moves the model on by
// max(s) + eta (sum(s) - max(s)) effective steps. A fork's own score is measured after its own steps from the merged
// model, so that forks of unlike lengths trace the learning curve between merges, and eta is what makes all of them lie
// on one curve.
class MergeProgress {
 public:
  // One merge, or one lone report; `target` is the metric the job is judged by, empty = any.
  void add(std::span<const ForkScore> forks, const std::string& target);

  // Steps credited on forks beyond each merge's fastest.
  [[nodiscard]] std::uint64_t beyond() const { return beyond_; }
  // Absent before kLeastMerges merges with scores, and while the scores leave eta open.
  [[nodiscard]] std::optional<double> fitted() const;

  static constexpr std::uint32_t kLeastMerges = 2;

 private:
  std::uint64_t sure_ = 0;
  std::uint64_t beyond_ = 0;
  std::uint32_t merges_ = 0;  // of two or more forks, with scores since
  std::string metric_;
  std::vector<ProgressPoint> points_;  // the newest
};

// The mean of eta's distribution given the points, from a flat prior over 0 to 1; absent when its standard deviation
// stays above kMostDoubt. Curves are c + a (1 + x / d)^-p: losses that fall, and accuracies that rise, to a floor.
[[nodiscard]] std::optional<double> fit_merge_efficiency(std::span<const ProgressPoint> points);

}  // namespace hadar
