// A small cluster, trace and table of speeds in a folder of their own, and arguments of hadar simulate for them.
#pragma once

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

#include "tools/cli/commands.hpp"
#include "tools/cli/simulate_runs.hpp"

namespace hadar::cli {

class SimulateTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("hadar-simulate-test-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    write("cluster.toml", "[[nodes]]\nname = \"n\"\ncount = 2\ngpus = [{ type = \"V100\", count = 2 }]\n");
    write("speeds.csv", "model,batch_size,gpus,gpu_type,placement,steps_per_s\nnet,8,1,V100,packed,10\n");
    std::string jobs = "job_id,arrival_s,model,batch_size,gpus,total_steps,weight,deadline_s,user,forkable\n";
    for (int i = 0; i < 20; ++i)
      jobs += "job-" + std::to_string(i) + "," + std::to_string(7 * i) + ",net,8," + std::to_string(1 + i % 3) +
              ",700,1,0,u,true\n";
    write("trace.csv", jobs);
    args_.cluster = path("cluster.toml");
    args_.trace = path("trace.csv");
    args_.throughputs = path("speeds.csv");
    args_.policies = "hadar,yarn-cs";
    args_.round_s = 60;
    args_.seeds = "7..8";
    args_.noise = 0.1;
    args_.json = path("result.json");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  [[nodiscard]] nlohmann::ordered_json result() const { return nlohmann::ordered_json::parse(read("result.json")); }

  Failure failure() {
    auto ended = run_simulate(args_);
    EXPECT_FALSE(ended.has_value());
    return ended ? Failure{} : ended.error();
  }

  std::filesystem::path folder_;
  SimulateArgs args_;
};

}  // namespace hadar::cli
