// Every public form is recognised and read by its own rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tools/traces/samples.hpp"
#include "tools/traces/measured_speeds.hpp"

namespace hadar::traces {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::sample_of;
using testing::samples;

LoadedTrace read(const std::string& text, const LoadOptions& options = {}) {
  auto loaded = parse_trace(text, "t", options);
  EXPECT_TRUE(loaded.has_value()) << loaded.error().message;
  return loaded ? *std::move(loaded) : LoadedTrace{};
}

std::vector<TraceJob> jobs_of(const std::string& format) {
  return read(sample_of(format).text).trace.jobs;
}

TEST(Forms, AreRecognisedAndReadInFull) {
  for (const auto& sample : samples()) {
    const auto loaded = read(sample.text);
    EXPECT_EQ(loaded.format, sample.format);
    EXPECT_EQ(loaded.trace.jobs.size(), sample.jobs) << sample.format;
    EXPECT_THAT(loaded.refused, IsEmpty()) << sample.format;
    EXPECT_EQ(loaded.rows, sample.jobs + loaded.joined) << sample.format;
  }
}

TEST(Forms, AllHaveASample) {
  for (const auto& form : formats())
    EXPECT_NE(sample_of(std::string(form.name)).text.empty(), form.name != "pai-2020-jobs") << form.name;
}

TEST(Forms, MeanTheSameFromEveryEditor) {
  for (const auto& sample : samples()) {
    const auto right = read(sample.text).trace;
    const auto crlf = testing::with_crlf(sample.text);
    auto no_last = sample.text;
    while (no_last.back() == '\n') no_last.pop_back();
    for (const auto& text : {crlf, no_last, "\xef\xbb\xbf" + sample.text, "\n \r\n" + crlf + "\r\n\n"})
      EXPECT_EQ(read(text).trace, right) << sample.format;
  }
}

TEST(Forms, HadarKeepsEveryColumn) {
  EXPECT_THAT(jobs_of("hadar"), ElementsAre(TraceJob{"a", 0, "LM", 20, 1, 1000, 1, 0, "ann", true},
                                            TraceJob{"b", 1.5, "A3C", 1, 2, 7, 5, 3600, "", false}));
}

TEST(Forms, GavelHasTypesScaleFactorsAndWeights) {
  EXPECT_THAT(jobs_of("gavel"), ElementsAre(TraceJob{"1", 0, "ResNet-18", 64, 1, 1646636, 1, 0, "", true},
                                            TraceJob{"2", 360.5, "A3C", 1, 4, 5000, 5, 0, "", true}));
}

TEST(Forms, GavelDeadlinesAreMultiplesOfTheTimeAloneOnV100) {
  LoadOptions options;
  options.throughputs = {{"LM", 5, 1, "V100", Placement::kPacked, 100}};
  const auto loaded = read(
      "LM (batch size 5)\tc\td\ts\t1\t5000\t1\t1\t1.2\t0\nLM (batch size 80)\tc\td\ts\t1\t5\t1\t1\t2\t0\n", options);
  ASSERT_EQ(loaded.trace.jobs.size(), 1U);
  EXPECT_DOUBLE_EQ(loaded.trace.jobs[0].deadline_s, 60);
  EXPECT_THAT(loaded.refused, ElementsAre(Field(&Refusal::column, "SLO")));
}

TEST(Forms, TheOlderGavelFormHasArrivalBeforeScaleFactor) {
  EXPECT_THAT(jobs_of("gavel-msr"), ElementsAre(TraceJob{"1", 1e6, "ResNet-18", 64, 8, 100000, 1, 0, "", true},
                                                TraceJob{"2", 1000010, "CycleGAN", 1, 1, 77, 1, 0, "", true}));
}

TEST(Forms, GavelTablesCountDeadlinesInTheirOwnDuration) {
  EXPECT_EQ(jobs_of("gavel-table")[1].deadline_s, 120);
  EXPECT_EQ(jobs_of("gavel-table")[0].gpus, 8U);
}

TEST(Forms, OffspringOfTiresiasCountInOtherUnits) {
  EXPECT_EQ(jobs_of("tiresias")[0], (TraceJob{"1", 30, "vgg11", 32, 8, 133, 1, 0, "", true}));
  EXPECT_EQ(jobs_of("muri")[1], (TraceJob{"1", 201.694, "dqn", 128, 8, 878, 1, 0, "", true}));
  EXPECT_EQ(jobs_of("chronus")[0], (TraceJob{"1", 600, "resnet101", 32, 1, 8897, 1, 88 * 60, "vc_a", true}));
  EXPECT_EQ(jobs_of("elasticflow")[0], (TraceJob{"0", 100, "cifar10", 2048, 2, 2011, 1, 4000, "", true}));
}

TEST(Forms, SiaTrainsToTheValidationTarget) {
  EXPECT_THAT(jobs_of("sia"), ElementsAre(TraceJob{"cifar10-0", 107, "cifar10", 341, 6, 3178, 1, 0, "", true},
                                          TraceJob{"bert-1", 110.5, "bert", 32, 12, 480, 1, 0, "", true}));
}

// Duration of the drawn job at its model's speed.
double alone_s(const TraceJob& job) {
  for (const auto& row : gavel_throughput_file().rows)
    if (row.model == job.model && row.batch_size == job.batch_size && row.gpus == job.gpus && row.type == "V100" &&
        row.placement == Placement::kPacked)
      return static_cast<double>(job.total_steps) / row.steps_per_s;
  return 0;
}

TEST(Forms, PhillyAddsAttemptsAndCountsFromTheFirstJob) {
  const auto jobs = jobs_of("philly");
  EXPECT_EQ(jobs[0].arrival_s, 0);
  EXPECT_EQ(jobs[1].arrival_s, 3600);
  EXPECT_EQ(jobs[0].gpus, 4U);
  EXPECT_EQ(jobs[1].user, "u\"2}");
  EXPECT_NEAR(alone_s(jobs[0]), 3600, 1);
  EXPECT_NEAR(alone_s(jobs[1]), 30, 2);
}

TEST(Forms, PhillyNamesEveryBrokenJobWithItsLine) {
  const auto loaded = read(R"([
{"status": "Pass", "jobid": "good", "submitted_time": "2017-10-09 07:01:58", "attempts":
  [{"start_time": "2017-10-09 07:02:00", "end_time": "2017-10-09 07:03:00", "detail": [{"gpus": ["g"]}]}]},
{"status": "Pass", "jobid": "none", "submitted_time": "2017-10-09 07:01:58", "attempts": []},
{"status": "Pass", "jobid": "open", "submitted_time": "2017-10-09 07:01:58", "attempts":
  [{"start_time": "2017-10-09 07:02:00", "end_time": null, "detail": [{"gpus": ["g"]}]}]},
{"status": "Pass", "jobid": "cpu", "submitted_time": "2017-10-09 07:01:58", "attempts":
  [{"start_time": "2017-10-09 07:02:00", "end_time": "2017-10-09 07:03:00", "detail": [{"gpus": []}]}]},
{"status": "Pass", "jobid": "when", "submitted_time": "soon", "attempts": []},
{"status": "Pass", "jobid": broken}
])");
  EXPECT_EQ(loaded.trace.jobs.size(), 1U);
  std::vector<std::pair<std::uint32_t, std::string>> named;
  for (const auto& refusal : loaded.refused) named.emplace_back(refusal.line, refusal.column);
  EXPECT_THAT(named, ElementsAre(std::pair(4U, "attempts"), std::pair(5U, "end_time"), std::pair(7U, "gpus"),
                                 std::pair(9U, "submitted_time"), std::pair(10U, "")));
}

