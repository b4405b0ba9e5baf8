// Random workloads played to the end under every policy: all steps counted, no rule broken, nobody starved.
#include <gtest/gtest.h>
#include <random>

#include "launchers/policies.hpp"
#include "tests/rounds/round_player.hpp"

namespace hadar::testing {
namespace {

struct Workload {
  PlayedCluster cluster;
  std::vector<PlayedJob> jobs;
};

// Twelve jobs on six nodes of two GPUs; gangs of one, two and three; some come later, some do not fork.
Workload workload_of(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto draw = [&](std::uint64_t from, std::uint64_t to) { return from + engine() % (to - from + 1); };
  Workload workload;
  workload.cluster.types = {"A", "B", "C"};
  for (std::size_t node = 0; node < 6; ++node) {
    std::vector<std::uint32_t> gpus(3, 0);
    gpus[node % 3] = node == 5 ? 1 : 2;
    if (node == 5) gpus[0] = 1;
    workload.cluster.nodes.push_back(gpus);
  }
  for (int j = 0; j < 12; ++j) {
    PlayedJob job;
    job.model = "m";
    job.gpus = static_cast<std::uint32_t>(draw(1, 3));
    job.steps = draw(100, 20000);
    job.speeds = {100.0 * static_cast<double>(draw(5, 10)), 100.0 * static_cast<double>(draw(2, 6)),
                  100.0 * static_cast<double>(draw(1, 3))};
    job.forkable = draw(0, 2) > 0;
    job.arrival_s = draw(0, 1) == 0 ? 0.0 : static_cast<double>(draw(0, 200)) / 10.0;
    workload.jobs.push_back(job);
  }
  return workload;
}

class EveryPolicyPlays : public ::testing::TestWithParam<PolicyEntry> {};

TEST_P(EveryPolicyPlays, AllJobsEndWithExactlyTheirSteps) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto workload = workload_of(seed);
    auto policy = *make_policy(std::string(GetParam().name));
    const auto played = play(*policy, workload.cluster, workload.jobs);
    ASSERT_TRUE(played.finished) << "seed " << seed;
    ASSERT_TRUE(played.faults.empty()) << "seed " << seed << ": " << played.faults.front();
    for (std::size_t j = 0; j < workload.jobs.size(); ++j) EXPECT_EQ(played.credited[j], workload.jobs[j].steps);
  }
}

TEST_P(EveryPolicyPlays, TheSameWorkloadPlaysTheSame) {
  const auto workload = workload_of(3);
  const auto once = play(**make_policy(std::string(GetParam().name)), workload.cluster, workload.jobs);
  const auto again = play(**make_policy(std::string(GetParam().name)), workload.cluster, workload.jobs);
  EXPECT_EQ(once.trace, again.trace);
}

std::string name_of_case(const ::testing::TestParamInfo<PolicyEntry>& info) {
  std::string name(info.param.name);
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, EveryPolicyPlays, ::testing::ValuesIn(policies()), name_of_case);

// Many more jobs than GPUs, gangs among them, under utilities that never favour some of them. At every border the job
// that waited longest goes first once it waited `max_wait_rounds`, and no job that began to wait later comes before it:
// so no job waits longer than that many rounds and one for each other job.
TEST(Starvation, UnderOverloadEveryJobStartsWithinTheDerivedBound) {
  constexpr std::uint64_t kMaxWait = 6;
  const PlayedCluster cluster = {{"A", "B"}, {{2, 0}, {0, 2}, {1, 1}}};
  std::uint64_t longest = 0;
  for (const std::string name : {"hadar", "hadare"})
    for (const std::string utility : {"jct-makespan", "jct", "throughput", "inverse-slowdown", "finish-time-fairness"})
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        std::mt19937_64 engine(seed);
        std::vector<PlayedJob> jobs;
        for (int j = 0; j < 24; ++j)
          jobs.push_back({"m",
                          static_cast<std::uint32_t>(1 + engine() % 4),
                          2000 + engine() % 30000,
                          {static_cast<double>(200 + engine() % 200), static_cast<double>(20 + engine() % 200)},
                          engine() % 2 == 0,
                          static_cast<double>(engine() % 60)});
        auto policy = *make_policy(name, {{"utility", utility}, {"max_wait_rounds", static_cast<double>(kMaxWait)}});
        const auto played = play(*policy, cluster, jobs);
        ASSERT_TRUE(played.finished) << name << " " << utility << " seed " << seed;
        for (const auto waited : played.most_waited) {
          EXPECT_LE(waited, kMaxWait + jobs.size() - 1) << name << " " << utility << " seed " << seed;
          longest = std::max(longest, waited);
        }
      }
  EXPECT_GT(longest, kMaxWait) << "the workload is an overload";
}

// A long job among a stream of short ones that always look better and leave no gap. Jobs that waited too long take
// turns, so the bound is the setting plus those before it.
TEST(Starvation, NoJobWaitsLongerThanTheBound) {
  const PlayedCluster cluster = {{"A"}, {{1}}};
  for (const std::string name : {"hadar", "hadare"}) {
    std::vector<PlayedJob> jobs = {{"m", 1, 12000, {100}, true, 0}};
    for (int j = 0; j < 60; ++j) jobs.push_back({"m", 1, 550, {100}, true, 5.5 * j});
    auto policy = *make_policy(name, {{"utility", std::string("jct")}, {"max_wait_rounds", 5.0}});
    const auto played = play(*policy, cluster, jobs);
    EXPECT_TRUE(played.finished);
    EXPECT_LE(played.most_waited[0], 15U) << name;
    auto patient = *make_policy(name, {{"utility", std::string("jct")}, {"max_wait_rounds", 1000.0}});
    EXPECT_GT(play(*patient, cluster, jobs).most_waited[0], 20U) << name << ": the bound is what helps it";
  }
}

// The Hadar paper's argument: a gang of four beside 3 + 3 GPUs of two types starts only when types may mix.
TEST(MixedGangs, AGangStartsAcrossTypesAtOnce) {
  const PlayedCluster cluster = {{"A", "B"}, {{3, 0}, {0, 3}}};
  auto policy = *make_policy("hadar");
  const auto played = play(*policy, cluster, {{"m", 4, 1000, {100, 50}, false, 0}});
  ASSERT_TRUE(played.finished);
  EXPECT_NEAR(played.makespan_s, 20, 1.5) << "at the slower type's speed";
}

TEST(HadarE, IsNeverWorseThanHadarOnOneGpuNodes) {
  const PlayedCluster cluster = {{"A", "B", "C", "D", "E"},
                                 {{1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}}};
  for (const std::size_t count : {1U, 3U, 4U, 5U, 8U, 10U}) {
    std::mt19937_64 engine(count);
    std::vector<PlayedJob> jobs;
    for (std::size_t j = 0; j < count; ++j) {
      const auto steps = 24000 + engine() % 72000;
      jobs.push_back({"m", 1, steps, {100, 60, 30, 27, 12}, true, 0});
    }
    const PlaySettings settings{360, 10, 1e6};
    const auto hadare = play(**make_policy("hadare"), cluster, jobs, settings);
    const auto hadar = play(**make_policy("hadar"), cluster, jobs, settings);
    ASSERT_TRUE(hadare.finished && hadar.finished);
    EXPECT_LE(hadare.makespan_s, hadar.makespan_s * 1.04) << count << " jobs";
    EXPECT_LE(hadare.mean_jct_s, hadar.mean_jct_s) << count << " jobs";
    EXPECT_GE(hadare.cru, 0.9) << count << " jobs";
  }
}

}  // namespace
}  // namespace hadar::testing
