#include "tools/traces/generate.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <tuple>

#include "tools/traces/measured_speeds.hpp"
#include "tools/traces/stats.hpp"

namespace hadar::traces {
namespace {

using ::testing::HasSubstr;

Trace made(const std::string& profile, std::uint64_t jobs, double rate, std::uint64_t seed) {
  auto trace = generate({profile, jobs, rate, seed, {}});
  EXPECT_TRUE(trace.has_value()) << trace.error().message;
  return trace ? *std::move(trace) : Trace{};
}

TraceStats stats(const Trace& trace) {
  return stats_of(trace, {}, {});
}

double part_of(const TraceStats& stats, std::uint32_t gpus) {
  return static_cast<double>(stats.gangs.at(gpus)) / static_cast<double>(stats.jobs);
}

TEST(Generate, SameSeedSameBytesAnotherSeedDiffers) {
  for (const auto& profile : profiles()) {
    const std::string name(profile.name);
    const double rate = name == "gavel-makespan" ? 0 : 4;
    EXPECT_EQ(to_csv(made(name, 300, rate, 7)), to_csv(made(name, 300, rate, 7))) << name;
    EXPECT_NE(to_csv(made(name, 300, rate, 7)), to_csv(made(name, 300, rate, 8))) << name;
  }
}

// As an independent program in another language makes them; a change of it changes everyone's traces.
TEST(Generate, BytesDoNotDependOnTheStandardLibrary) {
  const auto trace = made("gavel-multi", 3, 2.4, 1);
  EXPECT_EQ(to_csv(trace),
            "job_id,arrival_s,model,batch_size,gpus,total_steps,weight,deadline_s,user,forkable\n"
            "1,0,Transformer,16,1,238140,1,0,,true\n"
            "2,828.502,LM,20,1,3375845,1,0,,true\n"
            "3,1709.142,LM,5,4,1193468,1,0,,true\n");
}

TEST(Generate, MoreJobsExtendATraceAndTheRateChangesArrivalsOnly) {
  auto some = made("gavel-multi", 50, 4, 3);
  auto more = made("gavel-multi", 80, 4, 3);
  more.jobs.resize(50);
  EXPECT_EQ(some, more);
  auto faster = made("gavel-multi", 50, 8, 3);
  EXPECT_NE(some, faster);
  for (auto* trace : {&some, &faster})
    for (auto& job : trace->jobs) job.arrival_s = 0;
  EXPECT_EQ(some, faster);
}

// Expected values of 10^U(1.5,3) and 10^U(3,4) minutes: (10^b - 10^a) / (ln 10 (b - a)), mixed 80 to 20.
TEST(Generate, GavelsDurationsGangsAndRateAreThePublishedOnes) {
  const double short_min = (1000 - std::pow(10, 1.5)) / (std::log(10) * 1.5);
  const double long_min = (10000 - 1000) / std::log(10);
  const double mean_s = 60 * (0.8 * short_min + 0.2 * long_min);
  const auto single = stats(made("gavel-single", 40000, 4, 5));
  EXPECT_NEAR(*single.alone_s.mean / mean_s, 1, 0.03);
  EXPECT_NEAR(*single.jobs_per_h, 4, 0.08);
  EXPECT_GE(*single.alone_s.min, 60 * std::pow(10, 1.5) - 1);
  EXPECT_LE(*single.alone_s.max, 600000);
  EXPECT_EQ(single.gangs.size(), 1U);
  EXPECT_EQ(single.models.size(), 26U);
  for (const auto& [model, jobs] : single.models)
    EXPECT_NEAR(static_cast<double>(jobs) / 40000, 1.0 / 26, 0.006) << model;
  const auto multi = stats(made("gavel-multi", 40000, 4, 5));
  EXPECT_NEAR(part_of(multi, 1), 0.70, 0.01);
  EXPECT_NEAR(part_of(multi, 2), 0.10, 0.01);
  EXPECT_NEAR(part_of(multi, 4), 0.15, 0.01);
  EXPECT_NEAR(part_of(multi, 8), 0.05, 0.01);
}

TEST(Generate, GangsRunModelsMeasuredAtTheirSize) {
  for (const auto& job : made("gavel-multi", 2000, 0, 11).jobs)
    EXPECT_TRUE(job.gpus == 1 || (job.model != "A3C" && job.model != "CycleGAN" && job.model != "Recommendation"));
}

// The first rows that the public Gavel code generates for seed 0: single GPU, mean gap 4,800 s; several, 7,200 s.
TEST(Generate, GavelsVeryJobsAreThoseOfItsPublicCode) {
  const auto multi = made("gavel-2022-multi", 6, 0.5, 0).jobs;
  ASSERT_EQ(multi.size(), 6U);
  EXPECT_EQ(multi[0].model, "ResNet-18");
  EXPECT_EQ(multi[0].batch_size, 64U);
  EXPECT_EQ(multi[0].gpus, 8U);
  EXPECT_EQ(multi[0].total_steps, 17484476U);
  EXPECT_EQ(multi[1].arrival_s, 1956.689);
  EXPECT_EQ(multi[1].total_steps, 343170U);
  EXPECT_EQ(multi[3].model, "Recommendation");
  EXPECT_EQ(multi[3].arrival_s, 10940.342);
  EXPECT_EQ(multi[4].gpus, 4U);
  EXPECT_EQ(multi[4].total_steps, 869104U);
  const auto single = made("gavel-2022-single", 1, 0.75, 0).jobs;
  EXPECT_EQ(single[0].gpus, 1U);
  EXPECT_EQ(single[0].total_steps, 1646636U);
  const auto at_once = made("gavel-2022-multi", 120, 0, 0).jobs;
  EXPECT_EQ(at_once[119].arrival_s, 0);
  EXPECT_EQ(at_once[119].total_steps, 31258U);
}

// Hours that jobs 4,000 to 4,999 of seeds 0 to 2 take alone, on average: on V100s less on their fastest type.
double gain_of_choice_h(const std::string& profile) {
  using Key = std::tuple<std::string, std::uint32_t, std::uint32_t>;
  std::map<Key, std::pair<double, double>> speeds;  // on V100, on the fastest type
  for (const auto& row : gavel_throughput_file().rows) {
    if (row.placement != Placement::kPacked) continue;
    auto& [v100, fastest] = speeds[{row.model, row.batch_size, row.gpus}];
    if (row.type == "V100") v100 = row.steps_per_s;
    fastest = std::max(fastest, row.steps_per_s);
  }
  double sum_s = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto jobs = made(profile, 5000, 0.2, seed).jobs;
    for (std::size_t i = 4000; i < 5000; ++i) {
      const auto& [v100, fastest] = speeds.at({jobs[i].model, jobs[i].batch_size, jobs[i].gpus});
      sum_s += static_cast<double>(jobs[i].total_steps) * (1 / v100 - 1 / fastest);
    }
  }
  return sum_s / 3000 / 3600;
}

// Where nobody waits, the logs behind Gavel's figures show mean JCTs of 17.371 h under LAS and 15.038 h under FIFO with
// speeds (one GPU), 17.291 and 15.559 h (several): the first runs every job on V100s, the second on its fastest type.
// Source: notebooks continuous_jobs and continuous_jobs_multigpu of the public code.
TEST(Generate, GavelsPublishedJobsAreThoseOfItsLogs) {
  EXPECT_NEAR(gain_of_choice_h("gavel-2020-single"), 17.371 - 15.038, 0.005);
  EXPECT_NEAR(gain_of_choice_h("gavel-2020-multi"), 17.291 - 15.559, 0.005);
}

TEST(Generate, MakespanHasEveryJobAtZeroAndRefusesARate) {
  EXPECT_EQ(made("gavel-makespan", 100, 0, 1).jobs.back().arrival_s, 0);
  EXPECT_THAT(generate({"gavel-makespan", 10, 5, 1, {}}).error().message, HasSubstr("rate"));
}

// Published of Philly: 93 % of the jobs in the public part on one GPU, median 874 to 1,800 s, most arrivals on
// weekdays.
TEST(Generate, PhillyHasItsShape) {
  const auto trace = made("philly", 60000, 20, 2);
  const auto seen = stats(trace);
  EXPECT_NEAR(part_of(seen, 1), 0.939, 0.005);
  EXPECT_NEAR(part_of(seen, 8), 0.027, 0.004);
  EXPECT_NEAR(*seen.alone_s.p50 / 1835, 1, 0.05) << "median of the fitted trace";
  Trace singles;
  for (const auto& job : trace.jobs)
    if (job.gpus == 1) singles.jobs.push_back(job);
  EXPECT_NEAR(*stats(singles).alone_s.p90 / 9603, 1, 0.05) << "likewise, of its one-GPU jobs";
  EXPECT_NEAR(*seen.jobs_per_h / 20, 1, 0.1);
  std::uint64_t weekend = 0;
  for (const auto& job : trace.jobs) weekend += std::fmod(job.arrival_s / 86400, 7) >= 5 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(weekend) / 60000, 0.81 / 7, 0.02);
}

