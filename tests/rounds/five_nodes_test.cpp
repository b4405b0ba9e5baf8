// Five one-GPU nodes of speeds 10:6:4:3:2, the cluster of the README's tour, played to the end.
#include <gtest/gtest.h>

#include "launchers/policies.hpp"
#include "tests/rounds/round_player.hpp"

namespace hadar::testing {
namespace {

constexpr double kFastest = 200;  // steps/s

const PlayedCluster kFiveNodes = {
    {"A", "B", "C", "D", "E"}, {{1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}}};

PlayedJob job_of(double seconds_on_fastest, bool forkable = true) {
  return {"m",
          1,
          static_cast<std::uint64_t>(seconds_on_fastest * kFastest),
          {kFastest, 0.6 * kFastest, 0.4 * kFastest, 0.3 * kFastest, 0.2 * kFastest},
          forkable};
}

Played play_policy(const std::string& name, const std::vector<PlayedJob>& jobs, const PolicySettings& settings = {},
                   const PlaySettings& play_settings = {}) {
  auto policy = make_policy(name, settings);
  EXPECT_TRUE(policy.has_value()) << policy.error().message;
  auto played = play(**policy, kFiveNodes, jobs, play_settings);
  EXPECT_TRUE(played.finished) << name;
  EXPECT_TRUE(played.faults.empty()) << name << ": " << played.faults.front();
  for (std::size_t j = 0; j < jobs.size(); ++j) EXPECT_EQ(played.credited[j], jobs[j].steps) << name << " job " << j;
  if (std::getenv("HADAR_TRACE") != nullptr) {
    for (const auto& line : played.trace) std::printf("%s\n", line.c_str());
    std::printf("%s makespan %.2f cru %.3f mean jct %.2f plans %lu moves %lu\n", name.c_str(), played.makespan_s,
                played.cru, played.mean_jct_s, played.plans, played.moves);
  }
  return played;
}

const std::vector<PlayedJob> kMix = {job_of(48), job_of(48), job_of(16), job_of(16), job_of(8), job_of(8)};

TEST(FiveNodes, HadarEFinishesTheMixNearTheIdealAndBeforeTheOthers) {
  const auto hadare = play_policy("hadare", kMix);
  const auto hadar = play_policy("hadar", kMix);
  const auto yarn = play_policy("yarn-cs", kMix);
  EXPECT_LE(hadare.makespan_s, 57.6 * 1.08);
  EXPECT_GE(hadare.cru, 0.92);
  EXPECT_LT(hadare.makespan_s, hadar.makespan_s);
  EXPECT_LT(hadare.makespan_s, yarn.makespan_s);
  EXPECT_LT(hadare.mean_jct_s, hadar.mean_jct_s);
  EXPECT_LT(hadar.makespan_s, yarn.makespan_s);
}

TEST(FiveNodes, OneJobTrainsOnAllNodesAtOnceUnderHadarE) {
  const auto played = play_policy("hadare", {job_of(48)});
  EXPECT_EQ(played.forks_max[0], 5U);
  EXPECT_LE(played.makespan_s, 19.2 * 1.1);
  EXPECT_GE(played.cru, 0.9);
}

TEST(FiveNodes, OneJobStaysOnTheFastestNodeUnderHadar) {
  const auto played = play_policy("hadar", {job_of(48)});
  EXPECT_EQ(played.forks_max[0], 1U);
  EXPECT_NEAR(played.makespan_s, 48.15, 0.1);
  EXPECT_EQ(played.moves, 0U);
}

}  // namespace
}  // namespace hadar::testing
