// Answers worked out by hand, under every policy they are of.
#include <gmock/gmock.h>

#include "launchers/policies.hpp"
#include "launchers/simulation.hpp"
#include "tests/sim/sim_cases.hpp"

namespace hadar {
namespace {

constexpr double kJoined_s = 1;   // all nodes have said hello
constexpr double kPause_s = 0.1;  // changes are looked at together, a hundredth of a second after the first
constexpr double kExact_s = 1e-6;

std::unique_ptr<SimulatedCluster> started(const SimulatedClusterOptions& options) {
  auto cluster = SimulatedCluster::start(options);
  EXPECT_TRUE(cluster.has_value()) << cluster.error().message;
  return *std::move(cluster);
}

void expect_clean(const SimulatedCluster& cluster) {
  EXPECT_EQ(joined(check_log(cluster.events(), true)), "");
  EXPECT_EQ(joined(cluster.violations()), "");
}

class EveryPolicy : public testing::TestWithParam<std::string> {};

TEST_P(EveryPolicy, TrainsTheDefaultMixToItsLastStep) {
  auto options = five_nodes(GetParam(), 6);
  options.scheduler.request_limit_s = 1;
  auto cluster = started(options);
  for (int i = 0; i < 6; ++i) {
    auto spec = sleep_job("job" + std::to_string(i), 1, i < 2 ? 480 : i < 4 ? 160 : 80, five_speeds());
    spec.sleep.checkpoint_bytes = 64;
    cluster->submit(spec, 0.5 * i);
  }
  ASSERT_TRUE(cluster->run_until_ended(600)) << cluster->event_lines();
  cluster->run_until(cluster->now_s() + 30);
  expect_clean(*cluster);
  EXPECT_EQ(count_of<event::Completed>(cluster->events()), 6U);
}

TEST_P(EveryPolicy, GivesTheSameBytesForTheSameSeedAndOthersForOthers) {
  const auto lines = [](std::uint64_t seed) {
    auto options = five_nodes(GetParam(), 6);
    options.seed = seed;
    options.shuffle = true;
    options.link_delay_s = 0.002;
    auto cluster = started(options);
    for (int i = 0; i < 4; ++i) cluster->submit(sleep_job("job" + std::to_string(i), 1, 150, five_speeds()), i);
    cluster->at(9, [&cluster = *cluster] { cluster.kill_node("n1"); });
    EXPECT_TRUE(cluster->run_until_ended(600));
    return cluster->event_lines();
  };
  const auto once = lines(7);
  EXPECT_EQ(once, lines(7));
  EXPECT_NE(once, lines(8));
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryPolicy, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const auto& entry : policies()) names.emplace_back(entry.name);
                           return names;
                         }()),
                         [](const auto& policy) {
                           auto name = policy.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(KnownAnswers, YarnRunsJobsInTheOrderTheyCame) {
  SimulatedClusterOptions options;
  options.scheduler.policy = "yarn-cs";
  options.nodes = {node_of("n1", "V100", 2)};
  auto cluster = started(options);
  const std::map<GpuType, double> ten{{"V100", 10}};
  cluster->submit(sleep_job("J1", 2, 1000, ten), kJoined_s);
  cluster->submit(sleep_job("J2", 1, 100, ten), kJoined_s + 1);
  cluster->submit(sleep_job("J3", 1, 100, ten), kJoined_s + 2);
  ASSERT_TRUE(cluster->run_until_ended(1000));
  const auto& events = cluster->events();
  EXPECT_NEAR(jct_of(events, "J1"), 100, kPause_s);
  EXPECT_NEAR(jct_of(events, "J2"), 109, kPause_s);
  EXPECT_NEAR(jct_of(events, "J3"), 108, kPause_s);
  EXPECT_NEAR(cluster->now_s() - kJoined_s, 110, kPause_s);
  cluster->run_until(200);
  expect_clean(*cluster);
}

// Completion times of a run without cluster life around it, in the order of the workload.
std::vector<double> simulated_jcts(const SimulationOptions& options, const std::vector<TraceJob>& workload) {
  const auto result = run_simulation(options, workload);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  EXPECT_THAT(result->violations, testing::IsEmpty());
  std::vector<double> jcts;
  for (const auto& job : result->figures.by_job) jcts.push_back(*job.completed_t_s - job.submitted_t_s);
  return jcts;
}

TEST(KnownAnswers, TiresiasTakesTheGpusOfAJobThatHasHadItsService) {
  SimulationOptions options;
  options.policy = "tiresias-las";
  options.settings = {{"thresholds_gpu_s", "20"}};
  options.round_s = 10;
  options.nodes = {node_of("n1", "V100", 2)};
  const std::map<GpuType, double> ten{{"V100", 10}};
  const auto jcts = simulated_jcts(
      options,
      {{sleep_job("J1", 2, 1000, ten), 0}, {sleep_job("J2", 1, 100, ten), 1}, {sleep_job("J3", 1, 100, ten), 2}});
  ASSERT_EQ(jcts.size(), 3U);
  EXPECT_NEAR(jcts[0], 110, kExact_s) << "2 GPUs for 10 s, then behind the two that had nothing yet";
  EXPECT_NEAR(jcts[1], 19, kExact_s);
  EXPECT_NEAR(jcts[2], 18, kExact_s);
}

TEST(KnownAnswers, MaxMinFairnessGivesEachJobTheTypeItIsFastOn) {
  SimulationOptions options;
  options.policy = "gavel-las";
  options.round_s = 60;
  options.nodes = {node_of("x", "X", 1), node_of("y", "Y", 1)};
  constexpr std::uint64_t kSteps = 1200;
  const auto jcts = simulated_jcts(options, {{sleep_job("A", 1, kSteps, {{"X", 2}, {"Y", 1}}), 0},
                                             {sleep_job("B", 1, kSteps, {{"X", 1}, {"Y", 2}}), 0}});
  constexpr double kEqualShare_s = kSteps / 1.5;  // half of either type
  ASSERT_EQ(jcts.size(), 2U);
  for (const auto jct : jcts) EXPECT_NEAR(kEqualShare_s / jct, 4.0 / 3, 1e-6);
}

// Gavel's simulator of 2022 opens a round when all leases of the last have ended: at its length, or before it when all
// jobs end. A job of 1000 s takes two whole rounds of 360 s and the 280 s left, on one node as on two.
TEST(KnownAnswers, CompatRoundsCloseWhenAllTheirLeasesHaveEnded) {
  for (const std::uint32_t gpus : {1U, 2U}) {
    SimulationOptions options;
    options.policy = "gavel-las";
    options.gavel_2022 = true;
    options.nodes = {node_of("a", "V100", 1), node_of("b", "V100", 1)};
    const std::map<GpuType, double> ten{{"V100", 10}};
    const auto jcts =
        simulated_jcts(options, {{sleep_job("J1", gpus, 10000, ten), 0}, {sleep_job("J2", gpus, 1000, ten), 5000}});
    ASSERT_EQ(jcts.size(), 2U);
    EXPECT_NEAR(jcts[0], 1000, 1) << gpus;
    EXPECT_NEAR(jcts[1], 100, 1) << gpus << ": the round after an idle time opens when it comes";
  }
}

TEST(KnownAnswers, HadarTrainsAGangOverTwoKindsOfGpuAtTheSlowerOnesSpeed) {
  SimulatedClusterOptions options;
  options.scheduler.policy = "hadar";
  options.nodes = {node_of("a", "V100", 3), node_of("b", "P100", 3)};
  auto cluster = started(options);
  auto gang = sleep_job("gang", 4, 100, {{"V100", 10}, {"P100", 5}});
  cluster->submit(gang, kJoined_s);
  ASSERT_TRUE(cluster->run_until_ended(1000));
  EXPECT_NEAR(jct_of(cluster->events(), "gang"), 20, kPause_s) << "5 steps/s from the first round on";
  cluster->run_until(200);
  expect_clean(*cluster);
}

// Jobs far shorter than a round go before long ones, whatever the long ones mean to the makespan.
TEST(KnownAnswers, HadarLetsACrowdOfShortJobsBeforeTheLongOnes) {
  constexpr std::uint64_t kShort = 200;
  constexpr double kShort_s = 20;
  SimulationOptions options;
  options.policy = "hadar";
  options.round_s = 360;
  options.nodes = {node_of("a", "X", 1), node_of("b", "X", 1)};
  const std::map<GpuType, double> ten{{"X", 10}};
  std::vector<TraceJob> jobs;
  for (int i = 0; i < 6; ++i) jobs.push_back({sleep_job("long" + std::to_string(i), 1, 30000, ten), 0});
  for (std::uint64_t i = 0; i < kShort; ++i)
    jobs.push_back({sleep_job("short" + std::to_string(i), 1, static_cast<std::uint64_t>(10 * kShort_s), ten), 0});
  const auto jcts = simulated_jcts(options, jobs);
  ASSERT_EQ(jcts.size(), jobs.size());
  double sum = 0;
  for (std::size_t i = 6; i < jcts.size(); ++i) sum += jcts[i];
  const double first = kShort_s * (kShort / 2.0 + 1) / 2;  // two at a time, before everything else
  EXPECT_LE(sum / kShort, 1.05 * first);
}

// What a planner knows of a job is what is credited: of a gang that trains on for rounds it would else know nothing.
TEST(KnownAnswers, AGangOverNodesIsCreditedEveryRoundAsOneNodeIs) {
  constexpr double kRound_s = 60;
  for (const std::uint32_t nodes : {1U, 3U}) {
    SimulatedClusterOptions options;
    options.scheduler.policy = "hadar";
    options.scheduler.round_s = kRound_s;
    for (std::uint32_t n = 0; n < nodes; ++n) options.nodes.push_back(node_of(std::string(1, 'a' + char(n)), "X", 1));
    auto cluster = started(options);
    cluster->submit(sleep_job("job", nodes, 6000, {{"X", 10}}), kJoined_s);
    ASSERT_TRUE(cluster->run_until_ended(1000));
    std::size_t checkpoints = 0;
    for (const auto& event : cluster->events())
      if (const auto* merge = std::get_if<event::Consolidated>(&event.body); merge && merge->forks.front().open) {
        EXPECT_NEAR(static_cast<double>(merge->credited), 10 * kRound_s, 20) << nodes;
        ++checkpoints;
      }
    EXPECT_EQ(checkpoints, 9U) << nodes << " nodes: one a round, and the last is the end";
    cluster->run_until(1000);
    expect_clean(*cluster);
  }
}

TEST(KnownAnswers, HadareTrainsOneJobOnThreeNodesAtOnce) {
  SimulatedClusterOptions options;
  options.scheduler.policy = "hadare";
  options.scheduler.round_s = 60;
  options.nodes = {node_of("a", "X", 1), node_of("b", "Y", 1), node_of("c", "Z", 1)};
  auto cluster = started(options);
  auto job = sleep_job("job", 1, 9000, {{"X", 10}, {"Y", 20}, {"Z", 60}});
  job.sleep.checkpoint_bytes = 64;
  cluster->submit(job, kJoined_s);
  ASSERT_TRUE(cluster->run_until_ended(1000));
  const auto& events = cluster->events();
  for (const auto& event : events) {
    const auto* merge = std::get_if<event::Consolidated>(&event.body);
    if (!merge) continue;
    EXPECT_NEAR(static_cast<double>(merge->credited), 5400, 0.05 * 5400) << "a round less its merge time";
    ASSERT_EQ(merge->forks.size(), 3U);
    for (const auto& fork : merge->forks) EXPECT_TRUE(fork.in) << fork.reason;
    break;
  }
  const auto jct = jct_of(events, "job");
  EXPECT_GE(jct, 100);
  EXPECT_LE(jct, 110) << "inside the second round, against 150 s on the best node alone";
  cluster->run_until(300);
  expect_clean(*cluster);
}

}  // namespace
}  // namespace hadar