// What a message says is the least rate.
double least_rate(const std::string& message) {
  const auto at = message.find("or from ");
  return at == std::string::npos ? 0 : std::stod(message.substr(at + 8));
}

TEST(Generate, RatesTooLowForTheTimesOfATraceAreRefusedAndTheLeastOneWorks) {
  for (const auto& profile : profiles()) {
    const std::string name(profile.name);
    if (name == "gavel-makespan") continue;
    for (const std::uint64_t jobs : {1U, 5U, 2000U}) {
      for (const double rate : {1e-300, 1e-9, 1e-6, 1e-5}) {
        const auto refused = generate({name, jobs, rate, 1, {}});
        ASSERT_FALSE(refused.has_value()) << name << rate;
        EXPECT_THAT(refused.error().message, HasSubstr("--rate: got 1e-")) << name;
        const auto least = least_rate(refused.error().message);
        EXPECT_GT(least, rate);
        const auto loaded = parse_trace(to_csv(made(name, jobs, least, 1)), "t");
        ASSERT_TRUE(loaded.has_value()) << name;
        EXPECT_TRUE(loaded->refused.empty()) << name;
      }
    }
  }
}

TEST(Generate, NumbersInErrorsReadAsTheyWereGiven) {
  EXPECT_THAT(generate({"uniform", 10, 1e9, 1, {}}).error().message, HasSubstr("--rate: got 1e+09, must be"));
  EXPECT_THAT(generate({"gavel-makespan", 10, 2.5, 1, {}}).error().message, HasSubstr("--rate: got 2.5, must be left"));
  EXPECT_THAT(generate({"uniform", 0, 1, 1, {}}).error().message, HasSubstr("--jobs: got 0, must be"));
}

