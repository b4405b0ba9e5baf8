#include "actors/scheduler/round_steps.hpp"

#include <gmock/gmock.h>

#include "tests/unit/actors/values.hpp"

namespace hadar {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr double kRound_s = 60;

Allocation on(std::uint64_t job, std::uint32_t fork, const std::string& node, std::uint64_t quota,
              bool at_border = false) {
  return Allocation{{JobId{job}, fork}, {{node, {0}}}, quota, at_border, 10};
}

std::shared_ptr<JobView> view(std::uint64_t job, std::vector<Allocation> held = {}) {
  auto view = std::make_shared<JobView>();
  view->job = JobId{job};
  view->steps_total = 1000;
  view->held = std::move(held);
  return view;
}

Lease lease_for(std::uint64_t id, const Allocation& allocation) {
  auto lease = some_lease(id, allocation.fork.job.value, allocation.fork.fork, allocation.slices.front().node,
                          allocation.quota_steps, allocation.ends_at_border ? 50 : 0);
  return lease;
}

// Nodes n1 to n3 of one GPU each; those in `busy` are under a lease.
CapacityViewed capacity(std::vector<Lease> open) {
  CapacityViewed viewed;
  for (const auto* name : {"n1", "n2", "n3"}) {
    NodeView node;
    node.inventory = some_node(name);
    node.state = NodeState::kUp;
    node.idle_gpus = {0};
    for (const auto& lease : open)
      if (lease.node == name) node.idle_gpus.clear();
    viewed.nodes.push_back(node);
  }
  for (auto& lease : open) viewed.open.push_back(std::make_shared<const Lease>(std::move(lease)));
  return viewed;
}

RoundInput input(JobViews jobs, bool early = false) {
  RoundInput in;
  in.round = RoundId{3};
  in.early = early;
  in.round_s = kRound_s;
  in.window_s = early ? 20 : kRound_s;
  in.jobs = std::move(jobs);
  for (const auto* name : {"n1", "n2", "n3"}) in.nodes.push_back({name, some_node(name).gpus, {0}, 0, 0});
  return in;
}

RoundPlan plan_of(std::vector<Allocation> allocations) {
  RoundPlan plan;
  plan.allocations = std::move(allocations);
  return plan;
}

TEST(RoundSteps, UnchangedAllocationRenewsWithoutAMessage) {
  const auto held = on(1, 0, "n1", 500);
  const auto steps = steps_of(plan_of({held}), input({view(1, {held})}), capacity({lease_for(1, held)}));
  EXPECT_THAT(steps.revoke, IsEmpty());
  EXPECT_THAT(steps.grant, IsEmpty());
  EXPECT_THAT(steps.extend, IsEmpty());
}

TEST(RoundSteps, LeaseThatIsNotInThePlanIsTakenBackAndItsGpuPromisedToTheNext) {
  const auto held = on(1, 0, "n1", 500);
  const auto steps =
      steps_of(plan_of({on(2, 0, "n1", 100)}), input({view(1, {held}), view(2)}), capacity({lease_for(1, held)}));
  EXPECT_THAT(steps.revoke, ElementsAre(LeaseId{1}));
  EXPECT_THAT(steps.grant, IsEmpty()) << "its GPU is not idle yet";
  EXPECT_THAT(steps.pending.allocations, SizeIs(1));
}

TEST(RoundSteps, JobThatMovesWaitsForItsOwnSteps) {
  const auto held = on(1, 0, "n1", 500);
  const auto steps = steps_of(plan_of({on(1, 0, "n2", 500)}), input({view(1, {held})}), capacity({lease_for(1, held)}));
  EXPECT_THAT(steps.revoke, ElementsAre(LeaseId{1}));
  EXPECT_THAT(steps.grant, IsEmpty()) << "n2 is idle, but the base will move on";
  EXPECT_THAT(steps.pending.allocations, SizeIs(1));
}

TEST(RoundSteps, ForkThatEndsAtTheBorderIsLeftAloneThere) {
  const auto held = on(1, 0, "n1", 500, true);
  const auto steps =
      steps_of(plan_of({on(1, 0, "n1", 400, true)}), input({view(1, {held})}), capacity({lease_for(1, held)}));
  EXPECT_THAT(steps.revoke, IsEmpty());
  EXPECT_THAT(steps.pending.allocations, IsEmpty()) << "its job is planned again when it has merged";
}

TEST(RoundSteps, EarlyReplanTakesNothingBack) {
  const auto held = on(1, 0, "n1", 500);
  const auto steps =
      steps_of(plan_of({on(2, 0, "n2", 100)}), input({view(1, {held}), view(2)}, true), capacity({lease_for(1, held)}));
  EXPECT_THAT(steps.revoke, IsEmpty());
  EXPECT_THAT(steps.grant, SizeIs(1));
}

TEST(RoundSteps, ExtensionAddsStepsAndKeepsTheTimeToMerge) {
  const auto held = on(1, 0, "n1", 100, true);
  auto lease = lease_for(1, held);
  lease.quota_steps = 250;  // 150 are done
  auto job = view(1, {held});
  job->merge_s = 3;
  const auto steps = steps_of(plan_of({on(1, 0, "n1", 180, true)}), input({job}, true), capacity({lease}));
  ASSERT_THAT(steps.extend, SizeIs(1));
  EXPECT_EQ(steps.extend.front().quota_steps, 330U);
  EXPECT_DOUBLE_EQ(steps.extend.front().train_for_s, 17) << "20 s to the border, 3 s to merge";
}

TEST(RoundSteps, ExtensionOfALeaseThatRenewsGivesItNoEnd) {
  const auto held = on(1, 0, "n1", 100);
  const auto steps =
      steps_of(plan_of({on(1, 0, "n1", 180)}), input({view(1, {held})}, true), capacity({lease_for(1, held)}));
  ASSERT_THAT(steps.extend, SizeIs(1));
  EXPECT_EQ(steps.extend.front().train_for_s, 0);
}

TEST(RoundSteps, PendingGrantsReserveTheirGpusAndTheirJobs) {
  const PendingGrants pending{{on(1, 0, "n1", 100)}, {}};
  EXPECT_TRUE(pending.reserves("n1", 0));
  EXPECT_FALSE(pending.reserves("n2", 0));
  std::vector<NodeCapacity> nodes;
  refresh_usable(nodes, capacity({}), {pending.allocations});
  ASSERT_THAT(nodes, SizeIs(3));
  EXPECT_THAT(nodes[0].idle_gpus, IsEmpty());
  EXPECT_THAT(nodes[1].idle_gpus, ElementsAre(0));
  EXPECT_THAT(plannable_jobs({view(1), view(2)}, pending), SizeIs(1));
}

TEST(RoundSteps, PendingGrantIsReadyWhenGpuAndJobAreFree) {
  const auto wanted = on(1, 0, "n1", 100);
  PendingGrants pending{{wanted}, {}};
  auto merging = view(1);
  merging->merging = true;
  EXPECT_THAT(ready_grants(pending, {merging}, capacity({})), IsEmpty());
  EXPECT_THAT(ready_grants(pending, {view(1)}, capacity({lease_for(9, on(2, 0, "n1", 5))})), IsEmpty());
  EXPECT_THAT(pending.allocations, SizeIs(1));
  EXPECT_THAT(ready_grants(pending, {view(1)}, capacity({})), SizeIs(1));
  EXPECT_THAT(pending.allocations, IsEmpty());
}

TEST(RoundSteps, IdleGpusAreOfUseToAPendingGrantThatFindsAllOfItsOwnOrWhenNoneWaitsForThem) {
  const PendingGrants pending{{on(1, 0, "n1", 100), on(2, 0, "n2", 100)}, {}};
  const auto busy = [](std::uint64_t id, const std::string& node) { return lease_for(id, on(9, 0, node, 5)); };
  EXPECT_TRUE(any_use(capacity({busy(1, "n2"), busy(2, "n3")}), pending));
  EXPECT_FALSE(any_use(capacity({busy(1, "n1"), busy(2, "n2"), busy(3, "n3")}), pending));
  EXPECT_TRUE(any_use(capacity({busy(1, "n1"), busy(2, "n2")}), pending)) << "n3 is nobody's";
  auto gang = on(3, 0, "n1", 100);
  gang.slices.push_back(GpuSlice{"n2", {0}});
  EXPECT_FALSE(any_use(capacity({busy(1, "n2"), busy(2, "n3")}), {{gang}, {}})) << "half of it";
  const auto old = on(1, 0, "n3", 500);
  const PendingGrants moved{{on(1, 0, "n1", 100)}, {old}};
  EXPECT_FALSE(any_use(capacity({busy(1, "n2"), lease_for(2, old)}), moved)) << "its old lease is open";
  EXPECT_TRUE(any_use(capacity({busy(1, "n2"), busy(2, "n3")}), moved));
}

TEST(RoundSteps, ForksOfAMovedJobAreGrantedOneByOneAsTheirGpusComeFree) {
  const auto old = on(1, 0, "n3", 500);
  PendingGrants pending{{on(1, 0, "n1", 100), on(1, 1, "n2", 100)}, {old}};
  EXPECT_THAT(ready_grants(pending, {view(1, {old})}, capacity({})), IsEmpty()) << "its old lease is still held";
  const auto busy = lease_for(9, on(2, 0, "n2", 5));
  EXPECT_THAT(ready_grants(pending, {view(1)}, capacity({busy})), SizeIs(1));
  const auto first = view(1, {on(1, 0, "n1", 100)});
  EXPECT_THAT(ready_grants(pending, {first}, capacity({})), SizeIs(1)) << "the second fork, though the first is held";
}

TEST(RoundSteps, AGangThatMovesWaitsForEveryMemberOfTheOldOne) {
  auto old = on(1, 0, "n2", 500);
  old.slices.push_back(GpuSlice{"n3", {0}});
  PendingGrants pending{{on(1, 0, "n1", 100)}, {old}};
  EXPECT_THAT(ready_grants(pending, {view(1, {on(1, 0, "n3", 500)})}, capacity({})), IsEmpty()) << "one has ended";
  EXPECT_THAT(ready_grants(pending, {view(1)}, capacity({})), SizeIs(1));
}

TEST(RoundSteps, PendingGrantOfAJobThatIsGoneIsDropped) {
  PendingGrants pending{{on(1, 0, "n1", 100)}, {}};
  EXPECT_THAT(ready_grants(pending, {}, capacity({})), IsEmpty());
  EXPECT_THAT(pending.allocations, IsEmpty());
}

TEST(RoundSteps, NodesThatAreNotUpAreNoCapacity) {
  auto viewed = capacity({});
  viewed.nodes[1].state = NodeState::kUnknown;
  std::vector<NodeCapacity> nodes;
  refresh_usable(nodes, viewed, {});
  EXPECT_THAT(nodes, SizeIs(2));
}

TEST(RoundSteps, CapacityOfTheLastRoundBecomesThatOfThisOne) {
  std::vector<NodeCapacity> nodes;
  const std::vector<Allocation> reserved{on(1, 0, "n3", 100)};
  refresh_usable(nodes, capacity({}), {reserved});
  auto viewed = capacity({lease_for(1, on(1, 0, "n2", 500))});
  viewed.nodes.erase(viewed.nodes.begin());
  refresh_usable(nodes, viewed, {});
  std::vector<NodeCapacity> fresh;
  refresh_usable(fresh, viewed, {});
  EXPECT_EQ(nodes, fresh);
  ASSERT_THAT(nodes, SizeIs(2));
  EXPECT_THAT(nodes[0].idle_gpus, IsEmpty());
  EXPECT_THAT(nodes[1].idle_gpus, ElementsAre(0));
}

TEST(RoundSteps, OutcomesAreToldWhenTheirKindOrCodeIsNew) {
  const Outcome waiting{JobId{1}, OutcomeKind::kWaiting, {"waiting_gang", "wants 2", {}}};
  const Outcome granted{JobId{2}, OutcomeKind::kGranted, {"granted", "1 GPU", {}}};
  ToldOutcomes told;
  EXPECT_THAT(told.news({waiting, granted}, false), ElementsAre(waiting, granted));
  auto same = waiting;
  same.reason.text = "wants 2; 1 free";
  EXPECT_THAT(told.news({same, granted}, false), IsEmpty()) << "only its words are new";
  auto busy = waiting;
  busy.reason.code = "waiting_gpus_busy";
  EXPECT_THAT(told.news({busy, granted}, true), IsEmpty()) << "an early replan that changes nothing for it";
  EXPECT_THAT(told.news({busy}, false), ElementsAre(busy));
  EXPECT_THAT(told.news({busy, granted}, true), ElementsAre(granted)) << "it was not in the plan before";
}

TEST(RoundSteps, ReplanningNeedsAnIdleGpuAndUnissuedSteps) {
  auto in = input({view(1)}, true);
  EXPECT_TRUE(worth_replanning(in));
  for (auto& node : in.nodes) node.idle_gpus.clear();
  EXPECT_FALSE(worth_replanning(in));
  auto issued = view(1);
  issued->steps_issued = 1000;
  EXPECT_FALSE(worth_replanning(input({issued}, true)));
}

TEST(RoundSteps, LeasesAreNumberedOnAndEndBeforeTheBorderByTheMergeTime) {
  auto slow = view(1);
  slow->merge_s = 30;
  LeaseId last{7};
  const auto leases = leases_of({on(1, 0, "n1", 100, true), on(2, 0, "n2", 100)}, input({slow, view(2)}), 60, last);
  ASSERT_THAT(leases, SizeIs(2));
  EXPECT_EQ(leases[0].id, LeaseId{8});
  EXPECT_EQ(leases[1].id, LeaseId{9});
  EXPECT_EQ(last, LeaseId{9});
  EXPECT_DOUBLE_EQ(leases[0].train_for_s, 54) << "at most a tenth of the round is set aside";
  EXPECT_TRUE(leases[1].renews());
}

TEST(RoundSteps, NoLeaseIsMadeForTheTimeOfTheMerge) {
  LeaseId last{7};
  EXPECT_THAT(leases_of({on(1, 0, "n1", 100, true)}, input({view(1)}), 1, last), IsEmpty());
}

TEST(RoundSteps, GangOverNodesIsRankedByGpu) {
  auto job = view(1);
  job->gpus = 2;
  Allocation gang{{JobId{1}, 0}, {{"n1", {0}}, {"n2", {0}}}, 100, false, 5};
  LeaseId last;
  const auto leases = leases_of({gang}, input({job}), 60, last);
  ASSERT_THAT(leases, SizeIs(2));
  EXPECT_EQ(leases[0].gang.rank, 0U);
  EXPECT_EQ(leases[1].gang.rank, 1U);
  EXPECT_EQ(leases[1].gang.world_size, 2U);
}

}  // namespace
}  // namespace hadar
