#include "actors/policy/hadare/hadare.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <set>

#include "tests/unit/policy/inputs.hpp"

namespace hadar::testing {
namespace {

RoundPlan plan_of(const RoundInput& input, const PolicySettings& settings = {}) {
  auto policy = make_hadare(settings);
  EXPECT_TRUE(policy.has_value()) << policy.error().message;
  return *(*policy)->plan(input);
}

RoundInput three_nodes() {
  return input_of({node_of("a", {{"A", 1}}), node_of("b", {{"B", 1}}), node_of("c", {{"C", 1}})});
}

const std::map<GpuType, double> kSpeeds = {{"A", 100}, {"B", 60}, {"C", 40}};

TEST(HadarE, OneJobForksOverAllNodesWithQuotasBySpeed) {
  auto input = three_nodes();
  auto job = job_of(1, 1, 100000, kSpeeds);
  job.merge_s = 0.5;
  add(input, job);
  const auto forks = allocations_of(plan_of(input), 1);
  ASSERT_EQ(forks.size(), 3U);
  EXPECT_EQ(forks[0].quota_steps, 950U);  // 100 steps/s for 10 - 0.5 s
  EXPECT_EQ(forks[1].quota_steps, 570U);
  EXPECT_EQ(forks[2].quota_steps, 380U);
  for (const auto& fork : forks) EXPECT_TRUE(fork.ends_at_border);
}

TEST(HadarE, MergeTimeIsCappedAtATenthOfTheRound) {
  auto input = three_nodes();
  auto job = job_of(1, 1, 100000, kSpeeds);
  job.merge_s = 30;
  add(input, job);
  EXPECT_EQ(allocations_of(plan_of(input), 1)[0].quota_steps, 900U);
}

TEST(HadarE, TheLastStepsAreSharedExactly) {
  auto input = three_nodes();
  add(input, job_of(1, 1, 999, kSpeeds));
  std::uint64_t sum = 0;
  for (const auto& fork : allocations_of(plan_of(input), 1)) sum += fork.quota_steps;
  EXPECT_EQ(sum, 999U);
}

TEST(HadarE, AnUnforkableJobKeepsToOneNodeAndTheOthersAreUsed) {
  auto input = three_nodes();
  auto whole = job_of(1, 1, 1000, kSpeeds);
  whole.forkable = false;
  add(input, whole);
  add(input, job_of(2, 1, 100000, kSpeeds));
  const auto plan = plan_of(input);
  ASSERT_EQ(allocations_of(plan, 1).size(), 1U);
  EXPECT_FALSE(allocations_of(plan, 1)[0].ends_at_border);
  EXPECT_EQ(allocations_of(plan, 2).size(), 2U);
}

TEST(HadarE, GangForksTakeOneNodeEach) {
  auto input = input_of({node_of("a", {{"A", 2}}), node_of("b", {{"A", 2}}), node_of("c", {{"A", 1}})});
  add(input, job_of(1, 2, 100000, {{"A", 10}}));
  const auto forks = allocations_of(plan_of(input), 1);
  ASSERT_EQ(forks.size(), 2U);
  for (const auto& fork : forks) EXPECT_EQ(fork.slices.size(), 1U);
}

TEST(HadarE, InefficientMergingMeansOneNodePerJob) {
  auto input = three_nodes();
  for (std::uint64_t id = 1; id <= 3; ++id) add(input, job_of(id, 1, 100000, kSpeeds));
  const auto plan = plan_of(input, {{"merge_efficiency", 0.1}});
  for (std::uint64_t id = 1; id <= 3; ++id) EXPECT_EQ(allocations_of(plan, id).size(), 1U) << "job " << id;
}

TEST(HadarE, TheEfficiencyMeasuredOnAJobCountsForIt) {
  auto input = three_nodes();
  for (std::uint64_t id = 1; id <= 3; ++id) {
    auto job = job_of(id, 1, 100000, kSpeeds);
    job.merge_efficiency = 0.1;
    add(input, job);
  }
  const auto plan = plan_of(input);
  for (std::uint64_t id = 1; id <= 3; ++id) EXPECT_EQ(allocations_of(plan, id).size(), 1U) << "job " << id;
  auto lone = three_nodes();
  auto job = job_of(1, 1, 100000, kSpeeds);
  job.merge_s = 0.5;
  job.merge_efficiency = 0.01;
  add(lone, job);
  EXPECT_EQ(plan_of(lone).allocations.size(), 1U) << "merging would cost more than it keeps";
}

TEST(HadarE, AnotherJobsEfficiencyBeatsAGuess) {
  auto input = three_nodes();
  for (std::uint64_t id = 1; id <= 3; ++id) {
    auto job = job_of(id, 1, 100000, kSpeeds);
    if (id == 2) job.merge_efficiency = 0.1;
    add(input, job);
  }
  const auto plan = plan_of(input);
  for (std::uint64_t id = 1; id <= 3; ++id) EXPECT_EQ(allocations_of(plan, id).size(), 1U) << "job " << id;
}

TEST(HadarE, TheLastEffectiveStepsAreSharedByWhatForksAreWorth) {
  auto input = three_nodes();
  auto job = job_of(1, 1, 750, kSpeeds);
  job.merge_efficiency = 0.5;
  job.effective_steps = true;
  add(input, job);
  std::vector<double> quotas;
  for (const auto& fork : allocations_of(plan_of(input), 1)) quotas.push_back(static_cast<double>(fork.quota_steps));
  ASSERT_EQ(quotas.size(), 3U);
  EXPECT_NEAR(quotas[0] + 0.5 * (quotas[1] + quotas[2]), 750, 2);
  EXPECT_NEAR(quotas[0], 500, 1) << "5 s at 100 steps/s";
}

TEST(HadarE, WhenItSpreadsALoneForkRenewsItself) {
  auto input = three_nodes();
  for (std::uint64_t id = 1; id <= 3; ++id) add(input, job_of(id, 1, 100000, kSpeeds));
  const auto plan = plan_of(input, {{"rule", std::string("spread")}});
  for (const auto& allocation : plan.allocations) EXPECT_FALSE(allocation.ends_at_border);
}

TEST(HadarE, WhenItSpreadsIdleNodesForkForAJob) {
  auto input = three_nodes();
  add(input, job_of(1, 1, 100000, kSpeeds));
  add(input, job_of(2, 1, 200000, kSpeeds));
  const auto plan = plan_of(input, {{"rule", std::string("spread")}});
  EXPECT_EQ(plan.allocations.size(), 3U);
}

TEST(HadarE, AnEarlyReplanExtendsTheJobWithStepsLeftThenStartsOthers) {
  auto input = three_nodes();
  input.early = true;
  input.window_s = 5;
  auto started = job_of(1, 1, 1000, kSpeeds);
  hold(input, started, 0, {{"a", {0}}}, 975, true);
  add(input, started);
  add(input, job_of(2, 1, 100000, kSpeeds));
  const auto plan = plan_of(input);
  ASSERT_EQ(allocations_of(plan, 1).size(), 2U);
  EXPECT_EQ(allocations_of(plan, 1)[0], input.jobs[0]->held[0]);
  EXPECT_EQ(allocations_of(plan, 1)[1].slices[0].node, "b") << "the faster node alone is done soon enough";
  EXPECT_EQ(allocations_of(plan, 1)[1].quota_steps, 25U);
  ASSERT_EQ(allocations_of(plan, 2).size(), 1U);
  EXPECT_EQ(allocations_of(plan, 2)[0].slices[0].node, "c");
}

TEST(HadarE, AWindowTooShortIsOnlyUsedToFinish) {
  auto input = three_nodes();
  input.early = true;
  input.window_s = 0.5;
  add(input, job_of(1, 1, 100000, kSpeeds));
  const auto waits = plan_of(input);
  EXPECT_TRUE(waits.allocations.empty());
  EXPECT_EQ(reason_of(waits, 1).code, "waiting_border");
  EXPECT_EQ(reason_of(waits, 1).numbers.at("window_s"), 0.5);
  input.jobs.clear();
  add(input, job_of(1, 1, 20, kSpeeds));
  EXPECT_FALSE(plan_of(input).allocations.empty()) << "20 steps take 0.2 s";
}

// A free place on a node for a job that has none there.
std::optional<std::string> idle_place(const RoundInput& input, const RoundPlan& plan) {
  for (const auto& node : input.nodes) {
    auto free = gpu_types_by_index(node.gpus);
    std::vector<bool> taken(free.size(), false);
    std::set<JobId> here;
    std::set<JobId> placed;
    for (const auto& allocation : plan.allocations) {
      placed.insert(allocation.fork.job);
      for (const auto& slice : allocation.slices) {
        if (slice.node != node.node) continue;
        here.insert(allocation.fork.job);
        for (const auto gpu : slice.gpus) taken[gpu] = true;
      }
    }
    for (const auto& job : input.jobs) {
      if (here.contains(job->job) || (!job->forkable && placed.contains(job->job))) continue;
      std::uint32_t fitting = 0;
      for (std::size_t gpu = 0; gpu < free.size(); ++gpu)
        if (!taken[gpu] && (job->gpu_types.empty() ||
                            std::find(job->gpu_types.begin(), job->gpu_types.end(), free[gpu]) != job->gpu_types.end()))
          ++fitting;
      if (fitting >= job->gpus) return "job " + std::to_string(job->job.value) + " on node " + node.node;
    }
  }
  return std::nullopt;
}

struct RandomRound {
  std::mt19937 random;

