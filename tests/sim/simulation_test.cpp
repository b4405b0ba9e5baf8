// Runs of the simulator as a whole: answers worked out by hand, figures, and the same bytes for the same seed.
#include "launchers/simulation.hpp"

#include <gmock/gmock.h>

#include "messages/codec/event_json.hpp"
#include "tests/sim/sim_cases.hpp"

namespace hadar {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr double kExact_s = 1e-6;

TraceJob arriving(double arrival_s, JobSpec spec) {
  return {std::move(spec), arrival_s};
}

SimulationOptions options_of(const std::string& policy, std::vector<NodeInventory> nodes) {
  SimulationOptions options;
  options.policy = policy;
  options.nodes = std::move(nodes);
  return options;
}

SimulationResult run(const SimulationOptions& options, const std::vector<TraceJob>& workload) {
  auto result = run_simulation(options, workload);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  EXPECT_TRUE(result->ended);
  EXPECT_THAT(result->violations, IsEmpty());
  return *std::move(result);
}

std::vector<double> jcts_of(const SimulationResult& result) {
  std::vector<double> jcts;
  for (const auto& job : result.figures.by_job) jcts.push_back(*job.completed_t_s - job.submitted_t_s);
  return jcts;
}

// Three jobs on two GPUs, in strict order.
std::vector<TraceJob> three_jobs() {
  const std::map<GpuType, double> ten{{"V100", 10}};
  return {arriving(0, sleep_job("J1", 2, 1000, ten)), arriving(1, sleep_job("J2", 1, 100, ten)),
          arriving(2, sleep_job("J3", 1, 100, ten))};
}

TEST(Simulation, TellsTheMakespanThatNoSchedulerBeats) {
  const auto tight = run(options_of("yarn-cs", {node_of("n1", "V100", 2)}), three_jobs());
  ASSERT_TRUE(tight.figures.makespan_bound_s.has_value());
  EXPECT_NEAR(*tight.figures.makespan_bound_s, 110, 0.01) << "220 GPU seconds on two GPUs, all of them busy";
  const auto late = run(
      options_of("yarn-cs", {node_of("n1", "V100", 2)}),
      {arriving(0, sleep_job("J1", 1, 100, {{"V100", 10}})), arriving(500, sleep_job("J2", 1, 300, {{"V100", 10}}))});
  EXPECT_NEAR(*late.figures.makespan_bound_s, 530, 0.01) << "nobody can begin before the job is there";
}

TEST(Simulation, TellsNoLeastMakespanWhereJobsMayHaveMoreGpusThanTheirGang) {
  const auto forked = run(options_of("hadare", {node_of("n1", "V100", 2)}), three_jobs());
  EXPECT_FALSE(forked.figures.makespan_bound_s.has_value());
}

TEST(Simulation, FirstComeFirstServedAsWorkedOutByHand) {
  const auto result = run(options_of("yarn-cs", {node_of("n1", "V100", 2)}), three_jobs());
  const auto jcts = jcts_of(result);
  EXPECT_NEAR(jcts.at(0), 100, kExact_s);
  EXPECT_NEAR(jcts.at(1), 109, kExact_s);
  EXPECT_NEAR(jcts.at(2), 108, kExact_s);
  EXPECT_NEAR(*result.figures.avg_jct_s, 317.0 / 3, kExact_s);
  EXPECT_NEAR(result.figures.makespan_s, 110, kExact_s);
}

TEST(Simulation, FiguresAreThoseOfTheHandWorkedRun) {
  auto options = options_of("yarn-cs", {node_of("n1", "V100", 2)});
  options.cost_per_gpu_h = {{"V100", 3.6}};
  const auto figures = run(options, three_jobs()).figures;
  EXPECT_NEAR(*figures.avg_queueing_s, (0 + 99 + 98) / 3.0, kExact_s);
  EXPECT_NEAR(figures.gru, 1, kExact_s) << "two GPUs for 100 s, then both for 10 s";
  EXPECT_NEAR(figures.cru, 1, kExact_s);
  EXPECT_NEAR(*figures.cost, 0.22, kExact_s) << "220 GPU seconds at 0.001";
  EXPECT_EQ(figures.preemptions, 0U);
  EXPECT_EQ(figures.consolidations, 0U);
  EXPECT_NEAR(*figures.p50_jct_s, 108, kExact_s);
  // J2 was there from 1 to 110; with J1 for 99 s, J3 for 108 s and itself, and J1's gang of two had all GPUs alone.
  const double crowd = (99 + 108 + 109) / 109.0;
  EXPECT_NEAR(figures.by_job.at(1).isolated_s, 10 * std::max(1.0, crowd / 2), kExact_s);
}

TEST(Simulation, GangOverTwoKindsOfGpuRunsAtTheSlowerOnesSpeed) {
  const auto result = run(options_of("hadar", {node_of("a", "V100", 3), node_of("b", "P100", 3)}),
                          {arriving(0, sleep_job("gang", 4, 100, {{"V100", 10}, {"P100", 5}}))});
  EXPECT_NEAR(jcts_of(result).at(0), 20, kExact_s);
}

TEST(Simulation, OneJobOnThreeNodesBeatsTheBestOfThem) {
  auto options = options_of("hadare", {node_of("a", "X", 1), node_of("b", "Y", 1), node_of("c", "Z", 1)});
  options.round_s = 60;
  const auto result = run(options, {arriving(0, sleep_job("job", 1, 9000, {{"X", 10}, {"Y", 20}, {"Z", 60}}))});
  const auto jct = jcts_of(result).at(0);
  EXPECT_GE(jct, 100);
  EXPECT_LE(jct, 110) << "inside the second round";
  EXPECT_EQ(result.figures.consolidations, 2U);
}

TEST(Simulation, ALeaseCostsItsStartAndItsSave) {
  auto options = options_of("yarn-cs", {node_of("n1", "V100", 1)});
  options.costs = [](const JobSpec&) { return TrainerCosts{7, 3}; };
  const auto result = run(options, {arriving(5, sleep_job("job", 1, 100, {{"V100", 10}}))});
  EXPECT_NEAR(jcts_of(result).at(0), 20, kExact_s);
}

TEST(Simulation, TableSpeedsAndTheirSpreadFactorMakeTheTime) {
  auto options = options_of("yarn-cs", {node_of("n1", "V100", 1), node_of("n2", "V100", 1)});
  options.throughputs = {{"net", 8, 2, "V100", Placement::kPacked, 10}, {"net", 8, 1, "V100", Placement::kPacked, 20}};
  options.spread_factor = 0.5;
  JobSpec gang;
  gang.name = "gang";
  gang.workload = kTraceWorkload;
  gang.model = "net";
  gang.batch_size = 8;
  gang.gpus = 2;
  gang.total_steps = 100;
  gang.forkable = false;
  EXPECT_NEAR(jcts_of(run(options, {arriving(0, gang)})).at(0), 20, kExact_s) << "10 steps/s, halved over two nodes";
}

TEST(Simulation, JobsThatCanNeverRunAreNamedAndTheRestRuns) {
  JobSpec unknown;
  unknown.name = "unknown";
  unknown.workload = kTraceWorkload;
  unknown.model = "nobody measured it";
  unknown.total_steps = 1;
  const std::map<GpuType, double> ten{{"V100", 10}};
  const auto result =
      run(options_of("yarn-cs", {node_of("n1", "V100", 2)}),
          {arriving(0, sleep_job("large", 3, 10, ten)), arriving(0, unknown),
           arriving(0, sleep_job("elsewhere", 1, 10, {{"A100", 1}})), arriving(0, sleep_job("fits", 1, 100, ten))});
  ASSERT_THAT(result.infeasible, SizeIs(3));
  EXPECT_EQ(result.infeasible[0].reason.code, "infeasible_gpus");
  EXPECT_EQ(result.infeasible[1].reason.code, "infeasible_no_speed");
  EXPECT_EQ(result.infeasible[2].reason.code, "infeasible_type");
  EXPECT_THAT(jcts_of(result), ElementsAre(testing::DoubleNear(10, kExact_s)));
}

TEST(Simulation, IdleYearsCostNothing) {
  const std::map<GpuType, double> ten{{"V100", 10}};
  const auto result = run(options_of("yarn-cs", {node_of("n1", "V100", 1)}),
                          {arriving(0, sleep_job("now", 1, 10, ten)), arriving(1e7, sleep_job("later", 1, 10, ten))});
  EXPECT_NEAR(result.now_s, 1e7 + 1, 1);
}

// ---- the same in, the same out ----

std::string lines_of(SimulationOptions options) {
  std::string lines;
  options.observer = [&lines](const Event& event) { lines += event_to_json(event) + "\n"; };
  std::vector<TraceJob> workload;
  for (int i = 0; i < 12; ++i)
    workload.push_back(arriving(3 * i, sleep_job("job" + std::to_string(i), 1, 150, five_speeds())));
  run(options, workload);
  return lines;
}

SimulationOptions on_five_nodes(const std::string& policy) {
  auto options = options_of(policy, five_nodes(policy, 6).nodes);
  options.round_s = 6;
  options.seed = 7;
  return options;
}

TEST(Simulation, NoiseComesFromTheSeed) {
  auto options = on_five_nodes("hadare");
  options.noise = 0.1;
  const auto once = lines_of(options);
  EXPECT_EQ(once, lines_of(options));
  options.seed = 8;
  EXPECT_NE(once, lines_of(options));
}

TEST(Simulation, FaultsComeFromThePlanAndTheSeed) {
  auto options = on_five_nodes("hadar");
  options.faults = {Fault{FaultKind::kCrash, 8, 20, "n1", FaultyRole::kNone, 0, 0, 0},
                    Fault{FaultKind::kRestart, 11, 0, "", FaultyRole::kJobTracker, 0, 0, 0},
                    Fault{FaultKind::kSlow, 14, 9, "n2", FaultyRole::kNone, 0.5, 0, 0},
                    Fault{FaultKind::kDelay, 0, 60, "", FaultyRole::kNone, 0, 0.02, 0},
                    Fault{FaultKind::kReordering, 0, 60, "", FaultyRole::kNone, 0, 0, 0.3},
                    Fault{FaultKind::kDuplication, 0, 60, "", FaultyRole::kNone, 0, 0, 0.1},
                    Fault{FaultKind::kLoss, 20, 20, "", FaultyRole::kNone, 0, 0, 0.05}};
  const auto once = lines_of(options);
  EXPECT_EQ(once, lines_of(options));
  options.seed = 8;
  EXPECT_NE(once, lines_of(options));
  options.faults.clear();
  EXPECT_NE(once, lines_of(options));
}

TEST(Simulation, AFaultElsewhereIsRefused) {
  auto options = on_five_nodes("yarn-cs");
  options.faults = {Fault{FaultKind::kSlow, 1, 0, "nowhere", FaultyRole::kNone, 0.5, 0, 0}};
  const auto result = run_simulation(options, {});
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().message, HasSubstr("nowhere"));
}

}  // namespace
}  // namespace hadar
