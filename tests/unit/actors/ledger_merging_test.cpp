#include <cmath>

#include "tests/unit/actors/ledger_case.hpp"

namespace hadar {
namespace {

using testing::SizeIs;

TEST_F(LedgerTest, AJobThatNeverMergedExpectsWhatOthersOfItsModelTook) {
  auto spec = some_job(1000);
  spec.model = "m";
  const auto first = submit(spec);
  auto other = spec;
  other.model = "another";
  const auto stranger = submit(other);
  const auto second = submit(spec);
  EXPECT_EQ(ledger_.state().merge_s(job(second)), 0) << "unknown";
  const auto a = grant(some_lease(1, first.value, 0, "n1", 100, 50));
  const auto b = grant(some_lease(2, first.value, 1, "n2", 100, 50));
  ledger_.accept(some_report(a, 100), 10);
  ledger_.accept(some_report(b, 100), 10);
  SettleForks request;
  request.job = first;
  request.merge_s = 0.25;
  request.forks = {{a.id, 0, 100, true, false, ""}, {b.id, 1, 100, true, false, ""}};
  ASSERT_TRUE(ledger_.settle(request, 10.25).has_value());
  EXPECT_EQ(ledger_.state().merge_s(job(first)), 0.25);
  EXPECT_EQ(ledger_.state().merge_s(job(second)), 0.25);
  EXPECT_EQ(ledger_.state().merge_s(job(stranger)), 0);
}

// Merges of three forks that keep half of what the shorter ones add; losses lie on 1 / sqrt(1 + steps / 100).
class MergingLedgerTest : public LedgerTest {
 protected:
  void merge(JobId id) {
    const auto recorded =
        record({some_lease(lease_ + 1, id.value, 0, "n1", 200, 50), some_lease(lease_ + 2, id.value, 1, "n2", 120, 50),
                some_lease(lease_ + 3, id.value, 2, "n3", 30, 50)});
    ASSERT_TRUE(recorded.has_value());
    ASSERT_THAT(recorded->leases, SizeIs(3));
    lease_ += 3;
    std::vector<event::MergedFork> forks;
    double others = 0;
    for (const auto& lease : recorded->leases) {
      const auto steps = lease.quota_steps;
      auto report = some_report(lease, steps);
      report.metrics["loss"] = 1 / std::sqrt(1 + (effective_ + static_cast<double>(steps)) / 100);
      ledger_.accept(report, 10);
      forks.push_back(in_fork(report));
      if (lease.fork.fork > 0) others += static_cast<double>(steps);
    }
    const auto longest = static_cast<double>(recorded->leases.front().quota_steps);
    ASSERT_TRUE(settle(id, recorded->leases.front().base, forks).has_value());
    effective_ += longest + 0.5 * others;
  }

  std::uint64_t lease_ = 0;
  double effective_ = 0;
};

TEST_F(MergingLedgerTest, TellsWhatStepsAreWorthOnceMergesShowIt) {
  const auto id = submit(some_job(100000));
  EXPECT_EQ(job(id).steps_effective(), 0);
  merge(id);
  EXPECT_FALSE(job(id).steps_effective().has_value()) << "the first merge tells nothing of what it kept";
  for (int i = 0; i < 4; ++i) merge(id);
  ASSERT_TRUE(job(id).steps_effective().has_value());
  EXPECT_NEAR(*job(id).steps_effective(), effective_, 0.03 * effective_);
  EXPECT_NEAR(*view_of(ledger_.state(), job(id), 11).merge_efficiency, 0.5, 0.1);
  EXPECT_EQ(status_of(ledger_.state(), job(id), 11).steps_effective, job(id).steps_effective());
}

TEST_F(MergingLedgerTest, OthersOfItsModelExpectTheSameEfficiency) {
  auto spec = some_job(100000);
  spec.model = "m";
  const auto first = submit(spec);
  const auto second = submit(spec);
  spec.model = "another";
  const auto stranger = submit(spec);
  for (int i = 0; i < 5; ++i) merge(first);
  EXPECT_EQ(ledger_.state().merge_efficiency(job(second)), job(first).merge_efficiency);
  EXPECT_FALSE(ledger_.state().merge_efficiency(job(stranger)).has_value());
}

TEST_F(MergingLedgerTest, AJobJudgedByEffectiveStepsEndsWithThem) {
  auto spec = some_job(1000);
  spec.effective_steps = true;
  const auto id = submit(spec);
  while (!job(id).final_state && lease_ < 100) merge(id);
  EXPECT_EQ(job(id).final_state, JobState::kCompleted);
  EXPECT_GT(job(id).steps_credited, 1000U);
  EXPECT_NEAR(effective_, 1000, 100) << "the last forks do more than the steps that are left, as they are worth less";
  EXPECT_GE(*job(id).steps_effective(), 999);
}

TEST_F(MergingLedgerTest, AReplayKnowsTheSame) {
  auto spec = some_job(5000);
  spec.effective_steps = true;
  const auto id = submit(spec);
  for (int i = 0; i < 5; ++i) merge(id);
  Ledger again{LedgerOptions{"test", 3}};
  for (const auto& event : ledger_.take().events) ASSERT_TRUE(again.replay(event).has_value());
  const auto& replayed = *again.state().find(id);
  EXPECT_EQ(replayed.merge_efficiency, job(id).merge_efficiency);
  EXPECT_EQ(replayed.steps_left(), job(id).steps_left());
  EXPECT_EQ(replayed.progress.fitted(), job(id).progress.fitted());
}

TEST_F(LedgerTest, AJobEndsWhenItsTargetIsReached) {
  auto spec = some_job(1000);
  spec.target = {"loss", 0.5, false};
  const auto id = submit(spec);
  const auto lease = grant(some_lease(1, id.value, 0, "n1", 600));
  SettleForks request;
  request.job = id;
  request.base = lease.base;
  request.metrics = {{"loss", 0.6}};
  auto save = some_report(lease, 200);
  save.end = LeaseEndReason::kRunning;
  ledger_.accept(save, 2);
  request.forks = {{lease.id, 0, 200, true, true, ""}};
  ASSERT_TRUE(ledger_.settle(request, 2).has_value());
  EXPECT_FALSE(job(id).final_state.has_value());
  const auto moved = ledger_.state().find(lease.id)->lease;
  ledger_.accept(some_report(moved, 100), 3);
  request.base = moved.base;
  request.metrics = {{"loss", 0.5}};
  request.forks = {{lease.id, 0, 100, true, false, ""}};
  const auto settled = ledger_.settle(request, 3);
  ASSERT_TRUE(settled.has_value());
  EXPECT_TRUE(settled->finished);
  EXPECT_EQ(job(id).final_state, JobState::kCompleted);
  EXPECT_EQ(job(id).reason.code, "completed_target");
  EXPECT_EQ(job(id).steps_credited, 300U);
}

}  // namespace
}  // namespace hadar
