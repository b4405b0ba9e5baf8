// hadar simulate and rerun: what they are told, what they write.
#include <filesystem>
#include <gmock/gmock.h>

#include "tests/unit/cli/simulate_fixture.hpp"

namespace hadar::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using testing::HasSubstr;

TEST_F(SimulateTest, WhatWasDecidedAboutTheTraceIsSaid) {
  write("trace.csv",
        "job_id,arrival_s,model,batch_size,gpus,total_steps\na,2020-04-01 00:00:00,net,8,1,700\n"
        "b,2020-04-01 00:00:07,net,8,1,700\n");
  testing::internal::CaptureStderr();
  const auto ended = run_simulate(args_);
  const auto said = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(ended.has_value()) << ended.error().error.message;
  EXPECT_EQ(*ended, ExitCode::kDone);
  EXPECT_THAT(said, testing::HasSubstr(args_.trace + ": times are dates: arrivals count from the earliest job"));
}

TEST_F(SimulateTest, WritesOneRunPerPolicyAndSeed) {
  ASSERT_EQ(run_simulate(args_).value(), ExitCode::kDone);
  const auto runs = result()["runs"];
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_EQ(runs[1]["policy"], "hadar");
  EXPECT_EQ(runs[1]["seed"], 8);
  EXPECT_EQ(runs[2]["completed"], 20);
  EXPECT_EQ(runs[2]["jct_s"].size(), 20U);
  EXPECT_FALSE(runs[2].contains("timing"));
  EXPECT_NE(runs[0]["jct_s"], runs[1]["jct_s"]) << "another seed, other noise";
}

TEST_F(SimulateTest, AnyNumberOfThreadsWritesTheSameBytes) {
  args_.events = path("one.jsonl");
  ASSERT_TRUE(run_simulate(args_).has_value());
  const auto once = read("result.json");
  args_.events = path("two.jsonl");
  args_.threads = 3;
  ASSERT_TRUE(run_simulate(args_).has_value());
  EXPECT_EQ(once, read("result.json"));
  for (const auto* run : {"hadar.7", "hadar.8", "yarn-cs.7", "yarn-cs.8"}) {
    const auto events = read(std::string("one.") + run + ".jsonl");
    EXPECT_FALSE(events.empty());
    EXPECT_EQ(events, read(std::string("two.") + run + ".jsonl")) << run;
  }
  EXPECT_NE(read("one.hadar.7.jsonl"), read("one.hadar.8.jsonl"));
}

TEST_F(SimulateTest, ResultCanBeRunAgainFromItsHeaderAlone) {
  ASSERT_TRUE(run_simulate(args_).has_value());
  EXPECT_EQ(run_rerun({}, {path("result.json"), 2}).value(), ExitCode::kDone);
  auto changed = result();
  changed["runs"][3]["makespan_s"] = 1;
  write("result.json", changed.dump());
  EXPECT_EQ(run_rerun({}, {path("result.json"), 1}).value(), ExitCode::kFailed);
  write("trace.csv", read("trace.csv") + "late,1000,net,8,1,10,1,0,u,true\n");
  const auto refused = run_rerun({}, {path("result.json"), 1});
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().error.message, HasSubstr("trace.csv"));
}

TEST_F(SimulateTest, SettingsReachTheirPolicyAndThePricesAndAreRepeated) {
  std::string jobs = "job_id,arrival_s,model,batch_size,gpus,total_steps,weight,deadline_s,user,forkable\n";
  for (int i = 0; i < 12; ++i)
    jobs += "job-" + std::to_string(i) + ",0,net,8,2," + std::to_string(500 * (1 + i * 7 % 12)) + ",1,0,u,true\n";
  write("trace.csv", jobs);
  const auto jct_of = [&](std::vector<std::string> set) {
    args_.set = std::move(set);
    EXPECT_TRUE(run_simulate(args_).has_value());
    EXPECT_EQ(run_rerun({}, {path("result.json"), 1}).value(), ExitCode::kDone);
    return result()["runs"][0]["avg_jct_s"].get<double>();
  };
  const double shortest_first = jct_of({"hadar.utility=jct"});
  EXPECT_LT(shortest_first, jct_of({"hadar.utility=makespan"}));
  EXPECT_GT(jct_of({"prices.form=exponential", "hadar.utility=inverse-slowdown"}), shortest_first);
}

TEST_F(SimulateTest, HeaderHoldsVersionSeedsOptionsAndHashes) {
  ASSERT_TRUE(run_simulate(args_).has_value());
  const auto provenance = result()["provenance"];
  EXPECT_TRUE(provenance.contains("hadar"));
  EXPECT_EQ(provenance["options"]["seeds"], "7..8");
  EXPECT_EQ(provenance["options"]["noise"], 0.1);
  ASSERT_EQ(provenance["inputs"].size(), 3U);
  EXPECT_EQ(provenance["inputs"][1]["option"], "trace");
  const auto again = args_of(provenance);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(provenance_of(*again).value(), provenance);
}