TEST(Forms, DatesWithOffsetsAreOneClock) {
  EXPECT_THAT(jobs_of("acme"), ElementsAre(Field(&TraceJob::arrival_s, 0), Field(&TraceJob::arrival_s, 10)));
  EXPECT_THAT(jobs_of("helios"), ElementsAre(Field(&TraceJob::arrival_s, 0), Field(&TraceJob::arrival_s, 60)));
  EXPECT_THAT(jobs_of("philly-csv"), ElementsAre(Field(&TraceJob::arrival_s, 0), Field(&TraceJob::arrival_s, 10)));
}

TEST(Forms, PaiTasksOfOneJobAreOneGangAndSharesRoundUp) {
  const auto loaded = read(sample_of("pai-2020").text);
  const auto& jobs = loaded.trace.jobs;
  EXPECT_EQ(loaded.joined, 1U);
  EXPECT_EQ(jobs[0].job_id, "j1");
  EXPECT_EQ(jobs[0].gpus, 3U) << "4 x 0.5 + 1";
  EXPECT_EQ(jobs[0].arrival_s, 90);
  EXPECT_EQ(jobs[1].gpus, 1U);
  EXPECT_THAT(loaded.notes, Contains(HasSubstr("1 row: a part of a GPU was asked for")));
}

TEST(Forms, AlibabaMultipliesWorkers) {
  EXPECT_THAT(jobs_of("alibaba-2026"), ElementsAre(Field(&TraceJob::gpus, 8U), Field(&TraceJob::gpus, 1U)));
  EXPECT_NEAR(alone_s(jobs_of("alibaba-2023")[0]), 990, 1);
}

