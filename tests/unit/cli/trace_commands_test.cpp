// hadar trace: exit codes, what goes where.
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "tools/cli/commands.hpp"
#include "tools/traces/trace.hpp"

namespace hadar::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr const char* kHeader = "job_id,arrival_s,model,batch_size,gpus,total_steps,weight,deadline_s,user,forkable\n";
constexpr const char* kGood = "a,0,LM,5,1,1000,1,0,,true\nb,5,LM,5,2,1000,1,0,,true\n";

class TraceCommands : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string text_of(const std::string& name) {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string at(const std::string& name) { return (folder_ / name).string(); }

  static TraceInput reading(const std::string& trace) {
    TraceInput input;
    input.file = trace;
    return input;
  }

  // Runs a command; keeps what it printed.
  template <class Work>
  CommandResult run(Work work) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    auto result = work();
    std::fflush(stdout);
    out_ = ::testing::internal::GetCapturedStdout();
    err_ = ::testing::internal::GetCapturedStderr();
    return result;
  }

  static ExitCode code_of(const CommandResult& result) { return result ? *result : result.error().code; }

  fs::path folder_ = fs::temp_directory_path() / ("hadar-trace-" + std::to_string(getpid()));
  std::string out_, err_;
};

TEST_F(TraceCommands, ImportOfAGoodFileIsDoneAndReadsBack) {
  const auto trace = file("t.csv", std::string(kHeader) + kGood);
  EXPECT_EQ(code_of(run([&] { return run_trace_import({}, reading(trace), at("o.csv")); })), ExitCode::kDone);
  EXPECT_EQ(text_of("o.csv"), std::string(kHeader) + kGood);
  EXPECT_THAT(out_, HasSubstr("2 rows: 2 jobs, 0 refused; written to"));
  EXPECT_EQ(err_, "");
}

TEST_F(TraceCommands, RefusedRowsAreNamedAndTheRestIsImported) {
  const auto trace = file("t.csv", std::string(kHeader) + kGood + "c,-1,LM,5,1,1000,1,0,,true\n");
  EXPECT_EQ(code_of(run([&] { return run_trace_import({}, reading(trace), at("o.csv")); })), ExitCode::kPartly);
  EXPECT_EQ(text_of("o.csv"), std::string(kHeader) + kGood);
  EXPECT_THAT(err_, HasSubstr("t.csv:4: column 'arrival_s': got '-1', must be a number of seconds"));
}

TEST_F(TraceCommands, TheScreenIsBoundedJsonIsNot) {
  std::string rows;
  for (int i = 0; i < 500; ++i) rows += "x" + std::to_string(i) + ",0,LM,5,0,1,1,0,,true\n";
  const auto trace = file("t.csv", std::string(kHeader) + kGood + rows);
  EXPECT_EQ(code_of(run([&] { return run_trace_check({}, reading(trace)); })), ExitCode::kPartly);
  EXPECT_LT(std::count(err_.begin(), err_.end(), '\n'), 20);
  EXPECT_THAT(err_, HasSubstr("490 more rows are refused; --json lists all 500"));
  Settings json;
  json.json = true;
  EXPECT_EQ(code_of(run([&] { return run_trace_check(json, reading(trace)); })), ExitCode::kPartly);
  const auto told = Json::parse(out_);
  EXPECT_EQ(told["refused"].size(), 500U);
  EXPECT_EQ(told["refused_rows"], 500);
  EXPECT_EQ(told["rows"], 502);
  EXPECT_EQ(told["jobs"], 2);
  EXPECT_EQ(
      told["refused"][0],
      (Json{{"line", 4}, {"column", "gpus"}, {"value", "0"}, {"rule", "a whole number of GPUs from 1 to 65536"}}));
}

TEST_F(TraceCommands, FilesWithoutAUsableRowAreMalformed) {
  for (const auto& text :
       {std::string(kHeader), std::string("a,b\n1,2\n"), std::string(kHeader) + "a,0,LM,5,0,1,1,0,,true\n",
        std::string("job_id,arrival_s,model,batch_size,gpus\na,0,LM,5,1\n")}) {
    const auto trace = file("t.csv", text);
    EXPECT_EQ(code_of(run([&] { return run_trace_import({}, reading(trace), at("none.csv")); })), ExitCode::kUsage)
        << text;
    EXPECT_FALSE(fs::exists(at("none.csv")));
  }
  EXPECT_EQ(code_of(run([&] { return run_trace_check({}, reading(at("absent.csv"))); })), ExitCode::kUsage);
}

TEST_F(TraceCommands, ACsvOnStdoutStandsAlone) {
  const auto trace = file("t.csv", std::string(kHeader) + kGood);
  EXPECT_EQ(code_of(run([&] { return run_trace_import({}, reading(trace), "-"); })), ExitCode::kDone);
  EXPECT_EQ(out_, std::string(kHeader) + kGood);
  Settings json;
  json.json = true;
  EXPECT_EQ(code_of(run([&] { return run_trace_import(json, reading(trace), "-"); })), ExitCode::kUsage);
}

