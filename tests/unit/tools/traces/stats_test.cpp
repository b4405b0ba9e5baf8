#include "tools/traces/stats.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "tools/traces/generate.hpp"

namespace hadar::traces {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ThroughputTable kTable{{"m", 1, 1, "V100", Placement::kPacked, 10},
                             {"m", 1, 1, "K80", Placement::kPacked, 2},
                             {"m", 1, 2, "V100", Placement::kPacked, 20}};

TraceJob job(const std::string& id, double arrival_s, std::uint32_t gpus, std::uint64_t steps) {
  TraceJob made;
  made.job_id = id;
  made.arrival_s = arrival_s;
  made.model = "m";
  made.gpus = gpus;
  made.total_steps = steps;
  return made;
}

TEST(TraceStats, CountsWhatIsThere) {
  // Alone on V100: 3600 s on one GPU, 1800 s on two, unknown model.
  Trace trace{{job("a", 0, 1, 36000), job("b", 10, 2, 36000), job("c", 7200, 1, 1)}};
  trace.jobs[2].model = "other";
  const auto stats = stats_of(trace, kTable, {});
  EXPECT_EQ(stats.jobs, 3U);
  EXPECT_EQ(stats.unknown, 1U);
  EXPECT_DOUBLE_EQ(stats.gpu_h, 2);
  EXPECT_DOUBLE_EQ(*stats.jobs_per_h, 1);
  EXPECT_EQ(stats.most_in_an_h, 2U);
  EXPECT_THAT(stats.gangs, ElementsAre(std::pair(1U, 2U), std::pair(2U, 1U)));
  EXPECT_EQ(*stats.alone_s.p50, 1800);
  EXPECT_EQ(*stats.alone_s.p90, 3600);
  EXPECT_FALSE(stats.cluster.has_value());
}

// Two V100 and two K80: a job's mean speed there is (2 x 10 + 2 x 2) / 4 = 6 steps/s.
TEST(TraceStats, LoadCountsTheMeanSpeedOfTheClustersGpus) {
  const Trace trace{{job("a", 0, 1, 6 * 3600), job("b", 3600, 1, 6 * 3600), job("c", 3600, 8, 1)}};
  const auto stats = stats_of(trace, kTable, {{"n", {{"V100", 2}, {"K80", 2}}}});
  ASSERT_TRUE(stats.cluster.has_value());
  EXPECT_EQ(stats.cluster->gpus, 4U);
  EXPECT_EQ(stats.cluster->too_large, 1U);
  EXPECT_NEAR(stats.cluster->gpu_h, 2, 1e-3);
  EXPECT_NEAR(*stats.cluster->load, 0.5, 1e-3);
}

TEST(Sample, KeepsOrderAndEveryJobHasTheSameChance) {
  const auto trace = *generate({"uniform", 200, 60, 1, {}});
  std::vector<int> times(200);
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SampleOptions options;
    options.jobs = 50;
    options.seed = seed;
    const auto part = sample(trace, options).value();
    ASSERT_EQ(part.jobs.size(), 50U);
    std::uint64_t last = 0;
    for (const auto& one : part.jobs) {
      const auto id = std::stoull(one.job_id);
      EXPECT_GT(id, last);
      last = id;
      ++times[id - 1];
    }
  }
  // 100 expected, standard deviation 8.7.
  EXPECT_GT(*std::min_element(times.begin(), times.end()), 60);
  EXPECT_LT(*std::max_element(times.begin(), times.end()), 140);
}

TEST(Sample, TakesAWindowAndCountsFromIt) {
  const Trace trace{{job("a", 0, 1, 1), job("b", 10, 1, 1), job("c", 15, 1, 1), job("d", 20, 1, 1)}};
  SampleOptions options;
  options.from_s = 10;
  options.to_s = 20;
  EXPECT_EQ(sample(trace, options).value(), (Trace{{job("b", 0, 1, 1), job("c", 5, 1, 1)}}));
  options.jobs = 3;
  EXPECT_THAT(sample(trace, options).error().message, HasSubstr("must be from 1 to the 2"));
  options.from_s = 21;
  options.to_s.reset();
  EXPECT_THAT(sample(trace, options).error().message, HasSubstr("no job arrives in the window"));
}

}  // namespace
}  // namespace hadar::traces
