// The baselines over whole workloads: what they are known for, and that nobody starves.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "launchers/policies.hpp"
#include "tests/rounds/round_player.hpp"

namespace hadar::testing {
namespace {

constexpr double kSpeed = 100;  // steps/s

Played played(const std::string& name, const PlayedCluster& cluster, const std::vector<PlayedJob>& jobs,
              const PolicySettings& settings, const PlaySettings& play_settings = {}) {
  auto policy = make_policy(name, settings);
  EXPECT_TRUE(policy.has_value()) << policy.error().message;
  auto result = play(**policy, cluster, jobs, play_settings);
  EXPECT_TRUE(result.finished) << name;
  EXPECT_TRUE(result.faults.empty()) << name << ": " << result.faults.front();
  return result;
}

PlayedJob job(std::uint32_t gpus, double seconds, double arrival_s) {
  return {"m", gpus, static_cast<std::uint64_t>(seconds * kSpeed), {kSpeed}, false, arrival_s};
}

// Four GPUs. A gang of four needs 40 s, and from t = 10 to 310 there is always one job of 30 s on one GPU. Two jobs at
// a time: alone on half of the cluster the gang takes 80 s, a single 30 s. Least attained service: after 10 s the gang
// has 40 GPU-s, each single never more than 30, so that the gang waits for the last of them: it ends at 310 + 30 =
// 340, 4.25 times its 80 s. Themis: waiting, its rho passes that of a fresh single, (10 + 30) / 30 = 1.33, at t = 70:
// (70 + 10 + 30) / 80.
TEST(Themis, BeatsLeastAttainedServiceInTheWorstFinishTimeFairness) {
  const PlayedCluster cluster = {{"A"}, {{4}}};
  std::vector<PlayedJob> jobs = {job(4, 40, 0)};
  for (int i = 0; i < 10; ++i) jobs.push_back(job(1, 30, 10 + 30 * i));
  const PlaySettings rounds = {10, 0.001, 1000};
  const auto worst = [&](const Played& result) {
    double rho = result.jct_s[0] / 80;
    for (std::size_t j = 1; j < jobs.size(); ++j) rho = std::max(rho, result.jct_s[j] / 30);
    return rho;
  };
  const auto las = played("tiresias-las", cluster, jobs, {{"thresholds_gpu_s", 35.0}}, rounds);
  EXPECT_NEAR(las.jct_s[0], 340, 1);
  EXPECT_NEAR(worst(las), 4.25, 0.02);
  const auto themis = played("themis", cluster, jobs, {}, rounds);
  EXPECT_LT(themis.jct_s[0], 200);
  EXPECT_LT(worst(themis), 2.5);
}

// One GPU; a long job among short ones that come faster than they leave room for it.
std::vector<PlayedJob> stream() {
  std::vector<PlayedJob> jobs = {job(1, 120, 0)};
  for (int j = 0; j < 60; ++j) jobs.push_back(job(1, 5.5, 5.5 * j));
  return jobs;
}

TEST(Tiresias, PromotionBoundsStarvation) {
  const PlayedCluster cluster = {{"A"}, {{1}}};
  for (const std::string name : {"tiresias-las", "tiresias-gittins"}) {
    const auto off = played(name, cluster, stream(), {{"thresholds_gpu_s", 20.0}});
    EXPECT_GT(off.most_waited[0], 20U) << name;
    const auto on = played(name, cluster, stream(), {{"thresholds_gpu_s", 20.0}, {"promote_after", 1.0}});
    // It runs at most 20 s and one round of 6 s in the top queue, so it waits as long, and up to a round more.
    EXPECT_LE(on.most_waited[0], 6U) << name;
  }
}

// Identical jobs that fill more than the cluster take turns: whoever waited is worse off than whoever ran.
TEST(Themis, NobodyWaitsWhileAllOthersHadATurn) {
  EXPECT_TRUE(rc::check([] {
    const auto gpus = *rc::gen::inRange<std::uint32_t>(1, 4);
    const auto count = *rc::gen::inRange<std::size_t>(2, 12);
    const PlayedCluster cluster = {{"A"}, {{gpus}, {gpus}}};
    const std::vector<PlayedJob> jobs(count, job(gpus, 90, 0));
    const auto result = played("themis", cluster, jobs, {}, {6, 0.01, 1e5});
    for (const auto waited : result.most_waited) RC_ASSERT(waited < count);
  }));
}

// Many short jobs and a few long ones: an index that knows which are which ends the short ones sooner than first come,
// first served inside one queue.
TEST(Tiresias, TheGittinsIndexShortensTheMeanCompletionTime) {
  const PlayedCluster cluster = {{"A"}, {{1}}};
  std::vector<PlayedJob> jobs;
  for (int j = 0; j < 24; ++j) jobs.push_back(job(1, j % 4 == 0 ? 200 : 10, j));
  const PolicySettings one_queue = {{"thresholds_gpu_s", 1e9}};
  const auto las = played("tiresias-las", cluster, jobs, one_queue);
  auto known = one_queue;
  known["services_gpu_s"] = std::string("10, 10, 10, 200");
  known["min_samples"] = 4.0;
  const auto gittins = played("tiresias-gittins", cluster, jobs, known);
  EXPECT_LT(gittins.mean_jct_s, 0.7 * las.mean_jct_s);
  EXPECT_NEAR(gittins.makespan_s, las.makespan_s, 0.1 * las.makespan_s);
}

// Speeds 10 : 1. A job that starts on the slow GPU stays there when sticky, and moves when the fast one is free.
TEST(Tiresias, RePlacedJobsLeaveSlowGpusBehind) {
  const PlayedCluster cluster = {{"A", "B"}, {{1, 0}, {0, 1}}};
  const std::vector<PlayedJob> jobs = {{"m", 1, 3000, {100, 10}, false, 0}, {"m", 1, 3000, {100, 10}, false, 0}};
  const auto sticky = played("tiresias-las", cluster, jobs, {});
  const auto re_placed = played("tiresias-las", cluster, jobs, {{"placement", std::string("re-placed")}});
  EXPECT_NEAR(sticky.makespan_s, 300, 2);
  EXPECT_LT(re_placed.makespan_s, 70);
}

}  // namespace
}  // namespace hadar::testing