// What a row breaks, in words.
std::string rule_of(const std::string& header, const std::string& good, const std::string& bad) {
  const auto loaded = read(header + good + bad);
  EXPECT_EQ(loaded.trace.jobs.size(), 1U);
  return loaded.refused.size() == 1 ? text_of(loaded.refused[0], "f") : "";
}

TEST(Forms, RulesAreNamed) {
  const std::string durations = "submit_s,duration_s,num_gpus\n";
  EXPECT_EQ(rule_of(durations, "0,5,1\n", "1,0,1\n"),
            "f:3: column 'duration_s': got '0', must be above 0 s: a job that never ran is no work");
  EXPECT_EQ(rule_of(durations, "0,5,1\n", "1,5,0\n"),
            "f:3: column 'num_gpus': got '0', must be above 0: a CPU-only job needs no GPU scheduler");
  EXPECT_EQ(rule_of(durations, "0,5,1\n", "1,-5,1\n"),
            "f:3: column 'duration_s': got '-5', must be a number of seconds above 0 and at most 4e9");
  const auto helios = sample_of("helios").text.substr(0, sample_of("helios").text.find('\n') + 1);
  EXPECT_THAT(rule_of(helios, "7,u,v,1,4,1,FAILED,2020-04-01 00:08:27,,,60,1\n",
                      "8,u,v,1,4,2,FAILED,2020-04-01 00:08:27,,,60,1\n"),
              HasSubstr("column 'node_num': got '2', must be at most gpu_num"));
  EXPECT_THAT(rule_of("", "j1,t,1,Terminated,1,2,6,2,100,V100\n", "j2,t,1,Failed,1,2,6,2,100,V100\n"),
              HasSubstr("column 'status': got 'Failed', must be Terminated"));
  EXPECT_THAT(rule_of("", "j1,t,1,Terminated,1,2,6,2,100,V100\n", "j2,t,1,Terminated,1,2,6,2,,\n"),
              HasSubstr("column 'plan_gpu': got '', must be given: a CPU-only task"));
}

TEST(Forms, ThePaiJobTableIsSentBackForTheTaskTable) {
  const auto loaded = parse_trace("j1,i1,u1,Terminated,1,2\n", "t");
  ASSERT_FALSE(loaded.has_value());
  EXPECT_THAT(loaded.error().message, HasSubstr("give the task table"));
}

}  // namespace
}  // namespace hadar::traces