TEST_F(SimulateTest, JobTooLargeIsInfeasibleAndTheRestRuns) {
  write("trace.csv", read("trace.csv") + "huge,0,net,8,5,10,1,0,u,true\n");
  EXPECT_EQ(run_simulate(args_).value(), ExitCode::kPartly);
  const auto run = result()["runs"][0];
  ASSERT_EQ(run["infeasible"].size(), 1U);
  EXPECT_EQ(run["infeasible"][0]["job"], "huge");
  EXPECT_EQ(run["infeasible"][0]["code"], "infeasible_gpus");
  EXPECT_EQ(run["jct_s"].size(), 21U);
}

TEST_F(SimulateTest, AGangThatNoTypeHasRoomForRunsOnlyWherePoliciesMixTypes) {
  write("cluster.toml",
        "[[nodes]]\nname = \"n\"\ngpus = [{ type = \"V100\", count = 2 }, { type = \"K80\", count = 2 }]\n");
  write("speeds.csv", read("speeds.csv") + "net,8,1,K80,packed,5\n");
  args_.policies = "yarn-cs,gavel-las,gandiva";
  EXPECT_EQ(run_simulate(args_).value(), ExitCode::kPartly) << "a third of the jobs wants three GPUs";
  const auto runs = result()["runs"];
  EXPECT_EQ(runs[0]["completed"], 20);
  EXPECT_FALSE(runs[0].contains("infeasible"));
  for (const std::size_t one_type : {2, 4}) {
    EXPECT_EQ(runs[one_type]["completed"], 14);
    EXPECT_EQ(runs[one_type]["infeasible"][0]["code"], "infeasible_one_type");
  }
}

TEST_F(SimulateTest, AJobThatFailsIsNamedAndTheRunIsNotWhole) {
  write("trace.csv", read("trace.csv") + "thin,0,net,8,2,1,1,0,u,true\n");
  args_.policies = "gavel-fifo";
  args_.noise = 0;
  args_.compat = "gavel-2022";  // which drops a gang that has fewer steps than GPUs
  EXPECT_EQ(run_simulate(args_).value(), ExitCode::kPartly);
  const auto run = result()["runs"][0];
  EXPECT_EQ(run["completed"], 20);
  ASSERT_EQ(run["failed"].size(), 1U);
  EXPECT_EQ(run["failed"][0]["job"], "thin");
}

TEST_F(SimulateTest, CompatRefusesWhatGavelsSimulatorDoesNotKnow) {
  args_.policies = "gavel-las";
  args_.compat = "gavel-2022";
  EXPECT_THAT(failure().error.message, HasSubstr("--noise"));
  write("faults.toml", "[[faults]]\nkind = \"crash\"\nat_s = 1\nfor_s = 5\nnode = \"n-1\"\n");
  args_.noise = 0;
  args_.faults = path("faults.toml");
  EXPECT_THAT(failure().error.message, HasSubstr("--faults"));
}

TEST_F(SimulateTest, NothingThatCanRunIsAFailure) {
  write("cluster.toml", "[[nodes]]\nname = \"n\"\ngpus = [{ type = \"Z80\", count = 2 }]\n");
  const auto failed = failure();
  EXPECT_EQ(failed.code, ExitCode::kFailed);
  EXPECT_THAT(failed.error.message, HasSubstr("no speed is known of model net"));
}

TEST_F(SimulateTest, EventsTakeTheirNameWhenTheRunHasEnded) {
  args_.events = path("all.jsonl");
  ASSERT_TRUE(run_simulate(args_).has_value());
  EXPECT_TRUE(fs::exists(path("all.hadar.7.jsonl")));
  EXPECT_FALSE(fs::exists(path("all.hadar.7.jsonl.part")));
}

TEST_F(SimulateTest, AJobBeyondTheEndOfTimeIsGivenUpAndCounted) {
  write("trace.csv", read("trace.csv") + "endless,0,net,8,1,9007199254740992,1,0,u,true\n");
  write("speeds.csv", "model,batch_size,gpus,gpu_type,placement,steps_per_s\nnet,8,1,V100,packed,1e-9\n");
  args_.limit_s = 1e5;
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_simulate(args_).value(), ExitCode::kPartly);
  const auto warning = testing::internal::GetCapturedStderr();
  EXPECT_THAT(warning, HasSubstr("0 of 21 jobs had completed"));
  EXPECT_THAT(warning, testing::StartsWith("hadar: simulate: hadar under seed"));
}

TEST_F(SimulateTest, HeaderOfAnotherShapeIsNamed) {
  ASSERT_TRUE(run_simulate(args_).has_value());
  const auto good = result();
  for (const auto& [key, value] : {std::pair{"folder", Json(5)}, std::pair{"inputs", Json::array({1})}}) {
    auto changed = good;
    changed["provenance"][key] = value;
    write("result.json", changed.dump());
    const auto refused = run_rerun({}, {path("result.json"), 1});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ExitCode::kUsage);
    EXPECT_THAT(refused.error().error.message, HasSubstr(std::string("provenance.") + key));
  }
}

