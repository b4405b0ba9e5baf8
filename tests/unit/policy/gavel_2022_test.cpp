// Small cases recorded from the public Gavel simulator (github.com/stanford-futuredata/gavel, January 2022).
#include "actors/policy/round_mechanism/gavel_2022.hpp"

#include <gmock/gmock.h>
#include <map>

#include "messages/types/python_random.hpp"

namespace hadar {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

constexpr double kResNet18 = 24.093231895382736;            // batch 64, one V100, steps/s
constexpr double kResNet50OnEight = 17.303172756892167;     // batch 64, eight V100s
constexpr double kLanguageModelShared = 45.64468015515734;  // batch 20, beside ResNet-18, which keeps its speed

struct Round {
  double starts_s;
  std::vector<std::pair<Combination, std::vector<std::uint32_t>>> tasks;
};

struct Played {
  std::vector<Round> rounds;
  std::map<JobId, double> jct_s;  // of completed jobs
  std::vector<JobId> dropped;
};

struct Case {
  Gavel2022Settings settings;
  std::vector<Gavel2022Job> jobs;
  std::function<double(JobId, std::size_t type)> speed;
  std::function<std::vector<double>(const Gavel2022Active&)> share;
};

Played play(const Case& c) {
  Gavel2022World world;
  world.speeds = [&](const Combination& what, std::size_t type) -> std::array<double, 2> {
    if (what.pair()) return {kResNet18, kLanguageModelShared};
    return {c.speed(what.a, type), 0};
  };
  world.shares = [&](std::vector<Gavel2022Active>& active, double) -> Result<std::vector<CombinationShares>> {
    std::vector<CombinationShares> shares;
    for (const auto& job : active) shares.push_back({{job.job.job, {}}, c.share(job)});
    if (c.settings.packs && active.size() == 2) shares.push_back({{JobId{1}, JobId{2}}, {1.0}});
    return shares;
  };
  Gavel2022 mechanism(c.settings, world);
  Played played;
  do {
    EXPECT_TRUE(mechanism.next_round(c.jobs, false));
    Round round{mechanism.state().now_s, {}};
    for (const auto& task : mechanism.state().running) round.tasks.push_back({task.what, task.workers});
    played.rounds.push_back(std::move(round));
    for (const auto& ended : mechanism.ended()) {
      if (ended.dropped)
        played.dropped.push_back(ended.job);
      else
        played.jct_s[ended.job] = ended.at_s - c.jobs[ended.job.value - 1].arrival_s;
    }
  } while (!mechanism.state().active.empty() || mechanism.next_arrival(c.jobs) != nullptr);
  return played;
}

Combination alone(std::uint64_t job) {
  return {JobId{job}, {}};
}

TEST(Gavel2022, DrawsTheOrderOfTypesAsPythonDoes) {
  PythonRandom random(5);  // scheduler seed 0
  std::string orders;
  for (int round = 0; round < 6; ++round) {
    std::vector<char> types{'v', 'p', 'k'};
    random.shuffle(types);
    orders += std::string(types.begin(), types.end()) + " ";
  }
  EXPECT_EQ(orders, "vpk vpk pvk kvp pvk pkv ");
}

TEST(Gavel2022, AJobThatArrivesOnAnIdleClusterSoonAfterAResetStallsUntilTheNextArrival) {
  Case c;
  c.settings.gpus = {1, 1, 1};
  c.jobs = {{JobId{1}, 1, 0, 2409}, {JobId{2}, 1, 500, 2409}, {JobId{3}, 1, 1000, 2409}, {JobId{4}, 1, 20000, 2409}};
  c.speed = [](JobId, std::size_t type) { return std::array{7.052080666695425, 22.30494387033663, kResNet18}[type]; };
  c.share = [](const Gavel2022Active& job) {
    // What tells the three late jobs apart is noise of the recorded solver.
    const auto id = job.job.job.value;
    if (id == 1) return std::vector{2.150893016370182e-12, 6.305447191319905e-11, 0.9999999999459448};
    if (id == 2) return std::vector{0.33333333303505847, 0.33333333327704456, 0.3333333333561248};
    if (id == 3) return std::vector{0.33333333303428253, 0.3333333332845288, 0.3333333333494229};
    return std::vector{0.333333333022217, 0.33333333339947696, 0.3333333332465401};
  };
  const auto played = play(c);
  EXPECT_THAT(played.jct_s.at(JobId{1}), DoubleNear(99.987, 0.0005));
  EXPECT_THAT(played.jct_s.at(JobId{2}), DoubleNear(19599.987, 0.0005));
  EXPECT_THAT(played.jct_s.at(JobId{3}), DoubleNear(19341.601, 0.0005));
  EXPECT_THAT(played.jct_s.at(JobId{4}), DoubleNear(108.003, 0.0005));
}

TEST(Gavel2022, ANewJobHoldsAGpuIdleUntilSharesAreDue) {
  Case c;
  c.settings.gpus = {3};
  c.jobs = {{JobId{1}, 1, 0, 120466}, {JobId{2}, 1, 400, 120466}, {JobId{3}, 1, 800, 24093}};
  c.speed = [](JobId, std::size_t) { return kResNet18; };
  c.share = [](const Gavel2022Active&) { return std::vector{1.0}; };
  const auto played = play(c);
  ASSERT_GT(played.rounds.size(), 8U);
  EXPECT_EQ(played.rounds[3].tasks.size(), 2U);  // the third job has arrived, the third GPU is free
  EXPECT_EQ(played.rounds[8].tasks.size(), 3U);
  EXPECT_THAT(played.rounds[8].starts_s, DoubleNear(2879.812899, 1e-6));
  EXPECT_THAT(played.jct_s.at(JobId{3}), DoubleNear(3079.803, 0.0005));
}

TEST(Gavel2022, DropsAGangWhoseLastStepsAreFewerThanItsGpus) {
  Case c;
  c.settings.gpus = {8};
  c.jobs = {{JobId{1}, 8, 0, 6232}, {JobId{2}, 1, 0, 72279}};
  c.speed = [](JobId job, std::size_t) { return job.value == 1 ? kResNet50OnEight : kResNet18; };
  c.share = [](const Gavel2022Active& job) { return std::vector{job.job.gpus == 8 ? 0.4989599147643027 : 1.0}; };
  const auto played = play(c);
  EXPECT_THAT(played.dropped, ElementsAre(JobId{1}));
  EXPECT_THAT(played.jct_s.at(JobId{2}), DoubleNear(3360.830, 0.0005));
  EXPECT_EQ(played.rounds.size(), 16U);
}

TEST(Gavel2022, APairEndsWithItsLaterJob) {
  Case c;
  c.settings.gpus = {1};
  c.settings.packs = true;
  c.jobs = {{JobId{1}, 1, 0, 2409}, {JobId{2}, 1, 0, 20000}};
  c.speed = [](JobId job, std::size_t) { return job.value == 1 ? kResNet18 : 64.74245099960703; };
  c.share = [asked = 0](const Gavel2022Active&) mutable { return std::vector{asked++ < 2 ? 0.0 : 1.0}; };
  const auto played = play(c);
  EXPECT_THAT(played.rounds[0].tasks, ElementsAre(std::pair{Combination{JobId{1}, JobId{2}}, std::vector{0U}}));
  EXPECT_THAT(played.jct_s.at(JobId{1}), DoubleNear(359.998, 0.0005));
  EXPECT_THAT(played.jct_s.at(JobId{2}), DoubleNear(415.109, 0.0005));
}

TEST(Gavel2022, KeepsItsWorkersAndFillsFreeOnesInOrder) {
  Case c;
  c.settings.gpus = {4};
  c.jobs = {{JobId{1}, 1, 0, 2400}, {JobId{2}, 1, 0, 30000}, {JobId{3}, 2, 0, 30000}};
  c.speed = [](JobId, std::size_t) { return 24.0; };
  c.share = [](const Gavel2022Active&) { return std::vector{1.0}; };
  const auto played = play(c);
  ASSERT_GT(played.rounds.size(), 2U);
  EXPECT_THAT(played.rounds[0].tasks,
              ElementsAre(std::pair{alone(3), std::vector{0U, 1U}}, std::pair{alone(1), std::vector{2U}},
                          std::pair{alone(2), std::vector{3U}}));
  EXPECT_THAT(played.rounds[1].tasks,
              ElementsAre(std::pair{alone(3), std::vector{0U, 1U}}, std::pair{alone(2), std::vector{3U}}));
}

TEST(Gavel2022, ContinuesFromItsStateAsIfItHadNeverStopped) {
  Case c;
  c.settings.gpus = {1, 1};
  c.settings.shuffle_types = true;
  c.jobs = {{JobId{1}, 1, 0, 9000}, {JobId{2}, 1, 100, 9000}, {JobId{3}, 1, 400, 9000}};
  Gavel2022World world;
  world.speeds = [](const Combination&, std::size_t type) { return std::array{type == 0 ? 3.0 : 7.0, 0.0}; };
  world.shares = [](std::vector<Gavel2022Active>& active, double) -> Result<std::vector<CombinationShares>> {
    std::vector<CombinationShares> shares;
    for (const auto& job : active) shares.push_back({{job.job.job, {}}, {0.3, 0.6}});
    return shares;
  };
  Gavel2022 whole(c.settings, world);
  Gavel2022State kept;
  for (int round = 0; round < 12; ++round) {
    ASSERT_TRUE(whole.next_round(c.jobs, false));
    Gavel2022 resumed(c.settings, world, kept);
    ASSERT_TRUE(resumed.next_round(c.jobs, false));
    EXPECT_EQ(resumed.state(), whole.state()) << "round " << round;
    kept = resumed.state();
  }
}

}  // namespace
}  // namespace hadar
