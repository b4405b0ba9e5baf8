// The mechanism under every policy: a copy of the round's GPUs on which a plan is tried, changed, and finished.
// It keeps the rules, so that a policy only has to choose:
//   - a GPU is idle, or held by a lease this plan may take back; never two owners, but for two jobs that share all of
//     their GPUs on purpose;
//   - a gang is whole: its parts sum to the job's GPUs, all of allowed types;
//   - a job has at most one fork on a node; a fork that renews itself stands alone;
//   - quotas of one job never exceed the steps not yet issued;
//   - in an early replan every held allocation is immovable and repeated unchanged;
//   - every job ends with an outcome and a reason with numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "actors/policy/cluster_index.hpp"
#include "actors/policy/node_groups.hpp"
#include "actors/throughput/job_speeds.hpp"
#include "messages/types/result.hpp"
#include "messages/types/round.hpp"

namespace hadar {

// A fork's place in the plan under construction.
struct Grant {
  std::uint32_t fork = 0;
  Gang gang;  // empty when `held` lies on nodes this round may not use
  double steps_per_s = 0;
  bool ends_at_border = false;
  double usable_s = 0;                   // how long a fork that ends at the border trains
  const Allocation* held = nullptr;      // set: this held allocation is repeated unchanged
  std::optional<std::size_t> partner{};  // the job on the very same GPUs
  bool rides = false;                    // its GPUs are counted with the partner's
};

// Works by numbers: jobs by their place in the input, nodes and types by ClusterIndex. GPUs are counted per (node,
// type) while planning; `finish` names them, and names those a job already holds first. At a border the GPUs of held
// allocations that may be taken back count as free: whoever carries the plan out waits for their release.
// The input must outlive the builder. Single thread. Moves, does not copy.
class PlanBuilder {
 public:
  // Fails with kInvalidArgument, naming the place, when the input contradicts itself: unordered jobs or nodes, a GPU
  // held twice, an idle GPU its node does not have, no time left. A GPU both idle and held counts as held (its report
  // is on its way).
  [[nodiscard]] static Result<PlanBuilder> make(const RoundInput& input);

  [[nodiscard]] const RoundInput& input() const { return *input_; }
  [[nodiscard]] const ClusterIndex& cluster() const { return cluster_; }
  [[nodiscard]] std::size_t jobs() const { return states_.size(); }
  [[nodiscard]] const JobView& job(std::size_t j) const { return *input_->jobs[j]; }
  // How fast a job runs on the cluster's types; read from its estimates when first asked for.
  [[nodiscard]] const JobSpeeds& speeds(std::size_t j) const;
  // Of every job.
  [[nodiscard]] const std::vector<JobSpeeds>& speeds() const;

  // False for a job that must not get anything new: it is merging or about to (a fork of the round that ended has not
  // reported yet), or all its steps are issued to leases about to end.
  [[nodiscard]] bool plannable(std::size_t j) const { return states_[j].plannable; }
  // Steps that new grants of a job may share: those never issued, and at a border also what held allocations that are
  // not repeated leave undone, as far as known.
  [[nodiscard]] std::uint64_t steps_available(std::size_t j) const;
  [[nodiscard]] bool allows(std::size_t j, std::uint32_t type) const {
    return allowed_[j * cluster_.types() + type] != 0;
  }
  [[nodiscard]] bool has_grant(std::size_t j) const { return !states_[j].grants.empty(); }
  [[nodiscard]] const std::vector<Grant>& grants(std::size_t j) const { return states_[j].grants; }
  // Whether a fork of the job already has a place on the node.
  [[nodiscard]] bool on_node(std::size_t j, std::uint32_t node) const;
  // The lowest fork number the job uses nowhere, neither in this plan nor in a held allocation.
  [[nodiscard]] std::uint32_t unused_fork(std::size_t j) const;

  // GPUs that a new grant may take.
  [[nodiscard]] std::uint32_t free(std::uint32_t node, std::uint32_t type) const {
    return free_[node * cluster_.types() + type];
  }
  // How many of those nobody holds: taking more takes GPUs back from jobs that could go on.
  [[nodiscard]] std::uint32_t idle(std::uint32_t node, std::uint32_t type) const {
    const auto idle_here = idle_[node * cluster_.types() + type];
    return idle_here > 0 ? static_cast<std::uint32_t>(idle_here) : 0;
  }
  // Nodes grouped by their counts: `free` of every type, then `idle` of every type, then, where prices depend on how
  // full a node is, the installed ones.
  [[nodiscard]] const NodeGroups& groups() const { return groups_; }
  [[nodiscard]] std::uint32_t free_of_type(std::uint32_t type) const { return free_of_type_[type]; }
  // Free GPUs of types the job allows.
  [[nodiscard]] std::uint32_t free_for(std::size_t j) const;