TEST_F(SimulateTest, WrongInputIsNamedBeforeAnythingRuns) {
  const auto usage = [&](auto change, const std::string& names) {
    const auto good = args_;
    change();
    const auto failed = failure();
    EXPECT_EQ(failed.code, ExitCode::kUsage) << failed.error.message;
    EXPECT_THAT(failed.error.message, HasSubstr(names));
    args_ = good;
  };
  usage([&] { args_.policies = "hadar,fifo9"; }, "fifo9");
  usage([&] { args_.policies = "hadar,hadar"; }, "twice");
  usage([&] { args_.trace = path("none.csv"); }, "none.csv");
  usage([&] { args_.seeds = "5..1"; }, "5..1");
  usage([&] { args_.seeds = "x"; }, "--seeds");
  usage([&] { args_.measure_jobs = "90..99"; }, "--measure-jobs");
  usage([&] { args_.measure_jobs = "0..20"; }, "--measure-jobs");
  usage([&] { args_.gpu_costs = {"V100"}; }, "--gpu-cost");
  usage([&] { args_.gpu_costs = {"V100=1", "V100=2"}; }, "twice");
  usage([&] { args_.gpu_costs = {"H100=1"}; }, "H100");
  usage([&] { args_.checkpoint_s = 1e-9; }, "--checkpoint");
  usage([&] { args_.explain = "nobody"; }, "nobody");
  usage([&] { args_.set = {"hadar.gamma=1"}; }, "gamma");
  usage([&] { args_.set = {"hadar.beta=1", "hadar.beta=2"}; }, "--set hadar.beta=2: hadar.beta is 1 in another");
  usage([&] { args_.set = {"hadar.utility=best"}; }, "best");
  usage([&] { args_.set = {"hadar.quota.u=2"}; }, "quota.u");
  usage([&] { args_.set = {"gavel-las.beta=1"}; }, "neither a policy that is run nor prices");
  usage([&] { args_.set = {"hadar.window=1.5"}; }, "no whole number");
  usage([&] { args_.set = {"beta"}; }, "POLICY.key=value");
  usage([&] { args_.set = {"prices.form=steep"}; }, "prices.form");
  write("empty.csv", "job_id,arrival_s,model,batch_size,gpus,total_steps,weight,deadline_s,user,forkable\n");
  usage([&] { args_.trace = path("empty.csv"); }, "empty.csv");
  EXPECT_FALSE(fs::exists(path("result.json")));
}

TEST_F(SimulateTest, AFileThatCannotBeReadIsCalledWhatItIs) {
  fs::create_symlink("loop", path("loop"));
  const auto says = [&](const std::string& file, const std::string& text) {
    args_.cluster = file;
    EXPECT_THAT(failure().error.message, HasSubstr(text));
    const auto replayed = run_replay({}, {file, "hadar", {}});
    ASSERT_FALSE(replayed.has_value());
    EXPECT_THAT(replayed.error().error.message, HasSubstr(text));
    EXPECT_THAT(replayed.error().error.message, HasSubstr("give a round's number or file"));
  };
  says(path("loop"), "Too many levels of symbolic links");
  says(folder_.string(), "is a folder, must be a file");
  says(path("none"), "no such file");
}

TEST_F(SimulateTest, OutputThatCannotBeWrittenIsNamedBeforeAnythingRuns) {
  args_.json = path("nowhere/result.json");
  const auto failed = failure();
  EXPECT_EQ(failed.code, ExitCode::kFailed);
  EXPECT_THAT(failed.error.message, HasSubstr("nowhere/result.json"));
}

TEST_F(SimulateTest, ExplainTellsTheHistoryOfOneJob) {
  args_.explain = "job-3";
  args_.policies = "yarn-cs";
  args_.seeds = "1";
  ASSERT_TRUE(run_simulate(args_).has_value());
  const auto history = result()["runs"][0]["explained"];
  ASSERT_GE(history.size(), 4U);
  EXPECT_EQ(history.front()["kind"], "Submitted");
  EXPECT_EQ(history.back()["kind"], "Completed");
}

TEST_F(SimulateTest, MeasuredJobsAloneMakeTheFigures) {
  args_.measure_jobs = "5..9";
  ASSERT_TRUE(run_simulate(args_).has_value());
  const auto run = result()["runs"][2];
  EXPECT_EQ(run["jobs"], 5);
  double sum = 0;
  for (int i = 5; i <= 9; ++i) sum += run["jct_s"][i].get<double>();
  EXPECT_NEAR(run["avg_jct_s"].get<double>(), sum / 5, 1e-6);
}

}  // namespace
}  // namespace hadar::cli
