// hadar-trainer under the real executor, alone and as gangs of several processes.
#include <condition_variable>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mutex>
#include <optional>

#include "runtime/executor/process_executor.hpp"
#include "tests/unit/tools/trainer_fixtures.hpp"

namespace hadar::trainer {
namespace {

using executor_event::Ended;

class TrainerUnderExecutor : public ::testing::Test {
 protected:
  TrainerUnderExecutor() {
    options_.work_folder = folder_.path() / "work";
    options_.log_folder = folder_.path() / "logs";
    options_.trainers.trainer_binary = HADAR_TRAINER;
    open(options_);
  }
  ~TrainerUnderExecutor() override { executor_.reset(); }

  void open(const ProcessExecutorOptions& options) {
    executor_.reset();
    executor_ = ProcessExecutor::create(loop_, options).value();
    executor_->set_sink([this](const ExecutorEvent& event) {
      if (const auto* ended = std::get_if<Ended>(&event)) {
        const std::lock_guard guard(lock_);
        ended_ = *ended;
        news_.notify_all();
      }
    });
  }

  static LeaseRun lease_of(const std::string& workload, std::uint32_t members, std::uint64_t steps) {
    auto spec = std::make_shared<JobSpec>();
    spec->name = spec->workload = workload;
    spec->gpus = members;
    spec->total_steps = steps;
    LeaseRun run;
    run.lease.id = {1};
    run.lease.fork = {{1}, 0};
    for (std::uint32_t gpu = 0; gpu < members; ++gpu) run.lease.gpus.push_back(gpu);
    run.lease.quota_steps = steps;
    run.lease.gang.world_size = members;
    run.lease.spec = spec;
    return run;
  }

  Ended run(LeaseRun lease) {
    std::unique_lock guard(lock_);
    ended_.reset();
    executor_->start(std::move(lease));
    EXPECT_TRUE(news_.wait_for(guard, std::chrono::seconds(60), [&] { return ended_.has_value(); }));
    return ended_.value_or(Ended{});
  }

  TemporaryFolder folder_;
  ProcessExecutorOptions options_;
  EventLoop loop_;
  std::unique_ptr<ProcessExecutor> executor_;
  std::mutex lock_;
  std::condition_variable news_;
  std::optional<Ended> ended_;
};

TEST_F(TrainerUnderExecutor, AWarmTrainerGoesOnFromTheWeightsOfItsLastLease) {
  const auto first = run(lease_of("image", 1, 300));
  ASSERT_EQ(first.end, LeaseEndReason::kQuota) << first.detail;
  EXPECT_EQ(first.samples, 300U * 32);
  auto next = lease_of("image", 1, 300);
  next.lease.id = {2};
  next.weights = first.weights;
  next.first_step = 300;
  const auto second = run(next);
  ASSERT_EQ(second.end, LeaseEndReason::kQuota) << second.detail;
  EXPECT_LT(second.metrics.at("train_loss"), first.metrics.at("train_loss"));
  EXPECT_GT(second.metrics.at("accuracy"), 0.9);
}

class TrainerGang : public TrainerUnderExecutor, public ::testing::WithParamInterface<std::uint32_t> {};

TEST_P(TrainerGang, TrainsOneModelOverItsProcesses) {
  const auto ended = run(lease_of("image", GetParam(), 200));
  ASSERT_EQ(ended.end, LeaseEndReason::kQuota) << ended.detail;
  EXPECT_EQ(ended.steps, 200U);
  EXPECT_GT(ended.metrics.at("accuracy"), 0.85);
  EXPECT_TRUE(std::filesystem::exists(ended.weights));
}

TEST_P(TrainerGang, SleepsInStep) {
  const auto ended = run(lease_of("sleep", GetParam(), 500));
  ASSERT_EQ(ended.end, LeaseEndReason::kQuota) << ended.detail;
  EXPECT_EQ(ended.steps, 500U);
  EXPECT_TRUE(ended.weights.empty());
}

INSTANTIATE_TEST_SUITE_P(OfSize, TrainerGang, ::testing::Values(2U, 4U));

TEST_F(TrainerUnderExecutor, AMissingDataFileFailsTheLeaseWithItsLine) {
  options_.trainers.data_folder = folder_.path();
  open(options_);
  const auto ended = run(lease_of("image", 1, 10));
  EXPECT_EQ(ended.end, LeaseEndReason::kFailed);
  EXPECT_THAT(ended.detail, ::testing::HasSubstr("digits.csv: no such data file; run launchers/prepare-data"));
}

}  // namespace
}  // namespace hadar::trainer
