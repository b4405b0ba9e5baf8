#include <regex>

#include "tests/unit/executor/executor_fixture.hpp"

namespace hadar {
namespace {

using executor_event::Ended;
using executor_event::Progressed;
using executor_event::Saved;
using executor_event::Started;

TEST_F(ExecutorTest, ALeaseEndsAtItsQuotaWithWeightsCountsAndMetrics) {
  open();
  executor_->start(lease(1, 25));
  wait_for<Started>(1);
  const auto ended = wait_for<Ended>(1);
  EXPECT_EQ(ended.end, LeaseEndReason::kQuota);
  EXPECT_EQ(ended.steps, 25U);
  EXPECT_EQ(ended.samples, 50U);
  EXPECT_EQ(ended.metrics, (Metrics{{"total", 25}}));
  EXPECT_EQ(content(ended.weights), "25");
  EXPECT_EQ(ended.weights.parent_path(), options_.work_folder);
}

TEST_F(ExecutorTest, TheNextLeaseOfTheSameForkGoesOnInTheSameProcess) {
  open();
  executor_->start(lease(1, 5));
  const auto first = wait_for<Ended>(1);
  auto second = lease(2, 7);
  second.weights = first.weights;
  executor_->start(second);
  const auto ended = wait_for<Ended>(2);
  EXPECT_EQ(content(ended.weights), "12");
  const auto pids = numbers_after("pid ");
  ASSERT_EQ(pids.size(), 2U);
  EXPECT_EQ(pids[0], pids[1]);
}

TEST_F(ExecutorTest, AnotherForkGetsAProcessOfItsOwn) {
  open();
  executor_->start(lease(1, 5, {}, 1));
  executor_->start(lease(2, 5, {}, 2));
  EXPECT_EQ(wait_for<Ended>(1).steps, 5U);
  EXPECT_EQ(wait_for<Ended>(2).steps, 5U);
  EXPECT_NE(numbers_after("pid ", 1), numbers_after("pid ", 2));
}

TEST_F(ExecutorTest, ALeaseEndsAtItsDeadline) {
  open();
  auto run = lease(1, 1'000'000'000);
  run.lease.train_for_s = 0.5;
  executor_->start(run);
  const auto ended = wait_for<Ended>(1);
  EXPECT_EQ(ended.end, LeaseEndReason::kDeadline);
  EXPECT_GT(ended.steps, 0U);
  EXPECT_EQ(content(ended.weights), std::to_string(ended.steps));
}

TEST_F(ExecutorTest, AStoppedLeaseKeepsItsSteps) {
  open();
  auto run = lease(1, 1'000'000'000);
  executor_->start(run);
  wait_for_steps(1, 1);
  executor_->stop({1}, 5);
  const auto ended = wait_for<Ended>(1);
  EXPECT_EQ(ended.end, LeaseEndReason::kRevoked);
  EXPECT_EQ(content(ended.weights), std::to_string(ended.steps));
}

TEST_F(ExecutorTest, AnExtendedLeaseEndsAtItsNewQuota) {
  open();
  auto run = lease(1, 1000);
  run.pace_steps_per_s = 500;
  executor_->start(run);
  wait_for<Started>(1);
  executor_->extend({1}, 1300, 0);
  EXPECT_EQ(wait_for<Ended>(1).steps, 1300U);
}

TEST_F(ExecutorTest, ASaveHandsOutWeightsAndTheLeaseGoesOn) {
  open();
  auto run = lease(1, 400);
  run.pace_steps_per_s = 400;
  executor_->start(run);
  wait_for<Started>(1);
  executor_->save({1});
  const auto saved = wait_for<Saved>(1);
  EXPECT_LT(saved.steps, 400U);
  EXPECT_EQ(content(saved.weights), std::to_string(saved.steps));
  const auto ended = wait_for<Ended>(1);
  EXPECT_EQ(ended.steps, 400U);
  EXPECT_NE(ended.weights, saved.weights);
  EXPECT_TRUE(std::filesystem::exists(saved.weights));
}

TEST_F(ExecutorTest, APacedLeaseDoesItsStepsInStepsOverSpeed) {
  open();
  auto run = lease(1, 300);
  run.pace_steps_per_s = 300;
  executor_->start(run);
  const auto ended = wait_for<Ended>(1);
  EXPECT_EQ(ended.steps, 300U);
  EXPECT_GE(ended.train_s, 1.0);  // never faster than the pace
}

TEST_F(ExecutorTest, ACrashFailsTheLeaseAndSaysHow) {
  open();
  executor_->start(lease(1, 100, {"crash_at=10"}));
  const auto ended = wait_for<Ended>(1);
  EXPECT_EQ(ended.end, LeaseEndReason::kFailed);
  EXPECT_EQ(ended.steps, 0U);
  EXPECT_EQ(ended.detail, "exit code 3: cannot go on");
  EXPECT_TRUE(ended.weights.empty());
}

TEST_F(ExecutorTest, AfterACrashTheNextLeaseStartsANewProcess) {
  open();
  executor_->start(lease(1, 100, {"crash_at=10"}));
  wait_for<Ended>(1);
  executor_->start(lease(2, 5));
  EXPECT_EQ(wait_for<Ended>(2).steps, 5U);
  const auto pids = numbers_after("pid ");
  ASSERT_EQ(pids.size(), 2U);
  EXPECT_NE(pids[0], pids[1]);
}

TEST_F(ExecutorTest, AProgramThatDoesNotExistFailsTheLease) {
  open();
  auto run = lease(1, 5);
  auto spec = std::make_shared<JobSpec>(*run.lease.spec);
  spec->command = {"/no/such/trainer"};
  run.lease.spec = spec;
  executor_->start(run);
  const auto ended = wait_for<Ended>(1);
  EXPECT_EQ(ended.end, LeaseEndReason::kFailed);
  EXPECT_THAT(ended.detail, ::testing::HasSubstr("/no/such/trainer"));
}

TEST_F(ExecutorTest, ATrainerThatSaysNoHelloFailsTheLease) {
  options_.hello_limit_s = 0.2;
  open();
  executor_->start(lease(1, 5, {"no_hello"}));
  const auto ended = wait_for<Ended>(1);
  EXPECT_EQ(ended.end, LeaseEndReason::kFailed);
  EXPECT_THAT(ended.detail, ::testing::HasSubstr("no hello"));
}

TEST_F(ExecutorTest, WeightsThatWereNotWrittenFailTheLease) {
  open();
  executor_->start(lease(1, 5, {"forget_weights"}));
  const auto ended = wait_for<Ended>(1);
  EXPECT_EQ(ended.end, LeaseEndReason::kFailed);
  EXPECT_THAT(ended.detail, ::testing::HasSubstr("no weights at"));
}

TEST_F(ExecutorTest, ATrainerThatIgnoresEverythingIsKilledWithItsGrandchildren) {
  open();
  executor_->start(lease(1, 100, {"hang_at=1", "ignore_term", "grandchild"}));
  wait_for<Started>(1);
  executor_->stop({1}, 0.2);
  const auto ended = wait_for<Ended>(1);
  EXPECT_EQ(ended.end, LeaseEndReason::kFailed);
  EXPECT_THAT(ended.detail, ::testing::HasSubstr("did not end within"));
  const auto trainers = numbers_after("pid ");
  ASSERT_EQ(trainers.size(), 1U);
  EXPECT_FALSE(runs(trainers[0]));
  const auto grandchildren = numbers_after("grandchild ");
  ASSERT_EQ(grandchildren.size(), 2U);
  for (const int pid : grandchildren) EXPECT_FALSE(runs(pid)) << pid;
}

TEST_F(ExecutorTest, ATrainerThatHangsPastItsDeadlineIsKilled) {
  options_.stop_grace_s = 0.2;
  open();
  auto run = lease(1, 100, {"hang_at=1", "ignore_term"});
  run.lease.train_for_s = 0.3;
  executor_->start(run);
  const auto ended = wait_for<Ended>(1);
  EXPECT_EQ(ended.end, LeaseEndReason::kFailed);
  EXPECT_THAT(ended.detail, ::testing::HasSubstr("deadline"));
}

TEST_F(ExecutorTest, AKilledLeaseIsLostAndLeavesNoFile) {
  open();
  executor_->start(lease(1, 1'000'000'000));
  wait_for<Started>(1);
  executor_->kill({1});
  const auto ended = wait_for<Ended>(1);
  EXPECT_EQ(ended.end, LeaseEndReason::kLost);
  EXPECT_EQ(ended.steps, 0U);
  EXPECT_EQ(result_files(), 0U);
}

TEST_F(ExecutorTest, ALeaseStoppedBeforeItBeganEndsRevokedAndItsTrainerIsUsedForTheNext) {
  open();
  executor_->start(lease(1, 5));
  executor_->stop({1}, 5);
  const auto ended = wait_for<Ended>(1);
  EXPECT_EQ(ended.end, LeaseEndReason::kRevoked);
  EXPECT_EQ(ended.steps, 0U);
  executor_->start(lease(2, 5));
  EXPECT_EQ(wait_for<Ended>(2).steps, 5U);
  EXPECT_EQ(count<Ended>(1), 1U);
}

TEST_F(ExecutorTest, ATrainerMayExitWhenItsLeaseIsOver) {
  open();
  executor_->start(lease(1, 5, {"exit_after_lease"}));
  EXPECT_EQ(wait_for<Ended>(1).end, LeaseEndReason::kQuota);
  executor_->start(lease(2, 6, {"exit_after_lease"}));
  EXPECT_EQ(wait_for<Ended>(2).steps, 6U);
}

TEST_F(ExecutorTest, AReleasedJobsTrainersExit) {
  open();
  executor_->start(lease(1, 5));
  wait_for<Ended>(1);
  const int pid = numbers_after("pid ").at(0);
  EXPECT_TRUE(runs(pid));
  executor_->release({1});
  const auto limit = std::chrono::steady_clock::now() + kLimit;
  while (runs(pid) && std::chrono::steady_clock::now() < limit) sched_yield();
  EXPECT_FALSE(runs(pid));
}

TEST_F(ExecutorTest, TheOldestIdleTrainerGoesWhenThereAreTooMany) {
  options_.warm_limit = 2;
  open();
  for (std::uint64_t job = 1; job <= 3; ++job) {
    executor_->start(lease(job, 5, {}, job));
    wait_for<Ended>(job);
  }
  const int oldest = numbers_after("pid ", 1).at(0);
  const auto limit = std::chrono::steady_clock::now() + kLimit;
  while (runs(oldest) && std::chrono::steady_clock::now() < limit) sched_yield();
  EXPECT_FALSE(runs(oldest));
  EXPECT_TRUE(runs(numbers_after("pid ", 2).at(0)));
  EXPECT_TRUE(runs(numbers_after("pid ", 3).at(0)));
}

TEST_F(ExecutorTest, DestroyedInTheMiddleItLeavesNoProcess) {
  open();
  executor_->start(lease(1, 100, {"hang_at=2", "ignore_term", "grandchild"}));
  executor_->start(lease(2, 1'000'000'000, {}, 2));
  wait_for<Started>(1);
  wait_for<Started>(2);
  const auto limit = std::chrono::steady_clock::now() + kLimit;
  std::vector<int> pids;
  while (pids.size() < 4 && std::chrono::steady_clock::now() < limit) {  // what they print may come after their start
    pids = numbers_after("pid ");
    for (const int pid : numbers_after("pid ", 2)) pids.push_back(pid);
    for (const int pid : numbers_after("grandchild ")) pids.push_back(pid);
    sched_yield();
  }
  ASSERT_EQ(pids.size(), 4U);
  executor_.reset();
  for (const int pid : pids) EXPECT_FALSE(runs(pid)) << pid;
}

TEST_F(ExecutorTest, ALogIsCappedAndEndsWithTheLastLines) {
  options_.logs = {.job_bytes = 100'000, .total_bytes = 1'000'000};
  open();
  executor_->start(lease(1, 5, {"print_bytes=1000000"}));
  wait_for<Ended>(1);
  wait_for_log("end of lease");
  std::uint64_t size = 0;
  for (const auto& entry : std::filesystem::directory_iterator(options_.log_folder)) size += entry.file_size();
  EXPECT_LE(size, 100'000U);
  EXPECT_TRUE(std::regex_search(log(), std::regex("^\\[[0-9]+ bytes of older output were cut\\.*\\]\n")));
  EXPECT_TRUE(log().ends_with("xxxx\nend of lease\n"));
}

TEST_F(ExecutorTest, LeftOverResultsOfAnEarlierProcessAreDeleted) {
  std::filesystem::create_directories(options_.work_folder);
  std::ofstream(options_.work_folder / "lease-7-1.0") << "old";
  open();
  EXPECT_EQ(result_files(), 0U);
}

TEST_F(ExecutorTest, APythonTrainerTrainsOverTheSdk) {
  auto run = python_lease(1, 8);
  open();
  executor_->start(run);
  const auto first = wait_for<Ended>(1);
  EXPECT_EQ(first.end, LeaseEndReason::kQuota) << first.detail;
  EXPECT_EQ(first.samples, 32U);
  run.lease.id = {2};
  run.weights = first.weights;
  executor_->start(run);
  EXPECT_EQ(wait_for<Ended>(2).metrics, (Metrics{{"total", 16}}));
}

TEST_F(ExecutorTest, APythonTrainersExceptionIsTheReasonOfItsFailure) {
  auto run = python_lease(1, 8, {"crash"});
  open();
  executor_->start(run);
  EXPECT_EQ(wait_for<Ended>(1).detail, "exit code 1: SystemError: wished for");
}

// ---- gangs --------------------------------------------------------------------------------------------------------

TEST_F(ExecutorTest, AGangReducesToTheSameSumAndReportsOnce) {
  open();
  executor_->start(gang(1, 3, 20, {"reduce"}));
  const auto ended = wait_for<Ended>(1);
  EXPECT_EQ(ended.end, LeaseEndReason::kQuota) << ended.detail;
  EXPECT_EQ(ended.steps, 20U);
  EXPECT_EQ(ended.samples, 40U);
  EXPECT_EQ(content(ended.weights), "120");  // 1 + 2 + 3 at each step
  EXPECT_EQ(count<Ended>(1), 1U);
  EXPECT_EQ(numbers_after("pid ").size(), 3U);
  EXPECT_THAT(log(), ::testing::HasSubstr("[rank 2] lease of fork 0 rank 2 of 3"));
}

TEST_F(ExecutorTest, AStoppedGangEndsAtOneStep) {
  open();
  executor_->start(gang(1, 3, 1'000'000'000, {"reduce"}));
  wait_for_steps(1, 1);
  executor_->stop({1}, 10);
  const auto ended = wait_for<Ended>(1);
  EXPECT_EQ(ended.end, LeaseEndReason::kRevoked) << ended.detail;
  EXPECT_EQ(content(ended.weights), std::to_string(6 * ended.steps));
}

TEST_F(ExecutorTest, AWarmGangTakesTheNextLease) {
  open();
  executor_->start(gang(1, 2, 5, {"reduce"}));
  wait_for<Ended>(1);
  executor_->start(gang(2, 2, 5, {"reduce"}));
  const auto ended = wait_for<Ended>(2);
  EXPECT_EQ(ended.end, LeaseEndReason::kQuota) << ended.detail;
  const auto pids = numbers_after("pid ");
  ASSERT_EQ(pids.size(), 4U);
  EXPECT_EQ(std::set(pids.begin(), pids.end()).size(), 2U);
}

TEST_F(ExecutorTest, OneCrashedMemberFailsTheGangOnceAndStopsTheOthers) {
  open();
  executor_->start(gang(1, 3, 100, {"reduce", "crash_at=5", "crash_rank=2"}));
  const auto ended = wait_for<Ended>(1);
  EXPECT_EQ(ended.end, LeaseEndReason::kFailed);
  EXPECT_EQ(ended.detail, "rank 2: exit code 3: cannot go on");
  for (const int pid : numbers_after("pid ")) EXPECT_FALSE(runs(pid));
  EXPECT_EQ(count<Ended>(1), 1U);
}

TEST_F(ExecutorTest, AGangMaySpreadOverNodes) {
  open();
  auto other_options = options_;
  other_options.work_folder = folder_ / "work2";
  other_options.log_folder = folder_ / "logs2";
  auto other = ProcessExecutor::create(loop_, other_options);
  ASSERT_TRUE(other);
  (*other)->set_sink([this](ExecutorEvent event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
    news_.notify_all();
  });
  auto here = gang(1, 2, 15, {"reduce"});
  here.lease.gang = {.rank = 0, .world_size = 3, .rendezvous = "127.0.0.1:29533"};
  auto there = gang(2, 1, 15, {"reduce"});
  there.lease.gang = {.rank = 2, .world_size = 3, .rendezvous = "127.0.0.1:29533"};
  (*other)->start(there);
  executor_->start(here);
  const auto first = wait_for<Ended>(1);
  EXPECT_EQ(first.end, LeaseEndReason::kQuota) << first.detail;
  EXPECT_EQ(content(first.weights), "90");
  const auto second = wait_for<Ended>(2);
  EXPECT_EQ(second.end, LeaseEndReason::kQuota) << second.detail;
  EXPECT_EQ(second.steps, 15U);
  EXPECT_TRUE(second.weights.empty());
}

}  // namespace
}  // namespace hadar
