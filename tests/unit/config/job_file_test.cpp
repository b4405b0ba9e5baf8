#include "runtime/config/job_file.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace hadar {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The error of a job file, or "" when it was taken.
std::string error_of(const std::string& text) {
  const auto job = parse_job(text, "job.toml");
  if (job) return "";
  EXPECT_EQ(job.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(job.error().message.find('\n'), std::string::npos);
  return job.error().message;
}

const std::string kGood = "name = \"digits\"\nworkload = \"image\"\ntotal_steps = 500\n";

TEST(JobFile, TakesTheShortestJobWithDefaults) {
  JobSpec right;
  right.name = "digits";
  right.workload = "image";
  right.model = "image";
  right.total_steps = 500;
  EXPECT_EQ(parse_job(kGood, "job.toml").value(), right);
}

TEST(JobFile, TakesEveryKey) {
  const auto job = parse_job(R"(
    name = "Nacht 3"
    workload = "sleep"
    model = "ResNet-18"
    batch_size = 64
    gpus = 4
    total_steps = 9007199254740992
    gpu_types = ["V100", "RTX 3090"]
    forkable = false
    weight = 2.5
    deadline_s = 3600
    user = "ada"
    proportional_batch = true
    checkpoint_every_s = 30
    seed = 7
    effective_steps = true
    [sleep]
    steps_per_s = {V100 = 100, "RTX 3090" = 80.5}
    checkpoint_bytes = 1000000
    crash_at_step = 12
    log_bytes_per_s = 1e6
    [target]
    metric = "mse"
    at_most = 1.5
  )",
                             "job.toml")
                       .value();
  JobSpec right;
  right.name = "Nacht 3";
  right.workload = "sleep";
  right.model = "ResNet-18";
  right.batch_size = 64;
  right.gpus = 4;
  right.total_steps = std::uint64_t{1} << 53;
  right.gpu_types = {"V100", "RTX 3090"};
  right.forkable = false;
  right.weight = 2.5;
  right.deadline_s = 3600;
  right.user = "ada";
  right.proportional_batch = true;
  right.checkpoint_every_s = 30;
  right.seed = 7;
  right.sleep = {{{"V100", 100}, {"RTX 3090", 80.5}}, 1'000'000, 12, 1e6};
  right.target = {"mse", 1.5, false};
  right.effective_steps = true;
  EXPECT_EQ(job, right);
}

TEST(JobFile, ATargetIsAMetricAndOneBound) {
  const auto target = parse_job(kGood + "target = {metric = \"accuracy\", at_least = 0.97}\n", "j").value().target;
  EXPECT_EQ(target, (TargetMetric{"accuracy", 0.97, true}));
  EXPECT_THAT(error_of(kGood + "target = 0.97\n"), HasSubstr("target: got 0.97, must be a table"));
  EXPECT_THAT(error_of(kGood + "target = {metric = \"accuracy\"}\n"), HasSubstr("target: got no metric or no bound"));
  EXPECT_THAT(error_of(kGood + "target = {at_least = 1}\n"), HasSubstr("target: got no metric or no bound"));
  EXPECT_THAT(error_of(kGood + "target = {metric = \"a\", at_least = 1, at_most = 2}\n"),
              HasSubstr("target: got both at_least and at_most"));
  EXPECT_THAT(error_of(kGood + "target = {metric = \"a\", at_least = 1, over = 2}\n"),
              HasSubstr("target.over: unknown key"));
}

TEST(JobFile, NamesACommandsModelAfterTheJob) {
  const auto job = parse_job("name = \"mine\"\ncommand = [\"python3\", \"train.py\"]\ntotal_steps = 1", "j").value();
  EXPECT_EQ(job.model, "mine");
  EXPECT_EQ(job.command, (std::vector<std::string>{"python3", "train.py"}));
}

