// Which forks count in a merge, and for how much. Pure; the weights themselves are summed elsewhere.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/types/event.hpp"
#include "messages/types/lease.hpp"
#include "messages/types/model.hpp"
#include "messages/types/result.hpp"

namespace hadar {

// How the forks' average becomes the next version.
enum class OuterKind : std::uint8_t {
  kAverage,   // it is the next version (HadarE)
  kNesterov,  // a step from the base towards it, with momentum (as DiLoCo)
  kFedNova,   // forks' changes are normalised by their steps first (FedNova)
};

// next = base + learning_rate x (momentum x m' + change), m' = momentum x m + change,
// change = base_coefficient x base + sum of coefficient x weights over the members that are in, less the base;
// m is kept from merge to merge and starts at 0. For the plain average and FedNova the rate is 1 and the momentum 0, so
// next = base_coefficient x base + sum of coefficient x weights.
struct OuterStep {
  OuterKind kind = OuterKind::kAverage;
  double base_coefficient = 0;
  double learning_rate = 1;
  double momentum = 0;

  friend bool operator==(const OuterStep&, const OuterStep&) = default;
};

// "average", "nesterov" or "fednova"; kInvalidArgument lists them.
[[nodiscard]] Result<OuterKind> outer_kind(std::string_view name);

// One report in a merge.
struct MergeMember {
  LeaseId lease;
  ForkId fork;
  std::uint64_t steps = 0;
  std::uint64_t samples = 0;
  bool in = false;
  bool open = false;       // a checkpoint of a lease that goes on
  std::string reason;      // why it is out; empty when in
  double coefficient = 0;  // of its weights; 0 when out
  BlobRef weights;
};

struct MergePlan {
  std::vector<MergeMember> members;  // in the order of the reports
  std::uint64_t credited = 0;        // steps of those that are in
  bool has_weights = false;          // false: nothing to sum, the version only counts steps
  OuterStep outer;

  // Nobody is in: the base stays, nothing is credited.
  [[nodiscard]] bool empty() const { return credited == 0; }
  // The members as the Consolidated event tells them.
  [[nodiscard]] std::vector<event::MergedFork> merged_forks() const;
};

struct MergeRequest {
  ModelVersion base;                        // the job's current version
  std::uint64_t steps_left = 0;             // not credited yet
  std::vector<LeaseReport> reports;         // one per lease, in a fixed order
  std::map<LeaseId, std::string> excluded;  // found unfit while reading weights (NaN, other names, shapes, types): why
  OuterKind outer = OuterKind::kAverage;
};

// Decides a merge. A report is in iff it did steps, its base is the current version, its numbers are finite, it carries
// weights when any report of the merge does or the base has some, and it was not excluded. Coefficients are in
// proportion to samples (steps where no report counted samples) and sum to 1 over those in; FedNova weighs a fork's
// change by tau / steps_i with tau the mean of steps over samples, and gives the rest to the base (Wang et al., NeurIPS
// 2020). Without base weights, as at the first merge, every outer step is the plain average.
// Credited is the sum of steps of those in: quotas never exceed what is left, so a sum above `steps_left` is a broken
// promise and fails with kInternal.
[[nodiscard]] Result<MergePlan> plan_merge(const MergeRequest& request);

}  // namespace hadar