TEST(Generate, TakesEverySeedThatItsProfileHas) {
  const auto most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_NE(made("uniform", 5, 1, most), made("uniform", 5, 1, most - 1));
  EXPECT_NE(made("gavel-2022-multi", 5, 1, most - 3), made("gavel-2022-multi", 5, 1, most - 4));
  EXPECT_THAT(generate({"gavel-2022-multi", 5, 1, most, {}}).error().message,
              HasSubstr("--seed: got 18446744073709551615, must be at most 18446744073709551612"));
}

TEST(Generate, RefusesWhatItCannotMake) {
  EXPECT_THAT(generate({"gavel", 10, 5, 1, {}}).error().message, HasSubstr("must be one of gavel-single, gavel-multi"));
  EXPECT_THAT(generate({"uniform", 0, 5, 1, {}}).error().message, HasSubstr("jobs: got 0"));
  EXPECT_THAT(generate({"uniform", 10'000'001, 5, 1, {}}).error().message, HasSubstr("jobs: got 10000001"));
  for (const double rate : {-1.0, std::nan(""), HUGE_VAL, 1e7})
    EXPECT_THAT(generate({"uniform", 10, rate, 1, {}}).error().message, HasSubstr("rate: got")) << rate;
  EXPECT_THAT(generate({"uniform", 10, 5, 1, {{"m", 1, 2, "V100", Placement::kPacked, 1}}}).error().message,
              HasSubstr("no speed on one GPU"));
}

}  // namespace
}  // namespace hadar::traces