TEST(JobFile, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(error_of(kGood + "gpus = 0\n"), "job.toml:4:8: gpus: got 0, must be a whole number from 1 to 65536");
  EXPECT_EQ(error_of(kGood + "gpus = -1\n"), "job.toml:4:8: gpus: got -1, must be a whole number from 1 to 65536");
  EXPECT_THAT(error_of(kGood + "gpus = 1.5\n"), HasSubstr("gpus: got 1.5, must be a whole number"));
  EXPECT_THAT(error_of(kGood + "gpus = \"2\"\n"), HasSubstr("gpus: got \"2\", must be a whole number"));
  EXPECT_EQ(error_of(kGood + "wieght = 2\n"), "job.toml:4:1: wieght: unknown key, nearest known key is weight");
  EXPECT_THAT(error_of(kGood + "zzzzzzzzz = 2\n"), HasSubstr("zzzzzzzzz: unknown key, must be name, workload"));
  EXPECT_THAT(error_of(kGood + "name = \"again\"\n"), StartsWith("job.toml:4:"));
  EXPECT_THAT(error_of(kGood + "weight = \n"), StartsWith("job.toml:4:"));
  EXPECT_THAT(error_of(kGood + "weight = nan\n"), HasSubstr("weight: got nan, must be a number from 1e-09"));
  for (const auto* tiny : {"5e-324", "1e-308", "1e-10"})
    EXPECT_THAT(error_of(kGood + "weight = " + tiny + "\n"), HasSubstr("weight: got"));
  EXPECT_THAT(error_of(kGood + "weight = 0\n"), HasSubstr("weight: got 0, must be a number from 1e-09"));
  EXPECT_THAT(error_of(kGood + "forkable = 1\n"), HasSubstr("forkable: got 1, must be true or false"));
  EXPECT_THAT(error_of(kGood + "user = 1979-05-27\n"), HasSubstr("user: got a date, must be text"));
  EXPECT_THAT(error_of(kGood + "gpu_types = [\"V100\", 3]\n"), HasSubstr("gpu_types: got 3 in the array"));
  EXPECT_THAT(error_of(kGood + "total_stepss = 3\n"), HasSubstr("nearest known key is total_steps"));
}

TEST(JobFile, PlacesTheRulesBetweenKeysToo) {
  EXPECT_EQ(
      error_of("name = \"a\"\nworkload = \"imagee\"\ntotal_steps = 1\n"),
      "job.toml:2:12: workload: got \"imagee\", must be image, recommendation, sleep or weather (nearest: image)");
  EXPECT_THAT(error_of("name = \"a\"\ntotal_steps = 1\n"), HasSubstr("workload: got neither workload nor command"));
  EXPECT_THAT(error_of(kGood + "command = [\"x\"]\n"), HasSubstr("workload: got both workload and command"));
  EXPECT_THAT(error_of("workload = \"image\"\ntotal_steps = 1\n"), HasSubstr("job.toml: name: got nothing"));
  EXPECT_THAT(error_of("name = \"a\"\nworkload = \"image\"\n"), HasSubstr("total_steps: got 0, must be from 1"));
  EXPECT_THAT(error_of(kGood + "[sleep]\nsteps_per_s = {V100 = 1}\n"), HasSubstr("sleep: got a [sleep] table"));
  EXPECT_THAT(error_of(kGood + "[sleep]\nspeed = 3\n"), HasSubstr("job.toml:5:1: sleep.speed: unknown key"));
}

TEST(JobFile, WantsASpeedForEveryTypeASleepJobMayUse) {
  const std::string sleep = "name = \"a\"\nworkload = \"sleep\"\ntotal_steps = 1\n";
  EXPECT_THAT(error_of(sleep), HasSubstr("sleep.steps_per_s: got no speed"));
  EXPECT_THAT(error_of(sleep + "[sleep]\nsteps_per_s = {V100 = 0}"), HasSubstr("sleep.steps_per_s.V100: got 0"));
  EXPECT_THAT(error_of(sleep + "[sleep]\nsteps_per_s = {V100 = -5}"), HasSubstr("sleep.steps_per_s.V100: got -5"));
  EXPECT_THAT(error_of(sleep + "[sleep]\nsteps_per_s = 5"), HasSubstr("must be a table like {V100 = 100}"));
  EXPECT_THAT(error_of(sleep + "gpu_types = [\"K80\"]\n[sleep]\nsteps_per_s = {V100 = 5}"),
              HasSubstr("sleep.steps_per_s: got no speed for \"K80\""));
  EXPECT_EQ(error_of(sleep + "[sleep]\nsteps_per_s = {V100 = 5}"), "");
}

TEST(JobFile, SaysWhatCannotBeRead) {
  EXPECT_EQ(load_job("/nowhere/job.toml").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(load_job("/").error().code, ErrorCode::kIo);
}

TEST(JobFile, SurvivesGarbage) {
  const std::string letters = "name=\"[]{}'\n\r\t.#0123\xff\x80 true";
  std::uint32_t state = 1;
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (int k = 0; k < 40; ++k) {
      state = state * 1664525 + 1013904223;
      text += letters[(state >> 16) % letters.size()];
    }
    EXPECT_EQ(error_of(text).find('\n'), std::string::npos);
  }
}

