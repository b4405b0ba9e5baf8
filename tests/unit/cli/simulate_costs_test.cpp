// hadar simulate: what GPUs cost, and settings that would change nothing.
#include <gmock/gmock.h>

#include "tests/unit/cli/simulate_fixture.hpp"

namespace hadar::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SimulateCosts : public SimulateTest {
 protected:
  void SetUp() override {
    SimulateTest::SetUp();
    write("cluster.toml",
          "[[nodes]]\nname = \"v\"\ngpus = [{ type = \"V100\", count = 1 }]\n"
          "[[nodes]]\nname = \"a\"\ngpus = [{ type = \"A40\", count = 1 }]\n");
    write("speeds.csv",
          "model,batch_size,gpus,gpu_type,placement,steps_per_s\nnet,8,1,V100,packed,10\nnet,8,1,A40,packed,8\n");
    write("trace.csv",
          "job_id,arrival_s,model,batch_size,gpus,total_steps,weight,deadline_s,user,forkable\n"
          "one,0,net,8,1,6000,1,0,u,true\n");
    args_.policies = "gavel-cost";
    args_.seeds = "1";
    args_.noise = 0;
  }
  // Of the one job: 600 s on the V100, 750 s on the A40.
  double makespan(std::vector<std::string> costs, std::vector<std::string> set = {}) {
    args_.gpu_costs = std::move(costs);
    args_.set = std::move(set);
    const auto ended = run_simulate(args_);
    EXPECT_TRUE(ended.has_value()) << ended.error().error.message;
    return result()["runs"][0]["makespan_s"].get<double>();
  }
  std::string refusal(std::vector<std::string> costs, std::vector<std::string> set = {}) {
    args_.gpu_costs = std::move(costs);
    args_.set = std::move(set);
    const auto failed = failure();
    EXPECT_EQ(failed.code, ExitCode::kUsage) << failed.error.message;
    return failed.error.message;
  }
};

TEST_F(SimulateCosts, AreThePricesOfPoliciesThatWeighThem) {
  for (const auto* policy : {"gavel-cost", "gavel-cost-slo", "gavel-cost-ratio"}) {
    args_.policies = policy;
    EXPECT_LT(makespan({"V100=0.01", "A40=100"}), 700) << policy;
    EXPECT_GT(makespan({"V100=100", "A40=0.01"}), 700) << policy;
    EXPECT_EQ(run_rerun({}, {path("result.json"), 1}).value(), ExitCode::kDone) << policy;
    const auto price = [&](const std::string& of) { return policy + (".price." + of); };
    EXPECT_GT(makespan({}, {price("V100=100"), price("A40=0.01")}), 700) << policy;
    EXPECT_GT(makespan({"V100=100"}, {price("A40=0.01")}), 700) << policy;
    EXPECT_GT(makespan({"V100=100", "A40=0.01"}, {price("A40=0.01")}), 700) << policy;
  }
}

TEST_F(SimulateCosts, ATypeWithoutAPriceIsTakenAtTheKnownOnesAndNamed) {
  testing::internal::CaptureStderr();
  EXPECT_LT(makespan({"A40=100"}), 700) << "0.74 for the V100";
  const auto warning = testing::internal::GetCapturedStderr();
  EXPECT_THAT(warning, AllOf(HasSubstr("no price of V100:"), HasSubstr("--gpu-cost"), Not(HasSubstr("A40"))));
  args_.policies = "all";
  args_.gpu_costs = {};
  EXPECT_TRUE(run_simulate(args_).has_value()) << "every policy runs without prices";
}

TEST_F(SimulateCosts, ATypeWithTwoPricesIsRefused) {
  EXPECT_THAT(refusal({"V100=1", "A40=1"}, {"gavel-cost.price.A40=2"}),
              AllOf(HasSubstr("--set gavel-cost.price.A40=2"), HasSubstr("--gpu-cost says 1")));
  EXPECT_THAT(refusal({"V100=0", "A40=1"}), AllOf(HasSubstr("--gpu-cost V100=0"), HasSubstr("gavel-cost")));
  args_.policies = "yarn-cs";
  args_.gpu_costs = {"V100=0"};
  EXPECT_TRUE(run_simulate(args_).has_value()) << "whoever weighs no prices needs none";
}

TEST_F(SimulateCosts, AreShownAndWhatIsMissingIsSaid) {
  args_.policies = "yarn-cs";
  const auto shown = [&](std::vector<std::string> costs) {
    args_.gpu_costs = std::move(costs);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    EXPECT_TRUE(run_simulate(args_).has_value());
    return std::pair(testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr());
  };
  EXPECT_THAT(shown({}).first, Not(HasSubstr("COST")));
  const auto [table, silence] = shown({"V100=6", "A40=6"});
  EXPECT_THAT(table, AllOf(HasSubstr("COST"), Not(HasSubstr(" -"))));
  EXPECT_EQ(silence, "");
  const auto used = result()["runs"][0]["makespan_s"].get<double>() < 700 ? "V100" : "A40";
  const auto [gap, warning] = shown({used == std::string("V100") ? "A40=6" : "V100=6"});
  EXPECT_THAT(gap, HasSubstr("COST"));
  EXPECT_THAT(warning, AllOf(HasSubstr("--gpu-cost"), HasSubstr(used)));
}

TEST_F(SimulateCosts, SettingsThatWouldChangeNothingAreRefused) {
  EXPECT_THAT(refusal({"V100=1", "A40=1"}, {"gavel-cost.price.NOPE=3"}),
              AllOf(HasSubstr("--set gavel-cost.price.NOPE=3"), HasSubstr("no GPU of type NOPE")));
  args_.policies = "yarn-cs,gavel-las";
  EXPECT_THAT(refusal({}, {"prices.form=exponential"}),
              AllOf(HasSubstr("--set prices.form=exponential"), HasSubstr("no policy that is run uses prices")));
  EXPECT_THAT(refusal({}, {"gavel-las.price.V100=3"}),
              AllOf(HasSubstr("--set gavel-las.price.V100=3"), HasSubstr("weighs no costs")));
  EXPECT_THAT(refusal({}, {"gavel-las.entity_weight.u=3"}),
              AllOf(HasSubstr("--set gavel-las.entity_weight.u=3"), HasSubstr("gavel-hierarchical")));
  EXPECT_THAT(refusal({}, {"gavel-las.entity_rule=fifo"}), HasSubstr("gavel-hierarchical"));
  args_.policies = "gavel-hierarchical,hadar";
  EXPECT_THAT(refusal({}, {"gavel-hierarchical.entity_weight.x=3"}), HasSubstr("no job of a user x"));
  EXPECT_THAT(refusal({}, {"hadar.quota.x=0.5"}), HasSubstr("no job of a user x"));
  args_.set = {"gavel-hierarchical.entity_weight.u=3", "hadar.quota.u=0.5", "prices.form=exponential"};
  EXPECT_TRUE(run_simulate(args_).has_value());
}

TEST_F(SimulateCosts, AllStandsAlone) {
  args_.policies = "all,yarn-cs";
  EXPECT_THAT(refusal({}), AllOf(HasSubstr("--policy"), HasSubstr("all stands alone")));
}

}  // namespace
}  // namespace hadar::cli
