// hadar simulate and rerun: the files they read and write.
#include <filesystem>
#include <gmock/gmock.h>

#include "tests/unit/cli/simulate_fixture.hpp"

namespace hadar::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST_F(SimulateTest, RelativePathsAreFoundFromAnotherFolderAndAfterAMove) {
  const auto here = fs::current_path();
  fs::current_path(folder_);
  args_.cluster = "cluster.toml";
  args_.trace = "trace.csv";
  args_.throughputs = "speeds.csv";
  const auto ended = run_simulate(args_);
  fs::current_path(here);
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(run_rerun({}, {path("result.json"), 1}).value(), ExitCode::kDone);
  const auto moved = folder_.string() + "-moved";
  fs::rename(folder_, moved);
  folder_ = moved;
  EXPECT_EQ(run_rerun({}, {path("result.json"), 1}).value(), ExitCode::kDone) << "inputs beside the result";
}

TEST_F(SimulateTest, NoOutputReplacesAnyFileThatIsRead) {
  write("cluster.toml", "throughputs = \"speeds.csv\"\n" + read("cluster.toml"));
  write("faults.toml", "[[faults]]\nkind = \"crash\"\nat_s = 1\nfor_s = 5\nnode = \"n-1\"\n");
  write("costs.csv", "model,load_s,save_s\nnet,1,1\n");
  args_.throughputs = "";
  args_.faults = path("faults.toml");
  args_.costs = path("costs.csv");
  args_.json = "";
  const auto good = args_;
  for (const auto* input : {"cluster.toml", "trace.csv", "speeds.csv", "faults.toml", "costs.csv"})
    for (auto output : {&SimulateArgs::json, &SimulateArgs::events, &SimulateArgs::report}) {
      const auto before = read(input);
      args_ = good;
      args_.*output = path(input);
      const auto failed = failure();
      EXPECT_EQ(failed.code, ExitCode::kUsage) << input;
      EXPECT_THAT(failed.error.message, HasSubstr("is read by this command")) << input;
      EXPECT_EQ(read(input), before);
    }
  fs::copy(path("trace.csv"), path("t.yarn-cs.8.csv"));
  args_ = good;
  args_.trace = path("t.yarn-cs.8.csv");
  args_.events = path("t.csv");
  EXPECT_THAT(failure().error.message, HasSubstr("is read by this command")) << "events of several runs";
}

TEST_F(SimulateTest, EventsOfSeveralRunsAreNotMixedOnStandardOutput) {
  args_.events = "-";
  const auto failed = failure();
  EXPECT_EQ(failed.code, ExitCode::kUsage);
  EXPECT_THAT(failed.error.message, HasSubstr("--events -"));
}

TEST_F(SimulateTest, TheTableThatTheClusterNamesIsPartOfTheHeader) {
  write("cluster.toml", "throughputs = \"speeds.csv\"\n" + read("cluster.toml"));
  args_.throughputs = "";
  ASSERT_TRUE(run_simulate(args_).has_value());
  auto recorded = result();
  EXPECT_EQ(recorded["provenance"]["inputs"][2]["file"], path("speeds.csv"));
  EXPECT_EQ(run_rerun({}, {path("result.json"), 1}).value(), ExitCode::kDone);
  const auto speeds = read("speeds.csv");
  write("speeds.csv", speeds + "net,16,1,V100,packed,10\n");
  const auto refused = run_rerun({}, {path("result.json"), 1});
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().error.message, HasSubstr("speeds.csv is not the file it was"));
  write("speeds.csv", speeds);
  recorded["provenance"]["inputs"].erase(2);
  write("result.json", recorded.dump());
  EXPECT_EQ(run_rerun({}, {path("result.json"), 1}).value(), ExitCode::kDone) << "as older versions recorded it";
}

}  // namespace
}  // namespace hadar::cli
