// The loop over leases, against an SDK that plays a script instead of talking to a node worker.
#include <deque>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tools/trainer_fixtures.hpp"
#include "tools/trainer/learner_work.hpp"
#include "tools/trainer/sleep_work.hpp"
#include "tools/trainer/weights_file.hpp"

// What the calls of hadar_job.h find and leave behind.
struct hadar_job {
  std::deque<hadar_lease> leases;
  std::deque<hadar_action> actions;  // of all leases, each ended by HADAR_END
  hadar_next last = HADAR_EXIT;      // after the last lease
  std::string result_path;           // empty: nobody wants weights
  int reduces_left = 1'000'000;      // then a member is gone

  std::uint64_t steps = 0;
  std::uint64_t samples = 0;
  int saves = 0;
  int ends = 0;
  int path_requests = 0;
  hadar::Metrics metrics;
};

extern "C" {
hadar_next hadar_next_lease(hadar_job* job, hadar_lease* lease) {
  if (job->leases.empty()) return job->last;
  *lease = job->leases.front();
  job->leases.pop_front();
  return HADAR_GO;
}
hadar_action hadar_before_step(hadar_job* job) {
  const hadar_action action = job->actions.front();
  job->actions.pop_front();
  return action;
}
void hadar_after_step(hadar_job* job, uint64_t samples) {
  ++job->steps;
  job->samples += samples;
}
const char* hadar_result_path(hadar_job* job) {
  ++job->path_requests;
  return job->result_path.empty() ? nullptr : job->result_path.c_str();
}
void hadar_saved(hadar_job* job) {
  ++job->saves;
}
int hadar_metric(hadar_job* job, const char* name, double value) {
  job->metrics[name] = value;
  return 0;
}
void hadar_end_lease(hadar_job* job) {
  ++job->ends;
}
int hadar_all_reduce(hadar_job* job, float*, size_t) {
  return job->reduces_left-- > 0 ? 0 : -1;
}
const char* hadar_last_error(void) {
  return "the node worker is gone";
}
}

namespace hadar::trainer {
namespace {

using ::testing::HasSubstr;

constexpr auto T = HADAR_TRAIN;
constexpr auto S = HADAR_SAVE;
constexpr auto E = HADAR_END;

hadar_lease lease_of(std::uint32_t world_size = 1) {
  hadar_lease lease{};
  lease.seed = 1;
  lease.quota_steps = 10;
  lease.total_steps = 100;
  lease.batch_size = 8;
  lease.world_size = world_size;
  return lease;
}

class TrainerLease : public ::testing::Test {
 protected:
  TrainerLease() { job_.result_path = (folder_.path() / "result").string(); }

  static std::unique_ptr<LeaseWork> image_work() { return make_learner_work(make_image_task(small_digits())); }
  Result<Vector> result() const { return load_weights(job_.result_path, make_image_task(small_digits())->layout()); }

