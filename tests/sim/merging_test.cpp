// Merges that keep a part only of what slower forks add: what the actors find out, and what jobs are judged by.
#include <gmock/gmock.h>

#include "launchers/simulation.hpp"
#include "tests/sim/sim_cases.hpp"

namespace hadar {
namespace {

struct Learnt {
  std::optional<double> merge_efficiency;
  std::optional<double> steps_effective;
  double truth = 0;
  std::uint64_t credited = 0;
};

class Merging : public testing::Test {
 protected:
  // One job on five nodes under HadarE.
  void run(const JobSpec& spec, double merge_efficiency) {
    auto options = five_nodes("hadare", 10);
    options.merge_efficiency = merge_efficiency;
    options.load_s = start_s_;
    options.policy["start_s"] = start_s_;
    auto started = SimulatedCluster::start(options);
    ASSERT_TRUE(started.has_value());
    cluster_ = *std::move(started);
    cluster_->submit(spec, 0);
    ASSERT_TRUE(cluster_->run_until_ended(5000)) << cluster_->event_lines();
    cluster_->run_until(cluster_->now_s() + 30);
    EXPECT_EQ(joined(check_log(cluster_->events(), true)), "");
    LearntSteps truth(merge_efficiency);
    for (const auto& event : cluster_->events()) {
      const auto* merged = std::get_if<event::Consolidated>(&event.body);
      if (merged == nullptr) continue;
      truth.take(*merged);
      learnt_ = {merged->merge_efficiency, merged->steps_effective, truth.of(merged->job),
                 learnt_.credited + merged->credited};
    }
  }

  double start_s_ = 0;
  std::unique_ptr<SimulatedCluster> cluster_;
  Learnt learnt_;
};

TEST_F(Merging, EfficiencyIsFoundAndEffectiveStepsAreTold) {
  for (const double eta : {0.2, 0.5, 0.8}) {
    learnt_ = {};
    run(sleep_job("job", 1, 2000, five_speeds()), eta);
    EXPECT_EQ(learnt_.credited, 2000U) << "steps are judged as counted";
    ASSERT_TRUE(learnt_.merge_efficiency.has_value());
    EXPECT_NEAR(*learnt_.merge_efficiency, eta, 0.06);
    EXPECT_NEAR(*learnt_.steps_effective, learnt_.truth, 0.03 * learnt_.truth);
  }
}

TEST_F(Merging, AJobOfEffectiveStepsTrainsOnUntilTheyAreThere) {
  auto spec = sleep_job("job", 1, 2000, five_speeds());
  spec.effective_steps = true;
  run(spec, 0.5);
  EXPECT_GT(learnt_.credited, 2300U);
  EXPECT_NEAR(learnt_.truth, 2000, 40);
}

TEST_F(Merging, ForkingStopsWhereItIsFoundToBringNothing) {
  auto spec = sleep_job("job", 1, 2000, five_speeds());
  spec.effective_steps = true;
  start_s_ = 1;
  run(spec, 0);
  std::size_t forks = 0;
  double last_fork_s = 0;
  for (const auto& event : cluster_->events())
    if (const auto* granted = std::get_if<event::LeasesGranted>(&event.body); granted && granted->leases.size() > 1) {
      ++forks;
      last_fork_s = event.t_s;
    }
  EXPECT_GE(forks, 2U) << "it takes two merges to know";
  EXPECT_LT(last_fork_s, 50) << "of some 200 s";
}

TEST_F(Merging, ATargetEndsAJob) {
  auto spec = sleep_job("job", 1, 20000, five_speeds());
  spec.target = {"loss", simulated_loss(spec, 2000), false};
  run(spec, 1);
  EXPECT_GE(learnt_.credited, 2000U);
  EXPECT_LE(learnt_.credited, 3000U) << "forks tell their loss at the next border, and stand behind what they make";
  EXPECT_EQ(count_of<event::Completed>(cluster_->events()), 1U);
}

TEST_F(Merging, ATargetEndsALoneJobAtItsNextCheckpoint) {
  auto spec = sleep_job("job", 1, 20000, five_speeds());
  spec.forkable = false;
  spec.checkpoint_every_s = 5;
  spec.target = {"loss", simulated_loss(spec, 2000), false};
  run(spec, 1);
  EXPECT_GE(learnt_.credited, 2000U);
  EXPECT_LE(learnt_.credited, 2100U);
}

}  // namespace
}  // namespace hadar
