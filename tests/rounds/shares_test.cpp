// Policies that share time, over many rounds.
#include <cmath>
#include <gmock/gmock.h>
#include <map>

#include "actors/policy/gavel/gavel_rules.hpp"
#include "launchers/policies.hpp"
#include "tests/rounds/plan_checks.hpp"
#include "tests/unit/policy/inputs.hpp"

namespace hadar::testing {
namespace {

using Speeds = std::map<GpuType, double>;

struct SharingJob {
  std::uint64_t id;
  Speeds speeds;
  std::uint32_t gpus = 1;
};

// Rounds of 10 s without early replans; leases go on as planned, jobs never end.
class Rounds {
 public:
  Rounds(const std::string& policy, std::vector<NodeCapacity> nodes)
      : policy_(*make_policy(policy)), nodes_(std::move(nodes)) {}

  RoundPlan next(const std::vector<SharingJob>& jobs, const PairTable& pairs = {}) {
    auto input = input_of(nodes_);
    input.round = RoundId{++round_};
    input.now_s = 10.0 * static_cast<double>(round_);
    input.memory = last_.memory;
    input.pairs = pairs;
    for (const auto& job : jobs) {
      auto view = job_of(job.id, job.gpus, 1'000'000'000, job.speeds);
      view.model = "m" + std::to_string(job.id);
      for (auto allocation : allocations_of(last_, job.id)) {
        for (auto& node : input.nodes)
          for (const auto& slice : allocation.slices)
            if (slice.node == node.node)
              std::erase_if(node.idle_gpus, [&](auto gpu) {
                return std::find(slice.gpus.begin(), slice.gpus.end(), gpu) != slice.gpus.end();
              });
        view.steps_issued = allocation.quota_steps;
        view.held.push_back(std::move(allocation));
      }
      add(input, view);
    }
    auto plan = policy_->plan(input);
    EXPECT_TRUE(plan.has_value());
    EXPECT_THAT(faults(input, *plan, policy_->traits()), ::testing::IsEmpty());
    last_ = *plan;
    return *plan;
  }

  // The type a job has GPUs of; empty when it has none.
  [[nodiscard]] GpuType type_of(std::uint64_t job) const {
    for (const auto& allocation : allocations_of(last_, job))
      for (const auto& node : nodes_)
        if (node.node == allocation.slices.front().node)
          return gpu_types_by_index(node.gpus)[allocation.slices.front().gpus.front()];
    return {};
  }

 private:
  std::unique_ptr<Policy> policy_;
  std::vector<NodeCapacity> nodes_;
  std::uint64_t round_ = 0;
  RoundPlan last_;
};

TEST(Shares, TimeReceivedConvergesToThem) {
  const std::vector<SharingJob> jobs = {
      {1, {{"K80", 2}, {"V100", 20}}}, {2, {{"K80", 4}, {"V100", 8}}}, {3, {{"K80", 5}, {"V100", 9}}}};
  ShareProblem problem;
  problem.types = {"K80", "V100"};
  problem.gpus = {1, 1};
  for (const auto& job : jobs) {
    ShareJob asked;
    asked.job = JobId{job.id};
    asked.steps_left = 1e9;
    asked.steps_per_s = {job.speeds.at("K80"), job.speeds.at("V100")};
    problem.jobs.push_back(asked);
  }
  const auto shares = find_gavel_rule("gavel-las")->solve(problem);
  ASSERT_TRUE(shares);
  Rounds rounds("gavel-las", {node_of("a", {{"K80", 1}}), node_of("b", {{"V100", 1}})});
  std::map<std::pair<std::uint64_t, GpuType>, double> received;
  for (int round = 1; round <= 240; ++round) {
    rounds.next(jobs);
    for (const auto& job : jobs) received[{job.id, rounds.type_of(job.id)}] += 1;
    if (round % 40 != 0) continue;
    for (std::size_t j = 0; j < jobs.size(); ++j)
      for (std::size_t type = 0; type < 2; ++type)
        EXPECT_NEAR((received[{jobs[j].id, problem.types[type]}]) / round, shares->alone[j][type], 4.0 / round)
            << "job " << jobs[j].id << " on " << problem.types[type] << " after " << round << " rounds";
  }
}

TEST(Shares, AJobThatArrivesIsConsideredAtTheNextBorder) {
  Rounds rounds("gavel-las", {node_of("a", {{"V100", 1}})});
  const SharingJob first{1, {{"V100", 10}}};
  for (int round = 0; round < 20; ++round) rounds.next({first});
  int waited = 0;
  do rounds.next({first, {2, {{"V100", 10}}}});
  while (rounds.type_of(2).empty() && ++waited < 5);
  EXPECT_LE(waited, 2) << "what the first job had while nobody else wanted it is not held against it for long";
}

TEST(Shares, NoGpuIdlesWhileAJobCouldRunThere) {
  Rounds rounds("gavel-throughput", {node_of("a", {{"K80", 2}}), node_of("b", {{"V100", 1}})});
  const std::vector<SharingJob> jobs = {
      {1, {{"K80", 1}, {"V100", 100}}}, {2, {{"K80", 1}, {"V100", 2}}}, {3, {{"K80", 1}, {"V100", 2}}}};
  for (int round = 0; round < 5; ++round) EXPECT_EQ(rounds.next(jobs).allocations.size(), 3U);
}

TEST(Shares, AGangStaysOnItsNodeAndIsPackedWhenItMoves) {
  Rounds rounds("gavel-las", {node_of("a", {{"V100", 2}}), node_of("b", {{"V100", 4}})});
  const std::vector<SharingJob> jobs = {{1, {{"V100", 10}}, 4}, {2, {{"V100", 10}}, 2}};
  const auto plan = rounds.next(jobs);
  EXPECT_EQ(allocations_of(plan, 1).front().slices.size(), 1U);
  EXPECT_EQ(allocations_of(plan, 2).front().slices.front().node, "a");
  for (int round = 0; round < 5; ++round) EXPECT_EQ(rounds.next(jobs).allocations, plan.allocations);
}

TEST(Shares, TwoJobsThatGainByItShareAGpuAndStay) {
  Rounds rounds("gavel-las-packed", {node_of("a", {{"V100", 1}})});
  const std::vector<SharingJob> jobs = {{1, {{"V100", 10}}}, {2, {{"V100", 10}}}};
  const PairTable pairs = {{{"m1", 1}, {"m2", 1}, 1, "V100", 9, 9}};
  const auto plan = rounds.next(jobs, pairs);
  ASSERT_EQ(plan.allocations.size(), 2U);
  EXPECT_EQ(plan.allocations[0].slices, plan.allocations[1].slices);
  EXPECT_EQ(plan.allocations[0].shares_with, JobId{2});
  EXPECT_DOUBLE_EQ(plan.allocations[1].steps_per_s, 9);
  EXPECT_EQ(rounds.next(jobs, pairs).allocations, plan.allocations);
}

TEST(Shares, WhatARuleSaidAboutItsAnswerIsPartOfTheReason) {
  Rounds rounds("allox", {node_of("a", {{"A", 2}})});
  for (int round = 0; round < 2; ++round) {  // the second time the shares of the first still hold
    const auto plan = rounds.next({{1, {{"A", 10}}}, {2, {{"A", 10}}, 2}});
    EXPECT_EQ(plan.outcomes[1].kind, OutcomeKind::kWaiting);
    EXPECT_THAT(plan.outcomes[1].reason.text, ::testing::HasSubstr("AlloX places one-GPU jobs only"));
  }
}

}  // namespace
}  // namespace hadar::testing