  TemporaryFolder folder_;
  hadar_job job_;
};

TEST_F(TrainerLease, StepsAreCountedAndTheResultHandedOver) {
  job_.leases = {lease_of()};
  job_.actions = {T, T, T, E};
  ASSERT_TRUE(run_leases(&job_, *image_work()));
  EXPECT_EQ(job_.steps, 3U);
  EXPECT_EQ(job_.samples, 24U);
  EXPECT_EQ(job_.ends, 1);
  EXPECT_TRUE(result());
  EXPECT_EQ(job_.metrics.count("accuracy"), 1U);
  EXPECT_EQ(job_.metrics.count("baseline_accuracy"), 1U);
  EXPECT_EQ(job_.metrics.count("train_loss"), 1U);
}

TEST_F(TrainerLease, ASaveDoesNotDisturbTraining) {
  job_.leases = {lease_of()};
  job_.actions = {T, T, E};
  ASSERT_TRUE(run_leases(&job_, *image_work()));
  const Vector straight = result().value();
  job_.leases = {lease_of()};
  job_.actions = {S, T, S, T, E};
  ASSERT_TRUE(run_leases(&job_, *image_work()));
  EXPECT_EQ(job_.saves, 2);
  EXPECT_EQ(result().value(), straight);
}

TEST_F(TrainerLease, ALeaseStartsFromTheWeightsItNames) {
  job_.leases = {lease_of()};
  job_.actions = {T, T, E};
  ASSERT_TRUE(run_leases(&job_, *image_work()));
  const Vector base = result().value();
  const std::string base_path = job_.result_path;
  auto next = lease_of();
  next.weights_path = base_path.c_str();
  next.first_step = 2;
  job_.leases = {next};
  job_.actions = {E};
  job_.result_path += ".2";
  ASSERT_TRUE(run_leases(&job_, *image_work()));
  EXPECT_EQ(result().value(), base);
}

TEST_F(TrainerLease, AWarmTrainerStartsAFreshLeaseFresh) {
  job_.leases = {lease_of(), lease_of()};
  job_.actions = {T, T, E, E};
  ASSERT_TRUE(run_leases(&job_, *image_work()));
  const Vector second = result().value();
  job_.leases = {lease_of()};
  job_.actions = {E};
  ASSERT_TRUE(run_leases(&job_, *image_work()));
  EXPECT_EQ(result().value(), second);
}

TEST_F(TrainerLease, WeightsThatNobodyWantsAreNotWritten) {
  job_.leases = {lease_of()};
  job_.actions = {T, E};
  job_.result_path.clear();
  ASSERT_TRUE(run_leases(&job_, *image_work()));
  EXPECT_EQ(job_.ends, 1);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(TrainerLease, ADamagedWeightsFileEndsTheTrainerWithItsName) {
  const auto path = (folder_.path() / "base").string();
  std::ofstream(path) << "not weights";
  auto lease = lease_of();
  lease.weights_path = path.c_str();
  job_.leases = {lease};
  const auto done = run_leases(&job_, *image_work());
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr(path));
}

TEST_F(TrainerLease, ALostNodeWorkerIsAnError) {
  job_.last = HADAR_FAULT;
  const auto done = run_leases(&job_, *image_work());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "the node worker is gone");
}

TEST_F(TrainerLease, AStepWithoutAllMembersDoesNotCount) {
  job_.leases = {lease_of(2)};
  job_.actions = {T, T, T, E};
  job_.reduces_left = 2;
  ASSERT_TRUE(run_leases(&job_, *make_sleep_work({})));
  EXPECT_EQ(job_.steps, 2U);
  EXPECT_EQ(job_.reduces_left, -1) << "one sum a step";
}

TEST_F(TrainerLease, SleepWithoutWeightsNeverAsksWhereToWriteThem) {
  job_.leases = {lease_of()};
  job_.actions = {T, S, T, E};
  ASSERT_TRUE(run_leases(&job_, *make_sleep_work({})));
  EXPECT_EQ(job_.path_requests, 0);
  EXPECT_EQ(job_.saves, 1);
  EXPECT_EQ(job_.steps, 2U);
}

TEST_F(TrainerLease, SleepWritesPretendWeightsOfTheOrderedSize) {
  job_.leases = {lease_of()};
  job_.actions = {T, T, E};
  ASSERT_TRUE(run_leases(&job_, *make_sleep_work({.checkpoint_bytes = 100'001})));
  const auto size = std::filesystem::file_size(job_.result_path);
  EXPECT_GE(size, 100'001U);
  EXPECT_LE(size, 100'001U + 512);
  auto next = lease_of();
  const std::string base = job_.result_path;
  next.weights_path = base.c_str();
  job_.leases = {next};
  job_.actions = {E};
  job_.result_path += ".2";
  EXPECT_TRUE(run_leases(&job_, *make_sleep_work({.checkpoint_bytes = 100'001})));
}

TEST_F(TrainerLease, SleepCrashesAtTheOrderedStep) {
  job_.leases = {lease_of()};
  job_.actions = {T, T, E};
  EXPECT_EXIT(static_cast<void>(run_leases(&job_, *make_sleep_work({.crash_at_step = 2}))),
              ::testing::ExitedWithCode(1), "crash at step 2, as ordered");
  ASSERT_TRUE(run_leases(&job_, *make_sleep_work({.crash_at_step = 3}))) << "the lease ends before it";
  EXPECT_EQ(job_.steps, 2U);
}

TEST(TrainerSleepOptions, AreReadAsANodeWorkerWritesThem) {
  const auto options = parse_sleep_options("checkpoint_bytes=4096,crash_at_step=7,log_bytes_per_s=1.5");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->checkpoint_bytes, 4096U);
  EXPECT_EQ(options->crash_at_step, 7U);
  EXPECT_EQ(options->log_bytes_per_s, 1.5);
  EXPECT_TRUE(parse_sleep_options(""));
}

TEST(TrainerSleepOptions, OthersAreRefusedByName) {
  for (const char* text : {"crash=1", "crash_at_step", "crash_at_step=", "crash_at_step=x", "log_bytes_per_s=-1",
                           "checkpoint_bytes=1;crash_at_step=2"}) {
    const auto options = parse_sleep_options(text);
    ASSERT_FALSE(options) << text;
    EXPECT_THAT(options.error().message, HasSubstr(text));
  }
}

}  // namespace
}  // namespace hadar::trainer
