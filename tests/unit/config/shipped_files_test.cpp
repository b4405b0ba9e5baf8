// The files under configs/ are read by the code they are made for.
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "runtime/config/cluster_config.hpp"
#include "runtime/config/config_kind.hpp"
#include "runtime/config/job_file.hpp"
#include "runtime/config/throughput_csv.hpp"

namespace hadar {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> shipped(const std::string& folder, const std::string& ending) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(HADAR_SOURCE_DIR) / "configs" / folder))
    if (entry.path().extension() == ending) files.push_back(entry.path());
  return files;
}

template <class T>
std::string outcome(const Result<T>& result) {
  return result ? "read" : result.error().message;
}

TEST(ShippedFiles, ClustersAndTheTablesTheyNameAreRight) {
  const auto files = shipped("clusters", ".toml");
  EXPECT_FALSE(files.empty());
  for (const auto& file : files) {
    const auto cluster = load_cluster(file);
    ASSERT_EQ(outcome(cluster), "read");
    if (!cluster->throughputs.empty()) {
      EXPECT_EQ(outcome(load_throughputs(cluster->throughputs)), "read");
    }
  }
}

TEST(ShippedFiles, JobsAreRight) {
  const auto files = shipped("workloads", ".toml");
  EXPECT_FALSE(files.empty());
  for (const auto& file : files) EXPECT_EQ(outcome(load_job(file)), "read");
}

TEST(ShippedFiles, SpeedTablesAreRight) {
  const auto files = shipped("throughputs", ".csv");
  EXPECT_FALSE(files.empty());
  for (const auto& file : files) EXPECT_EQ(outcome(load_throughputs(file)), "read");
}

TEST(ShippedFiles, AreToldApart) {
  for (const auto& file : shipped("clusters", ".toml")) EXPECT_EQ(config_kind_of(file).value(), ConfigKind::kCluster);
  for (const auto& file : shipped("workloads", ".toml")) EXPECT_EQ(config_kind_of(file).value(), ConfigKind::kJob);
  const auto configs = fs::path(HADAR_SOURCE_DIR) / "configs";
  EXPECT_EQ(config_kind_of(configs / "all_options.toml").value(), ConfigKind::kProcess);
  EXPECT_EQ(config_kind_of(configs / "none.toml").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(config_kind_of(configs / "README.md").error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hadar