  // Repeats a held allocation (by its place in JobView::held): a renewal that costs nothing. Allowed at a border only,
  // where nothing is repeated by itself but the allocations of jobs that are not plannable.
  // kRefused when its GPUs are given away already, or when it ends at the border by its nature.
  [[nodiscard]] Status keep(std::size_t j, std::size_t held);
  // Gives a job its only gang, which renews itself until the job is done. `steps_per_s` > 0 is its expected speed.
  // Equal to a held, self-renewing allocation, it becomes its renewal. kRefused with the broken rule.
  [[nodiscard]] Status allocate(std::size_t j, std::uint32_t fork, const Gang& gang, double steps_per_s);
  // Gives two jobs of equal gang size the very same GPUs, each as its only gang; speeds are those side by side. What
  // one of them, or both together, hold so already is renewed. kRefused with the broken rule.
  [[nodiscard]] Status allocate_shared(std::size_t a, std::size_t b, const Gang& gang, double a_steps_per_s,
                                       double b_steps_per_s);
  // Gives a fork that merges at the border a gang. `usable_s` > 0: how much of the window is left for training once
  // the time to merge is taken off; its quota follows from it.
  [[nodiscard]] Status allocate_fork(std::size_t j, std::uint32_t fork, const Gang& gang, double steps_per_s,
                                     double usable_s);
  // Undoes one grant of this plan. kNotFound when the fork has none; kRefused when it is immovable or shares its GPUs.
  [[nodiscard]] Status release(std::size_t j, std::uint32_t fork);

  // A point to come back to. Rolling back to it undoes every keep, allocate and release since; newer points are void.
  [[nodiscard]] std::size_t checkpoint() const { return log_.size(); }
  void rollback(std::size_t point);

  // The reason a job without GPUs is shown, instead of the one worked out from the counts.
  void explain(std::size_t j, Reason reason, OutcomeKind kind = OutcomeKind::kWaiting);

  // The finished plan. A fork that ends at the border gets its quota for its usable time at its speed, scaled down when
  // the job's last steps are shared out; a fork whose share is 0 is left out.
  [[nodiscard]] RoundPlan finish(std::string memory) const;

 private:
  struct JobState {
    bool plannable = true;
    bool fixed = false;              // its held allocations are immovable
    std::uint32_t fixed_grants = 0;  // the first so many grants are immovable
    std::vector<Grant> grants;
    std::unique_ptr<Outcome> explained;
  };
  struct Change {
    bool added = true;
    std::uint32_t job = 0;
    std::uint32_t place = 0;
    Grant grant;
  };
  using Owner = std::int32_t;          // the job that holds a GPU, or one of these
  static constexpr Owner kFixed = -3;  // held by an immovable allocation
  static constexpr Owner kUnusable = -2;
  static constexpr Owner kIdle = -1;
  static constexpr Owner kNobody = -1;

  PlanBuilder(const RoundInput& input, ClusterIndex cluster);
  Status read_jobs();
  Status read_idle();
  Status read_held(std::size_t j);
  [[nodiscard]] Gang known_part(const Allocation& allocation) const;
  [[nodiscard]] Grant repeated(std::size_t j, const Allocation& held) const;
  Status claim(std::size_t j, const GpuSlice& slice, std::uint32_t node, const Allocation& held);
  [[nodiscard]] bool holds_same(std::size_t j, const Allocation& held) const;
  [[nodiscard]] std::optional<std::size_t> held_as(std::size_t j, const Gang& gang) const;
  [[nodiscard]] Status check(std::size_t j, const Grant& grant) const;
  [[nodiscard]] Status check_parts(std::size_t j, const Grant& grant) const;
  void take(const Grant& grant);
  void give_back(const Grant& grant);
  void count_free();
  [[nodiscard]] bool alike(std::uint32_t a, std::uint32_t b) const;
  void regroup(std::uint32_t node);
  // Of the GPUs of a node.
  [[nodiscard]] std::span<Owner> owners_on(std::uint32_t node) {
    return {owners_.data() + cluster_.first_gpu(node), owners_.data() + cluster_.first_gpu(node + 1)};
  }
  void add(std::size_t j, Grant grant);
  void share_quotas(std::size_t j, std::span<std::uint64_t> quotas) const;
  [[nodiscard]] Outcome outcome(std::size_t j, std::span<const Allocation> planned) const;
  [[nodiscard]] Reason waiting_reason(std::size_t j) const;

  const RoundInput* input_;
  ClusterIndex cluster_;
  std::vector<JobState> states_;
  mutable std::vector<JobSpeeds> speeds_;      // of no type: not read yet
  std::vector<std::uint8_t> allowed_;          // per (job, type)
  std::vector<Owner> owners_;                  // per GPU
  std::vector<std::array<Owner, 2>> holders_;  // per GPU: jobs, kNobody where there are fewer
  std::vector<std::uint32_t> free_;            // per (node, type)
  std::vector<std::int64_t> idle_;             // the same without held ones; below 0 when some were taken
  std::vector<std::uint32_t> free_of_type_;
  NodeGroups groups_;
  std::vector<std::uint32_t> counts_;  // of one node, for regroup
  std::vector<Change> log_;

  friend class GpuNaming;
};

}  // namespace hadar
