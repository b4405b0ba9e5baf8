#include "runtime/config/cluster_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hadar {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string error_of(const std::string& text) {
  const auto cluster = parse_cluster(text, "c.toml");
  if (cluster) return "";
  EXPECT_EQ(cluster.error().code, ErrorCode::kInvalidArgument);
  return cluster.error().message;
}

TEST(ClusterConfig, ExpandsNodesInTheirOrder) {
  const auto cluster = parse_cluster(R"(
    emulated = true
    throughputs = "../throughputs/lab.csv"
    time_scale = 2
    [[nodes]]
    name = "fast"
    gpus = [{type = "V100", count = 2}, {type = "K80", count = 1}]
    pcie_gb_s = 12.5
    net_gb_s = 1
    [[nodes]]
    name = "slow"
    count = 2
    gpus = [{type = "K80", count = 1}]
  )",
                                     "/etc/hadar/clusters/lab.toml")
                           .value();
  ClusterConfig right;
  right.emulated = true;
  right.throughputs = "/etc/hadar/throughputs/lab.csv";
  right.time_scale = 2;
  right.nodes = {{"fast", {{"V100", 2}, {"K80", 1}}, 12.5, 1, true},
                 {"slow-1", {{"K80", 1}}, 0, 0, true},
                 {"slow-2", {{"K80", 1}}, 0, 0, true}};
  EXPECT_EQ(cluster, right);
}

TEST(ClusterConfig, RefusesWhatIsNoCluster) {
  const std::string gpus = "gpus = [{type = \"V100\", count = 1}]\n";
  EXPECT_THAT(error_of(""), HasSubstr("nodes: got no nodes, must be one [[nodes]] table"));
  EXPECT_THAT(error_of("nodes = []"), HasSubstr("nodes: got an empty array"));
  EXPECT_THAT(error_of("nodes = 3"), HasSubstr("nodes: got 3"));
  EXPECT_THAT(error_of("nodes = [3]"), HasSubstr("nodes: got 3"));
  EXPECT_EQ(error_of("[[nodes]]\nname = \"a\"\ngpus = [{type = \"V100\", count = 0}]\n"),
            "c.toml:3:33: nodes.gpus.count: got 0, must be a whole number from 1 to 1024");
  EXPECT_THAT(error_of("[[nodes]]\nname = \"a\"\ngpus = [{type = \"V100\", count = -2}]\n"),
              HasSubstr("nodes.gpus.count: got -2"));
  EXPECT_THAT(error_of("[[nodes]]\nname = \"a\"\ngpus = [{type = \"V100\"}]\n"), HasSubstr("a group has no count"));
  EXPECT_THAT(error_of("[[nodes]]\nname = \"a\"\ngpus = [{count = 1}]\n"), HasSubstr("a group has no type"));
  EXPECT_THAT(error_of("[[nodes]]\nname = \"a\"\ngpus = []\n"), HasSubstr("nodes.gpus: got an empty array"));
  EXPECT_THAT(error_of("[[nodes]]\nname = \"a\"\n"), StartsWith("c.toml:1:1: nodes.gpus: node a has no gpus"));
  EXPECT_THAT(error_of("[[nodes]]\n" + gpus), StartsWith("c.toml:1:1: nodes.name: got \"\""));
  EXPECT_THAT(error_of("[[nodes]]\nname = \"a b\"\n" + gpus), HasSubstr("nodes.name: got \"a b\""));
  EXPECT_THAT(error_of("[[nodes]]\nname = \"a\"\ncount = 0\n" + gpus), HasSubstr("nodes.count: got 0"));
  EXPECT_THAT(error_of("[[nodes]]\nname = \"a\"\nngpus = 1\n" + gpus),
              HasSubstr("c.toml:3:1: nodes.ngpus: unknown key, nearest known key is nodes.gpus"));
  EXPECT_THAT(error_of("time_scale = 0\n[[nodes]]\nname = \"a\"\n" + gpus), HasSubstr("time_scale: got 0"));
  EXPECT_THAT(error_of("time_scale = 1e-300\n[[nodes]]\nname = \"a\"\n" + gpus), HasSubstr("time_scale: got"));
  std::string deep = "a";
  for (int i = 0; i < 20000; ++i) deep += ".a";
  EXPECT_THAT(error_of("# a key the parser would go down 20,000 calls for\n" + deep + " = 1\n"),
              HasSubstr(":2: a key of"));
  EXPECT_THAT(error_of("[" + deep + "]\n"), HasSubstr(":1: a key of"));
  EXPECT_THAT(
      error_of("[[nodes]]\nname = \"a\"\ngpus = [{type = \"V100\", count = 1}, {type = \"V100\", count = 2}]\n"),
      HasSubstr("type \"V100\" is there twice"));
}

TEST(ClusterConfig, RefusesANameTwiceAlsoAfterExpansion) {
  const std::string gpus = "gpus = [{type = \"V100\", count = 1}]\n";
  EXPECT_THAT(error_of("[[nodes]]\nname = \"a\"\n" + gpus + "[[nodes]]\nname = \"a\"\n" + gpus),
              StartsWith("c.toml:5:8: nodes.name: node a is there twice"));
  EXPECT_THAT(error_of("[[nodes]]\nname = \"a\"\ncount = 2\n" + gpus + "[[nodes]]\nname = \"a-2\"\n" + gpus),
              HasSubstr("node a-2 is there twice"));
}

TEST(ClusterConfig, SaysWhatCannotBeRead) {
  const auto missing = load_cluster("/nowhere/c.toml");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("/nowhere/c.toml"));
}

}  // namespace
}  // namespace hadar