  std::uint32_t up_to(std::uint32_t most) { return 1 + random() % most; }
  RoundInput make() {
    const std::vector<GpuType> types = {"A", "B", "C"};
    std::vector<NodeCapacity> nodes;
    for (auto n = up_to(6); n > 0; --n) {
      std::vector<GpuGroup> gpus = {{types[random() % 3], up_to(4)}};
      if (random() % 4 == 0) gpus.push_back({types[random() % 3], up_to(2)});
      if (gpus.size() == 2 && gpus[0].type == gpus[1].type) gpus.pop_back();
      nodes.push_back(node_of("n" + std::to_string(9 - n), gpus));
    }
    auto input = input_of(nodes);
    for (std::uint64_t id = 1, jobs = up_to(8); id <= jobs; ++id) {
      auto job = job_of(id, up_to(2), 100000ULL * up_to(20),
                        {{"A", 100.0 * up_to(9)}, {"B", 100.0 * up_to(9)}, {"C", 100.0 * up_to(9)}});
      job.merge_s = 1e-3;
      job.forkable = random() % 5 != 0;
      if (random() % 4 == 0) job.gpu_types = {types[random() % 3]};
      add(input, job);
    }
    return input;
  }
};

// HadarE's theorem on the utilisation of nodes: with as many copies of a job as there are nodes, none idles while an
// unfinished job can run on it.
TEST(HadarE, NoNodeIdlesWhileAnUnfinishedJobCanRunOnIt) {
  for (unsigned seed = 1; seed <= 400; ++seed)
    for (const std::string rule : {"auto", "gather", "spread"}) {
      const auto input = RandomRound{std::mt19937(seed)}.make();
      const auto idle = idle_place(input, plan_of(input, {{"rule", rule}}));
      EXPECT_FALSE(idle) << "seed " << seed << ", " << rule << ": " << *idle;
    }
}

TEST(HadarE, AJobOnAllNodesIsNotForkedWhereMergingCostsMoreThanItBrings) {
  auto input = input_of({node_of("a", {{"A", 1}}), node_of("b", {{"B", 1}})});
  auto job = job_of(1, 1, 100000, {{"A", 100}, {"B", 2}});
  job.merge_s = 0.5;
  add(input, job);
  ASSERT_EQ(plan_of(input).allocations.size(), 1U) << "102 steps/s for 9.5 s of 10 are fewer than 100 for all of them";
  EXPECT_FALSE(plan_of(input).allocations[0].ends_at_border);
  EXPECT_EQ(plan_of(input, {{"merge_s", 0.01}}).allocations.size(), 1U) << "what is measured counts";
}

// A job alone on its node pays nothing at a border: it is renewed, also when it could fork but no node is left.
TEST(HadarE, AForkThatStandsAloneIsRenewedWhateverTheRule) {
  for (const std::string rule : {"gather", "spread"}) {
    auto input = input_of({node_of("a", {{"A", 1}}), node_of("b", {{"A", 1}})});
    for (std::uint64_t id = 1; id <= 2; ++id) {
      auto job = job_of(id, 1, 100000, {{"A", 100}});
      hold(input, job, 0, {{id == 1 ? "a" : "b", {0}}}, 90000);
      add(input, job);
    }
    const auto plan = plan_of(input, {{"rule", rule}, {"max_forks", rule == "gather" ? 1.0 : 16.0}});
    ASSERT_EQ(plan.allocations.size(), 2U) << rule;
    EXPECT_EQ(plan.allocations[0], input.jobs[0]->held[0]) << rule;
    EXPECT_EQ(plan.allocations[1], input.jobs[1]->held[0]) << rule;
  }
}

TEST(HadarE, AJobWithAWarmGangForksOntoIdleNodes) {
  auto input = three_nodes();
  auto job = job_of(1, 1, 100000, kSpeeds);
  hold(input, job, 0, {{"a", {0}}}, 100000);
  add(input, job);
  const auto forks = allocations_of(plan_of(input, {{"rule", std::string("spread")}}), 1);
  ASSERT_EQ(forks.size(), 3U);
  for (const auto& fork : forks) EXPECT_TRUE(fork.ends_at_border);
}

// Half of the jobs are ten times as fast on A, the others on B. A job on every node does 4 x 1000 + 4 x 100 steps/s,
// four jobs at a time: all are done after 64 / 4 x 1000000 / 4400 = 3636 s; each on a GPU of its own type, after 2000.
TEST(HadarE, JobsThatEachHaveTheirOwnBestTypeAreNotGathered) {
  std::vector<NodeCapacity> nodes;
  for (int n = 0; n < 8; ++n) nodes.push_back(node_of("n" + std::to_string(n), {{n < 4 ? "A" : "B", 4}}));
  auto input = input_of(nodes);
  for (std::uint64_t id = 1; id <= 64; ++id)
    add(input, job_of(id, 1, 1000000, {{"A", id % 2 == 0 ? 1000 : 100}, {"B", id % 2 == 0 ? 100 : 1000}}));
  const auto plan = plan_of(input);
  EXPECT_EQ(plan.allocations.size(), 32U);
  for (const auto& allocation : plan.allocations) EXPECT_FALSE(allocation.ends_at_border);
}

TEST(HadarE, NeverMoreForksThanAllowed) {
  auto input = three_nodes();
  add(input, job_of(1, 1, 100000, kSpeeds));
  EXPECT_EQ(allocations_of(plan_of(input, {{"max_forks", 2.0}}), 1).size(), 2U);
  const auto alone = allocations_of(plan_of(input, {{"max_forks", 1.0}}), 1);
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_FALSE(alone[0].ends_at_border);
}

}  // namespace
}  // namespace hadar::testing
