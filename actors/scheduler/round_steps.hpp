// The pure steps of a round: what the policy is given, and what its plan means for leases.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "actors/local_messages.hpp"
#include "messages/types/round.hpp"

namespace hadar {

// Allocations planned at a border whose GPUs or job were not free yet. They keep their GPUs reserved until they can be
// granted or the next border comes.
struct PendingGrants {
  std::vector<Allocation> allocations;
  std::vector<Allocation> leaving;  // taken back at that border: while one is held, its job's base will still move on

  [[nodiscard]] bool reserves(const NodeName& node, std::uint32_t gpu) const;
  [[nodiscard]] bool waits(JobId job) const;
};

// Makes `usable` the capacity for a planner: nodes that are up, without the GPUs of `reserved`. What it holds already
// is kept where it is right, so that the last round's is a cheap start.
void refresh_usable(std::vector<NodeCapacity>& usable, const CapacityViewed& viewed,
                    std::initializer_list<std::span<const Allocation>> reserved);

// Views of jobs that are not waiting for a pending grant.
JobViews plannable_jobs(JobViews jobs, const PendingGrants& pending);

// Whether a job has unissued steps and is not merging: without one an early replan has nothing to do.
bool wants_gpus(const JobViews& jobs);

// Whether an early replan could give anything away: such a job, and an idle GPU.
bool worth_replanning(const RoundInput& input);

// What the ledger was last told of each job, so that a record carries only what it does not know.
class ToldOutcomes {
 public:
  // Of the outcomes of a plan (rising jobs) those whose kind or code is new since the last call. Jobs that are not in
  // the plan are forgotten. An early replan is about idle GPUs only: that a job still waits, if for another reason,
  // is no news then.
  std::vector<Outcome> news(const std::vector<Outcome>& outcomes, bool early);

 private:
  struct Told {
    JobId job;
    OutcomeKind kind = OutcomeKind::kWaiting;
    std::string code;
  };
  std::vector<Told> told_;  // rising jobs
};

struct Extension {
  LeaseId lease;
  JobId job;
  std::uint64_t quota_steps = 0;  // new total of the lease
  double train_for_s = 0;         // from now; 0 = it renews
};

struct PlanSteps {
  std::vector<LeaseId> revoke;
  std::vector<Allocation> grant;  // now
  PendingGrants pending;          // when their GPUs and job are free
  std::vector<Extension> extend;
};

// Compares a plan with what is held. Never revokes in an early replan.
PlanSteps steps_of(const RoundPlan& plan, const RoundInput& input, const CapacityViewed& viewed);

// Whether there are GPUs that a pending allocation may have now, its job's old ones given back, or that none waits for.
bool any_use(const CapacityViewed& viewed, const PendingGrants& pending);

// Pending allocations that can be granted now are moved out of `pending`.
std::vector<Allocation> ready_grants(PendingGrants& pending, const JobViews& jobs, const CapacityViewed& viewed);

// The leases of allocations: ids from `next` on, one per node. `left_s` is the time to the border; a fork that merges
// there gets the rest of it minus its job's merge time (moving average, at most a tenth of the round).
std::vector<Lease> leases_of(const std::vector<Allocation>& allocations, const RoundInput& input, double left_s,
                             LeaseId& last);

}  // namespace hadar
