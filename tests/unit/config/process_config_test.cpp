#include "runtime/config/process_config.hpp"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <stdlib.h>

namespace hadar {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Overrides = std::vector<std::string>;

class ProcessConfigFile : public ::testing::Test {
 protected:
  ProcessConfigFile() {
    auto name = (fs::temp_directory_path() / "hadar-config-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    file_ = folder_ / "p.toml";
  }
  ~ProcessConfigFile() override { fs::remove_all(folder_); }

  Result<ProcessConfig> load(const std::string& text, const Overrides& overrides = {}) const {
    std::ofstream(file_) << text;
    return load_process_config(file_, overrides);
  }
  // The error without the file's name in front.
  std::string error_of(const std::string& text) const {
    const auto config = load(text);
    if (config) return "";
    EXPECT_EQ(config.error().code, ErrorCode::kInvalidArgument);
    const auto& message = config.error().message;
    EXPECT_THAT(message, StartsWith(file_.string() + ":"));
    EXPECT_EQ(message.find('\n'), std::string::npos);
    return message.substr(file_.string().size() + 1);
  }

  fs::path folder_;
  fs::path file_;
};

std::string override_error(const std::string& text) {
  const auto config = load_process_config({}, Overrides{text});
  return config ? "" : config.error().message;
}

TEST_F(ProcessConfigFile, NothingMeansTheDefaults) {
  const auto right = to_toml(ProcessConfig{});
  EXPECT_EQ(to_toml(load_process_config({}).value()), right);
  EXPECT_EQ(to_toml(load("").value()), right);
  EXPECT_EQ(to_toml(load("[scheduler]\n[node]\n").value()), right);
}

TEST_F(ProcessConfigFile, TakesEveryKindOfOption) {
  const auto config = load(R"(
    [cluster]
    allow_plain_remote = true
    [process]
    name = "n1"
    roles = ["node-worker", "gateway"]
    listen = "tcp://[::]:5555"
    state = "state/n1"
    [scheduler]
    round_s = 6
    [tracker]
    max_failures = 2
    [node]
    gpus = [{type = "V100", count = 2}]
    data = "/var/data"
    [prices]
    form = "exponential"
    [policy]
    greedy = true
    passes = 3
    limit = 0.5
    order = "srpt"
  )")
                          .value();
  EXPECT_TRUE(config.cluster.allow_plain_remote);
  EXPECT_EQ(config.process.roles, (std::vector<std::string>{"node-worker", "gateway"}));
  EXPECT_EQ(config.process.state, folder_ / "state/n1");
  EXPECT_EQ(config.scheduler.round_s, 6);
  EXPECT_EQ(config.tracker.max_failures, 2u);
  EXPECT_EQ(config.node.gpus, (std::vector<GpuGroup>{{"V100", 2}}));
  EXPECT_EQ(config.node.data, "/var/data");
  EXPECT_EQ(config.prices.form, "exponential");
  const PolicyOptions policy{{"greedy", true}, {"passes", 3.0}, {"limit", 0.5}, {"order", std::string("srpt")}};
  EXPECT_EQ(config.policy, policy);
  EXPECT_TRUE(check_process_config(config));
}

TEST_F(ProcessConfigFile, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(error_of("[scheduler]\nrond_s = 6\n"),
            "2:1: scheduler.rond_s: unknown key, nearest known key is scheduler.round_s");
  EXPECT_EQ(error_of("[shceduler]\n"), "1:2: shceduler: unknown key, nearest known key is scheduler");
  EXPECT_EQ(error_of("[scheduler]\nround_s = 0\n"),
            "2:11: scheduler.round_s: got 0, must be a number above 0 and at most 86400");
  EXPECT_THAT(error_of("[scheduler]\nround_s = \"6\"\n"), HasSubstr("got \"6\", must be a number"));
  EXPECT_THAT(error_of("[scheduler]\nround_s = inf\n"), HasSubstr("got inf, must be a number"));
  EXPECT_THAT(error_of("[scheduler]\nround_s = 6\nround_s = 7\n"), StartsWith("3:"));
  EXPECT_THAT(error_of("scheduler = 3\n"), HasSubstr("scheduler: got 3, must be a section [scheduler]"));
  EXPECT_THAT(error_of("[tracker]\nmax_failures = 1.5\n"), HasSubstr("got 1.5, must be a whole number from 1"));
  EXPECT_THAT(error_of("[process]\nroles = [\"node-wroker\"]\n"), HasSubstr("(nearest: node-worker)"));
  EXPECT_THAT(error_of("[process]\nroles = [\"gateway\", \"gateway\"]\n"), HasSubstr("got \"gateway\" twice"));
  EXPECT_THAT(error_of("[process]\nname = \"a b\"\n"), HasSubstr("process.name: got \"a b\", must be 1 to 64 of"));
  EXPECT_THAT(error_of("[prices]\nform = \"linear\"\n"), HasSubstr("must be clearing or exponential"));
  EXPECT_THAT(error_of("[node]\ngpus = [{type = \"V100\", count = -1}]\n"), HasSubstr("node.gpus.count: got -1"));
  EXPECT_THAT(error_of("[policy]\na = [1]\n"), HasSubstr("policy.a: got an array of 1, must be text"));
  EXPECT_THAT(error_of("[policy]\na = nan\n"), HasSubstr("policy.a: got nan"));
  EXPECT_THAT(error_of("[scheduler\n"), HasSubstr("not TOML"));
}

TEST_F(ProcessConfigFile, KnowsAnEndpointWhenItSeesOne) {
  for (const std::string good :
       {"tcp://127.0.0.1:*", "tcp://*:5555", "tcp://[::1]:0", "tcp://host-1.lab:65535", "ipc:///run/hadar.sock", ""})
    EXPECT_EQ(error_of("[peers]\nscheduler = \"" + good + "\"\n"), "") << good;
  for (const std::string bad : {"127.0.0.1:5555", "tcp://127.0.0.1", "tcp://:5555", "tcp://a:65536", "tcp://a:-1",
                                "tcp://a b:1", "http://a:1", "ipc://", "tcp://a:1/x", "tcp://a:"})
    EXPECT_THAT(error_of("[peers]\nscheduler = \"" + bad + "\"\n"), HasSubstr("must be tcp://HOST:PORT or ipc://PATH"))
        << bad;
}

TEST_F(ProcessConfigFile, LetsOverridesWinInTheirOrder) {
  const auto config =
      load("[scheduler]\nround_s = 6\npolicy = \"hadar\"\n",
           {"scheduler.round_s=7", "scheduler.policy=yarn-cs", "scheduler.round_s=8", "process.roles=scheduler,policy",
            "process.name=12", "process.state=here", "node.gpus=[{type = \"K80\", count = 3}]", "policy.passes=4",
            "policy.order=a b", "policy.greedy=false"})
          .value();
  EXPECT_EQ(config.scheduler.round_s, 8);
  EXPECT_EQ(config.scheduler.policy, "yarn-cs");
  EXPECT_EQ(config.process.roles, (std::vector<std::string>{"scheduler", "policy"}));
  EXPECT_EQ(config.process.name, "12");
  EXPECT_EQ(config.process.state, fs::current_path() / "here");
  EXPECT_EQ(config.node.gpus, (std::vector<GpuGroup>{{"K80", 3}}));
  const PolicyOptions policy{{"passes", 4.0}, {"order", std::string("a b")}, {"greedy", false}};
  EXPECT_EQ(config.policy, policy);
}

TEST(ProcessOverrides, SayWhatIsWrong) {
  for (const std::string text : {"", "round_s=3", "scheduler.round_s", ".round_s=3", "scheduler.=3", "=3"})
    EXPECT_THAT(override_error(text), HasSubstr("--set " + text + ": must be section.key=value")) << text;
  EXPECT_THAT(override_error("scheduler.round_s=abc"),
              HasSubstr("--set scheduler.round_s=abc: scheduler.round_s: got \"abc\", must be a number"));
  EXPECT_THAT(override_error("scheduler.rond_s=3"), HasSubstr("nearest known key is scheduler.round_s"));
  EXPECT_THAT(override_error("sched.round_s=3"), HasSubstr("sched: unknown key"));
  EXPECT_THAT(override_error("scheduler.round_s=3\nplan_limit_s = 9"), HasSubstr("must be a number"));
}

TEST_F(ProcessConfigFile, ReadsBackWhatItPrints) {
  ProcessConfig config;
  config.process.name = "n1";
  config.process.roles = {"node-worker"};
  config.process.state = "/tmp/a \"quoted\\ \t folder";
  config.scheduler.round_s = 0.1 + 0.2;
  config.node.gpus = {{"V100", 2}, {"RTX 3090", 1}};
  config.node.emulated = true;
  config.policy = {{"on", true}, {"share", 0.25}, {"odd key", std::string("x\ny")}};
  const auto back = load(to_toml(config)).value();
  EXPECT_EQ(to_toml(back), to_toml(config));
  EXPECT_EQ(back.scheduler.round_s, config.scheduler.round_s);
  EXPECT_EQ(back.process.state, config.process.state);
  EXPECT_EQ(back.policy, config.policy);
}

TEST_F(ProcessConfigFile, SaysWhatCannotBeRead) {
  EXPECT_EQ(load_process_config(folder_ / "none.toml").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(load_process_config(folder_).error().code, ErrorCode::kIo);
}

TEST(ProcessRules, HoldBetweenValues) {
  ProcessConfig good;
  good.process.roles = {"scheduler"};
  good.process.state = "/s";
  ASSERT_TRUE(check_process_config(good));
  const auto broken = [&](auto change) {
    auto config = good;
    change(config);
    const auto status = check_process_config(config);
    return status ? std::string() : status.error().message;
  };
  EXPECT_THAT(broken([](auto& c) { c.process.roles.clear(); }), StartsWith("process.roles: got none"));
  EXPECT_THAT(broken([](auto& c) { c.process.state.clear(); }), StartsWith("process.state: "));
  EXPECT_THAT(broken([](auto& c) { c.cluster.id.clear(); }), StartsWith("cluster.id: "));
  EXPECT_THAT(broken([](auto& c) { c.transport.silence_s = c.transport.ping_s; }), StartsWith("transport.silence_s: "));
  EXPECT_THAT(broken([](auto& c) { c.transport.reconnect_max_s = 0.01; }), StartsWith("transport.reconnect_max_s: "));
  EXPECT_THAT(broken([](auto& c) { c.node.log_cap_mb = 1; }), StartsWith("node.log_cap_mb: "));
  EXPECT_THAT(broken([](auto& c) {
                c.process.roles = {"node-worker"};
                c.node.emulated = true;
              }),
              StartsWith("node.gpus: got none"));
}

TEST(ProcessRules, WantEndpointsOfPeersHoweverTheyWereGiven) {
  ProcessConfig config;
  config.process.roles = {"scheduler"};
  config.process.state = "/s";
  ASSERT_TRUE(check_process_config(config));
  for (const std::string wrong : {"foo", "tcp://host", "tcp://host:99999", "http://host:1"}) {
    config.peers.scheduler = wrong;
    const auto refused = check_process_config(config);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_THAT(refused.error().message, testing::AllOf(HasSubstr("peers.scheduler"), HasSubstr(wrong)));
  }
}

TEST(ProcessRules, KeepPlainTrafficOnThisMachine) {
  ProcessConfig config;
  config.process.roles = {"scheduler"};
  config.process.state = "/s";
  for (const std::string local :
       {"tcp://127.0.0.1:5", "tcp://127.1.2.3:*", "tcp://localhost:5", "tcp://[::1]:5", "ipc:///x"}) {
    config.process.listen = local;
    EXPECT_TRUE(check_process_config(config)) << local;
  }
  for (const std::string remote :
       {"tcp://*:5", "tcp://0.0.0.0:5", "tcp://10.0.0.1:5", "tcp://[::]:5", "tcp://127.evil.org:5"}) {
    config.process.listen = remote;
    config.cluster.allow_plain_remote = false;
    const auto refused = check_process_config(config);
    ASSERT_FALSE(refused) << remote;
    EXPECT_THAT(refused.error().message, HasSubstr("cluster.allow_plain_remote = true"));
    config.cluster.allow_plain_remote = true;
    EXPECT_TRUE(check_process_config(config)) << remote;
  }
}

TEST(AllOptions, TheFileIsWhatTheCodeSays) {
  const fs::path file = fs::path(HADAR_SOURCE_DIR) / "configs" / "all_options.toml";
  const auto right = to_commented_toml(ProcessConfig{});
  if (::getenv("HADAR_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << right;
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_EQ(text.str(), right) << "HADAR_UPDATE_GOLDEN=1 with this test writes the file anew";
  EXPECT_EQ(to_toml(load_process_config(file).value()), to_toml(ProcessConfig{}));
}

}  // namespace
}  // namespace hadar
