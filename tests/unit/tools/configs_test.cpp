// The files under configs/ are read by the code that users' files are read by, and keep what the quickstart promises.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "runtime/config/cluster_config.hpp"
#include "runtime/config/job_file.hpp"
#include "runtime/config/throughput_csv.hpp"
#include "tools/traces/trace.hpp"

namespace hadar {
namespace {

namespace fs = std::filesystem;

const fs::path kConfigs = fs::path(HADAR_SOURCE_DIR) / "configs";

std::vector<fs::path> files_in(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

ClusterConfig local_five() {
  return load_cluster(kConfigs / "clusters/local-5.toml").value();
}

// Steps per second of a job with one GPU of each type of the local cluster, in the order of its nodes.
std::vector<double> speeds_of(const JobSpec& job) {
  const ClusterConfig cluster = local_five();
  const ThroughputTable table = load_throughputs(cluster.throughputs).value();
  std::vector<double> speeds;
  for (const auto& node : cluster.nodes)
    for (const auto& row : table)
      if (row.model == job.model && row.batch_size == job.batch_size && row.gpus == 1 && row.type == node.gpus[0].type)
        speeds.push_back(row.steps_per_s * cluster.time_scale);
  return speeds;
}

std::vector<JobSpec> jobs_in(const std::string& mix) {
  std::vector<JobSpec> jobs;
  for (const auto& file : files_in(kConfigs / "workloads" / mix, ".toml")) jobs.push_back(load_job(file).value());
  return jobs;
}

TEST(Configs, TheDefaultMixAsATraceHoldsTheSameJobs) {
  const auto loaded = traces::load_trace(kConfigs / "workloads/default-mix.csv").value();
  EXPECT_TRUE(loaded.refused.empty());
  const auto jobs = jobs_in("default-mix");
  ASSERT_EQ(loaded.trace.jobs.size(), jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& row = loaded.trace.jobs[i];
    EXPECT_EQ(row.job_id, jobs[i].name);
    EXPECT_EQ(row.model, jobs[i].model);
    EXPECT_EQ(row.batch_size, jobs[i].batch_size);
    EXPECT_EQ(row.gpus, jobs[i].gpus);
    EXPECT_EQ(row.total_steps, jobs[i].total_steps);
  }
}

TEST(Configs, EveryFileIsAccepted) {
  for (const auto& file : files_in(kConfigs / "clusters", ".toml")) {
    const auto cluster = load_cluster(file);
    ASSERT_TRUE(cluster) << cluster.error().message;
    EXPECT_TRUE(cluster->throughputs.empty() || fs::exists(cluster->throughputs)) << file;
  }
  for (const auto& file : files_in(kConfigs / "throughputs", ".csv")) {
    const auto table = load_throughputs(file);
    EXPECT_TRUE(table) << table.error().message;
  }
  for (const auto& file : files_in(kConfigs / "workloads", ".toml")) {
    const auto job = load_job(file);
    EXPECT_TRUE(job) << job.error().message;
  }
}

TEST(Configs, NamesInAMixAreDistinct) {
  for (const std::string mix : {"default-mix", "one", "gang-demo"}) {
    std::set<std::string> names;
    for (const auto& job : jobs_in(mix)) EXPECT_TRUE(names.insert(job.name).second) << job.name;
  }
}

TEST(Configs, TheLocalClusterHasFiveSpeedsTheFastestFirst) {
  const ClusterConfig cluster = local_five();
  ASSERT_EQ(cluster.nodes.size(), 5U);
  EXPECT_TRUE(cluster.emulated);
  for (const auto& node : cluster.nodes) EXPECT_EQ(gpu_types_by_index(node.gpus).size(), 1U) << node.name;
  for (const auto& job : jobs_in("default-mix")) {
    const auto speeds = speeds_of(job);
    ASSERT_EQ(speeds.size(), 5U) << job.name;
    const std::vector<double> shares{10, 6, 4, 3, 2};
    for (std::size_t i = 0; i < 5; ++i) EXPECT_DOUBLE_EQ(speeds[i] / speeds[0] * 10, shares[i]) << job.name;
  }
}

TEST(Configs, TheDefaultMixIsTwoOfEachKindFor48And16And8Seconds) {
  std::map<std::string, std::vector<double>> alone_s;
  for (const auto& job : jobs_in("default-mix")) {
    EXPECT_TRUE(job.forkable && job.gpus == 1) << job.name;
    alone_s[job.workload].push_back(static_cast<double>(job.total_steps) / speeds_of(job)[0]);
  }
  const std::map<std::string, std::vector<double>> expected{
      {"image", {48, 48}}, {"recommendation", {16, 16}}, {"weather", {8, 8}}};
  EXPECT_EQ(alone_s, expected);
}

TEST(Configs, TheOneJobTakes48SecondsAlone) {
  const auto jobs = jobs_in("one");
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_DOUBLE_EQ(static_cast<double>(jobs[0].total_steps) / speeds_of(jobs[0])[0], 48);
}

TEST(Configs, TheExamplesJobFileIsAccepted) {
  const auto job = load_job(fs::path(HADAR_SOURCE_DIR) / "tools/examples/digits_hadar.toml");
  EXPECT_TRUE(job) << job.error().message;
}

}  // namespace
}  // namespace hadar