TEST_F(TraceCommands, WhatWasDecidedIsSaidWhereNoTextSaysIt) {
  const auto trace = file("t.csv", "submit_s,duration_s,num_gpus\n2020-04-01 00:00:00,5,1\n2020-04-01 00:00:05,5,1\n");
  const auto said = HasSubstr("hadar: " + trace + ": times are dates: arrivals count from the earliest job\n");
  EXPECT_EQ(code_of(run([&] { return run_trace_import({}, reading(trace), "-"); })), ExitCode::kDone);
  EXPECT_THAT(err_, said);
  EXPECT_EQ(code_of(run([&] { return run_trace_stats({}, reading(trace)); })), ExitCode::kDone);
  EXPECT_THAT(err_, said);
  TraceSampleArgs part;
  part.output = "-";
  EXPECT_EQ(code_of(run([&] { return run_trace_sample({}, reading(trace), part); })), ExitCode::kDone);
  EXPECT_THAT(err_, said);
  EXPECT_EQ(code_of(run([&] { return run_trace_import({}, reading(trace), at("o.csv")); })), ExitCode::kDone);
  EXPECT_THAT(out_, HasSubstr("times are dates"));
  EXPECT_EQ(err_, "") << "once is enough";
}

TEST_F(TraceCommands, ABrokenArrayOfJobsIsNotDone) {
  const std::string job =
      R"({"status":"Pass","jobid":"a","submitted_time":"2017-10-09 07:01:58","attempts":[{"start_time":)"
      R"("2017-10-09 07:02:00","end_time":"2017-10-09 07:03:00","detail":[{"gpus":["g"]}]}]})";
  for (const auto& text : {"[" + job + ", 17]", "[" + job, "[" + job + ",", "[" + job + "] x"}) {
    EXPECT_EQ(code_of(run([&] { return run_trace_check({}, reading(file("p.json", text))); })), ExitCode::kPartly);
    EXPECT_THAT(err_, HasSubstr("p.json:1: got '")) << text;
  }
  EXPECT_EQ(code_of(run([&] { return run_trace_check({}, reading(file("p.json", "[" + job + "]"))); })),
            ExitCode::kDone);
}

TEST_F(TraceCommands, AClusterRefusesLargerJobsAndSaysTheLoad) {
  const auto trace = file("t.csv", std::string(kHeader) + kGood + "c,3605,LM,5,8,1000,1,0,,true\n");
  TraceInput input = reading(trace);
  input.cluster = file("c.toml", "[[nodes]]\nname = \"n\"\ngpus = [{ type = \"V100\", count = 4 }]\n");
  EXPECT_EQ(code_of(run([&] { return run_trace_check({}, input); })), ExitCode::kPartly);
  EXPECT_THAT(err_, HasSubstr("column 'gpus': got '8', must be at most the GPUs of the cluster"));
  Settings json;
  json.json = true;
  EXPECT_EQ(code_of(run([&] { return run_trace_stats(json, input); })), ExitCode::kPartly);
  const auto told = Json::parse(out_);
  EXPECT_EQ(told["cluster"]["gpus"], 4);
  EXPECT_GT(told["cluster"]["load"], 0);
  EXPECT_EQ(told["jobs"], 2);
}

TEST_F(TraceCommands, GeneratedTracesAreCheckedAndSampledWithoutAWord) {
  TraceGenerateArgs made;
  made.profile = "gavel-multi";
  made.jobs = 300;
  made.jobs_per_h = 4;
  made.output = at("g.csv");
  EXPECT_EQ(code_of(run([&] { return run_trace_generate({}, made); })), ExitCode::kDone);
  EXPECT_EQ(code_of(run([&] { return run_trace_check({}, reading(made.output)); })), ExitCode::kDone);
  TraceSampleArgs part;
  part.jobs = 20;
  part.output = at("s.csv");
  EXPECT_EQ(code_of(run([&] { return run_trace_sample({}, reading(made.output), part); })), ExitCode::kDone);
  EXPECT_EQ(traces::load_trace(part.output).value().trace.jobs.size(), 20U);
  made.jobs = 0;
  EXPECT_EQ(code_of(run([&] { return run_trace_generate({}, made); })), ExitCode::kUsage);
  made.jobs = 5;
  made.jobs_per_h = 1e-9;
  EXPECT_EQ(code_of(run([&] { return run_trace_generate({}, made); })), ExitCode::kUsage);
}

TEST_F(TraceCommands, OneIsNotSpokenOfAsMany) {
  const auto one = file("one.csv", kHeader + std::string("a,0,LM,5,1,1000,1,5,u,true\n"));
  const auto cluster = file("c.toml", "[[nodes]]\nname = \"n\"\ngpus = [{ type = \"V100\", count = 1 }]\n");
  auto input = reading(one);
  input.cluster = cluster;
  ASSERT_TRUE(run([&] { return run_trace_stats({}, input); }));
  EXPECT_THAT(out_, HasSubstr("1 job of 1 user\n"));
  EXPECT_THAT(out_, HasSubstr("1 (100.0 %) job has a deadline"));
  EXPECT_THAT(out_, HasSubstr("on 1 GPU: "));
  ASSERT_TRUE(run([&] { return run_trace_check({}, input); }));
  EXPECT_THAT(out_, HasSubstr("1 row: 1 job, 0 refused"));
  ASSERT_TRUE(run([&] { return run_trace_sample({}, input, {1, 0, {}, at("s.csv")}); }));
  EXPECT_THAT(out_, HasSubstr("1 of 1 job;"));
  TraceGenerateArgs made;
  made.profile = "philly";
  made.jobs = 1;
  made.output = at("g.csv");
  ASSERT_TRUE(run([&] { return run_trace_generate({}, made); }));
  EXPECT_THAT(out_, HasSubstr("1 job of profile philly"));
}

}  // namespace
}  // namespace hadar::cli
