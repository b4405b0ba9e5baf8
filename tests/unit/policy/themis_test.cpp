#include "actors/policy/themis/themis.hpp"

#include <gtest/gtest.h>

#include "actors/policy/themis/finish_time.hpp"
#include "tests/unit/policy/inputs.hpp"

namespace hadar::testing {
namespace {

using Names = std::vector<std::uint64_t>;

RoundPlan themis(const RoundInput& input, const PolicySettings& settings = {}) {
  return *(*make_themis(settings))->plan(input);
}

Names running(const RoundPlan& plan) {
  Names names;
  for (const auto& allocation : plan.allocations) names.push_back(allocation.fork.job.value);
  return names;
}

JobView waiting(std::uint64_t id, std::uint32_t gpus, std::uint64_t steps, double submitted_t_s) {
  auto job = job_of(id, gpus, steps, {{"A", 10}});
  job.submitted_t_s = submitted_t_s;
  return job;
}

// 1,000 steps at 10 steps/s, submitted 50 s ago, on 4 GPUs shared by 2 jobs, with a window of 10 s.
TEST(FinishTime, IsTheTimeSharedOverTheTimeAlone) {
  auto input = input_of({node_of("a", {{"A", 4}})});
  input.now_s = 100;
  add(input, waiting(1, 1, 1000, 50));
  add(input, waiting(2, 4, 1000, 50));
  const auto plan = *PlanBuilder::make(input);
  const FinishTimes times(plan);
  EXPECT_DOUBLE_EQ(times.rho_waiting(0), (50 + 10 + 100) / 100.0) << "its share is more than its gang: alone 100 s";
  EXPECT_DOUBLE_EQ(times.rho_waiting(1), (50 + 10 + 100) / 200.0) << "half of a gang of four: alone 200 s";
  EXPECT_DOUBLE_EQ(times.rho_at(0, 5), (50 + 200) / 100.0);
}

TEST(FinishTime, TheTimeAloneIsAtTheAverageSpeedOfTheInstalledGpus) {
  auto input = input_of({node_of("a", {{"A", 3}, {"B", 1}})});
  add(input, job_of(1, 1, 1000, {{"A", 10}, {"B", 50}}));
  const auto plan = *PlanBuilder::make(input);
  EXPECT_DOUBLE_EQ(FinishTimes(plan).rho_waiting(0), (10 + 20) / (1000 / 20.0));
}

TEST(Themis, TheWorstOffGoesFirst) {
  auto input = input_of({node_of("a", {{"A", 1}})});
  input.now_s = 1000;
  add(input, waiting(1, 1, 10000, 900));
  add(input, waiting(2, 1, 1000, 900));
  const auto plan = themis(input);
  EXPECT_EQ(running(plan), Names{2}) << "100 s weigh more on a job of 100 s than on one of 1,000 s";
  EXPECT_EQ(reason_of(plan, 1).code, "waiting_fairness");
  EXPECT_NEAR(reason_of(plan, 1).numbers.at("rho"), (100 + 10 + 1000) / 2000.0, 1e-12);
  EXPECT_EQ(reason_of(plan, 1).numbers.at("place"), 2);
  EXPECT_EQ(reason_of(plan, 1).numbers.at("free"), 0);
}

TEST(Themis, TakesGpusFromTheBetterOff) {
  auto input = input_of({node_of("a", {{"A", 1}})});
  input.now_s = 1000;
  auto fine = waiting(1, 1, 10000, 990);
  hold(input, fine, 0, {{"a", {0}}}, 9900);
  add(input, fine);
  add(input, waiting(2, 1, 1000, 900));
  EXPECT_EQ(running(themis(input)), Names{2});
}

// Four GPUs. Job 1 is worst off and served first. Job 2 comes next by need, job 3 gains more per GPU; after job 1 only
// one of these gangs of two fits.
TEST(Themis, FairnessSaysHowManyAreAsked) {
  auto input = input_of({node_of("a", {{"A", 4}})});
  input.now_s = 1000;
  add(input, waiting(1, 1, 1000, 0));      // worst off
  add(input, waiting(2, 2, 1000, 100));    // next, but wants two
  add(input, waiting(3, 2, 1000, 980));    // gains much
  add(input, waiting(4, 1, 100000, 999));  // gains nothing to speak of
  EXPECT_EQ(running(themis(input, {{"fairness", 0.6}})), (Names{1, 2, 4})) << "asked: 1 and 2";
  EXPECT_EQ(running(themis(input, {{"fairness", 0.0}})), (Names{1, 3, 4})) << "asked: all; 3 gains more than 2";
}

TEST(Themis, BidsGoToTheTypeWhereTheyGainMost) {
  auto input = input_of({node_of("a", {{"A", 2}}), node_of("b", {{"B", 1}})});
  input.now_s = 100;
  add(input, job_of(1, 1, 1000, {{"A", 10}, {"B", 10}}));  // the worst off takes its first best type
  add(input, job_of(2, 1, 5000, {{"A", 10}, {"B", 20}}));
  add(input, job_of(3, 1, 5000, {{"A", 10}, {"B", 80}}));
  const auto plan = themis(input, {{"fairness", 0.0}});
  EXPECT_EQ(allocations_of(plan, 3)[0].slices[0].node, "b");
  EXPECT_EQ(allocations_of(plan, 2)[0].slices[0].node, "a");
}

TEST(Themis, WhatTheAuctionLeavesGoesToTheOthers) {
  auto input = input_of({node_of("a", {{"A", 3}})});
  input.now_s = 1000;
  add(input, waiting(1, 2, 1000, 0));
  add(input, waiting(2, 2, 1000, 10));
  add(input, waiting(3, 1, 1000, 990));
  EXPECT_EQ(running(themis(input)), (Names{1, 3}));
}

TEST(Themis, AWinnerKeepsItsGpusForItsLease) {
  auto input = input_of({node_of("a", {{"A", 1}})});
  add(input, waiting(1, 1, 100000, 0));
  const PolicySettings settings = {{"lease_rounds", 2.0}};
  auto plan = themis(input, settings);
  for (const bool keeps : {true, false}) {
    RoundInput next = input_of({node_of("a", {{"A", 1}})});
    next.now_s = 1000;
    next.memory = plan.memory;
    auto job = waiting(1, 1, 100000, 0);
    hold(next, job, 0, {{"a", {0}}}, 100000);
    add(next, job);
    add(next, waiting(2, 1, 100, 0));
    next.early = true;
    next.window_s = 5;
    next.memory = themis(next, settings).memory;
    next.early = false;
    next.window_s = 10;
    plan = themis(next, settings);
    EXPECT_EQ(running(plan), keeps ? Names{1} : Names{2}) << "an early replan prolongs nothing";
  }
}

TEST(Themis, AGangStaysOnOneTypeUnlessNoneHasRoom) {
  auto input = input_of({node_of("a", {{"K80", 3}}), node_of("b", {{"V100", 2}})});
  add(input, job_of(1, 3, 1000, {{"K80", 1}, {"V100", 10}}));
  EXPECT_EQ(allocations_of(themis(input), 1)[0].slices, (std::vector<GpuSlice>{{"a", {0, 1, 2}}}));
  input.nodes[0] = node_of("a", {{"K80", 1}});
  EXPECT_EQ(allocations_of(themis(input), 1)[0].slices, (std::vector<GpuSlice>{{"a", {0}}, {"b", {0, 1}}}));
}

TEST(Themis, SettingsAreRead) {
  for (const PolicySettings& wrong :
       std::vector<PolicySettings>{{{"fairness", 1.5}}, {{"fairness", std::string("high")}}, {{"lease_rounds", 0.0}}}) {
    const auto made = make_themis(wrong);
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find(wrong.begin()->first), std::string::npos);
  }
}

}  // namespace
}  // namespace hadar::testing