// From the wire no file stands between a job and its rules.
class JobRules : public ::testing::Test {
 protected:
  JobRules() { spec_ = parse_job(kGood, "job.toml").value(); }
  std::string broken() const {
    const auto status = validate_job(spec_);
    return status ? "" : status.error().message;
  }
  JobSpec spec_;
};

TEST_F(JobRules, TakeAGoodJob) {
  EXPECT_EQ(broken(), "");
}

TEST_F(JobRules, RefuseNamesThatCannotBeShownStoredOrToldFromIds) {
  for (const auto& name :
       {std::string(), std::string("12"), std::string("a/b"), std::string("-x"), std::string(".."), std::string("a\nb"),
        std::string("\xff\xfe"), std::string(257, 'a'), std::string("a\0b", 3)}) {
    spec_.name = name;
    EXPECT_THAT(broken(), StartsWith("name: got ")) << name;
  }
  spec_.name = "größer 12";
  EXPECT_EQ(broken(), "");
}

TEST_F(JobRules, RefuseNumbersNoJobCanHave) {
  const auto inf = std::numeric_limits<double>::infinity();
  for (const double weight : {0.0, -1.0, inf, std::nan("")}) {
    spec_.weight = weight;
    EXPECT_THAT(broken(), StartsWith("weight: got "));
  }
  spec_.weight = 1;
  spec_.deadline_s = -1;
  EXPECT_THAT(broken(), StartsWith("deadline_s: got -1"));
  spec_.deadline_s = 0;
  spec_.batch_size = 0;
  EXPECT_THAT(broken(), StartsWith("batch_size: got 0"));
  spec_.batch_size = 1;
  spec_.gpus = 0;
  EXPECT_THAT(broken(), StartsWith("gpus: got 0"));
  spec_.gpus = 1;
  spec_.total_steps = 0;
  EXPECT_THAT(broken(), StartsWith("total_steps: got 0"));
}

TEST_F(JobRules, RefuseWhatTheBundledTrainerCannotHoldInMemory) {
  for (const auto* workload : {"image", "recommendation", "weather", "sleep"}) {
    JobSpec spec = spec_;
    spec.workload = workload;
    spec.sleep = {};
    if (spec.workload == "sleep") spec.sleep.steps_per_s = {{"V100", 1}};
    spec.batch_size = 1048576;
    EXPECT_TRUE(validate_job(spec)) << workload;
    for (const std::uint32_t batch : {1048577U, 4294967295U}) {
      spec.batch_size = batch;
      EXPECT_THAT(validate_job(spec).error().message,
                  StartsWith("batch_size: got " + std::to_string(batch) + ", must be at most 1048576"));
    }
  }
  JobSpec sleep = spec_;
  sleep.workload = "sleep";
  sleep.sleep = {.steps_per_s = {{"V100", 1}}, .checkpoint_bytes = 4294967296};
  EXPECT_TRUE(validate_job(sleep));
  for (const std::uint64_t bytes : {4294967297ULL, 100000000000ULL}) {
    sleep.sleep.checkpoint_bytes = bytes;
    EXPECT_THAT(validate_job(sleep).error().message,
                StartsWith("sleep.checkpoint_bytes: got " + std::to_string(bytes) + ", must be at most 4294967296"));
  }
  spec_.workload.clear();
  spec_.command = {"train"};
  spec_.batch_size = 4000000;
  EXPECT_EQ(broken(), "") << "of a command, tokens perhaps";
}

TEST_F(JobRules, RefuseCommandsThatCannotRun) {
  spec_.workload.clear();
  spec_.command = {""};
  EXPECT_THAT(broken(), StartsWith("command: got an empty program"));
  spec_.command = {"sh", std::string("a\0b", 3)};
  EXPECT_THAT(broken(), StartsWith("command: got an argument"));
  spec_.command = std::vector<std::string>(2000, "x");
  EXPECT_THAT(broken(), StartsWith("command: got 2000 arguments"));
}

TEST_F(JobRules, RefuseTypesNamedTwiceOrNotAtAll) {
  spec_.gpu_types = {"V100", "V100"};
  EXPECT_THAT(broken(), StartsWith("gpu_types: got \"V100\" twice"));
  spec_.gpu_types = {""};
  EXPECT_THAT(broken(), StartsWith("gpu_types: got an empty type"));
}

}  // namespace
}  // namespace hadar
