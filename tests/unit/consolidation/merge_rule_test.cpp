#include "actors/consolidation/merge_rule.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck.h>

namespace hadar {
namespace {

const ModelVersion kBase = {3, {"base", 8}};

LeaseReport report_of(std::uint64_t lease, std::uint64_t steps, std::uint64_t samples) {
  LeaseReport report;
  report.lease = LeaseId{lease};
  report.fork = {JobId{1}, static_cast<std::uint32_t>(lease)};
  report.base = kBase;
  report.end = LeaseEndReason::kDeadline;
  report.steps = steps;
  report.samples = samples;
  report.weights = {"w" + std::to_string(lease), 8};
  report.train_s = 1;
  return report;
}

MergeRequest request_of(std::vector<LeaseReport> reports) {
  return {kBase, 1000, std::move(reports), {}, {}};
}

TEST(MergeRule, WeighsBySamplesAndCreditsSteps) {
  const auto plan = plan_merge(request_of({report_of(1, 30, 900), report_of(2, 10, 100)}));
  ASSERT_TRUE(plan);
  EXPECT_DOUBLE_EQ(plan->members[0].coefficient, 0.9);
  EXPECT_DOUBLE_EQ(plan->members[1].coefficient, 0.1);
  EXPECT_EQ(plan->credited, 40U);
  EXPECT_TRUE(plan->has_weights);
  EXPECT_EQ(plan->outer, OuterStep{});
}

TEST(MergeRule, LeavesOutWhatIsUnfitAndSaysWhy) {
  auto stale = report_of(2, 10, 10);
  stale.base.version = 2;
  auto idle = report_of(3, 0, 0);
  idle.detail = "exit code 1";
  auto not_finite = report_of(4, 10, 10);
  not_finite.metrics["loss"] = std::numeric_limits<double>::quiet_NaN();
  auto bare = report_of(5, 10, 10);
  bare.weights = {};
  auto request = request_of({report_of(1, 10, 10), stale, idle, not_finite, bare, report_of(6, 10, 10)});
  request.excluded[LeaseId{6}] = "tensor layer0.weight holds a NaN";
  const auto plan = *plan_merge(request);
  EXPECT_EQ(plan.credited, 10U);
  EXPECT_EQ(plan.members[0].coefficient, 1);
  EXPECT_EQ(plan.members[1].reason, "started from version 2, the current one is 3");
  EXPECT_EQ(plan.members[2].reason, "did no steps: exit code 1");
  EXPECT_EQ(plan.members[3].reason, "its metrics are not finite");
  EXPECT_EQ(plan.members[4].reason, "sent no weights");
  EXPECT_EQ(plan.members[5].reason, "tensor layer0.weight holds a NaN");
  for (std::size_t i = 1; i < plan.members.size(); ++i) {
    EXPECT_FALSE(plan.members[i].in);
    EXPECT_EQ(plan.members[i].coefficient, 0);
  }
}

TEST(MergeRule, AWorkloadWithoutWeightsOnlyCountsSteps) {
  auto request = request_of({report_of(1, 10, 0), report_of(2, 30, 0)});
  request.base.weights = {};
  for (auto& report : request.reports) {
    report.base = request.base;
    report.weights = {};
  }
  const auto plan = *plan_merge(request);
  EXPECT_FALSE(plan.has_weights);
  EXPECT_EQ(plan.credited, 40U);
  EXPECT_DOUBLE_EQ(plan.members[1].coefficient, 0.75) << "by steps where no samples are counted";
}

TEST(MergeRule, NobodyInMeansNothingChanges) {
  const auto plan = *plan_merge(request_of({report_of(1, 0, 0)}));
  EXPECT_TRUE(plan.empty());
  EXPECT_FALSE(plan.has_weights);
}

TEST(MergeRule, MoreStepsThanLeftIsABrokenPromise) {
  auto request = request_of({report_of(1, 600, 1), report_of(2, 600, 1)});
  const auto plan = plan_merge(request);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::kInternal);
  EXPECT_NE(plan.error().message.find("1200"), std::string::npos);
}

TEST(MergeRule, CoefficientsOfThoseInSumToOne) {
  EXPECT_TRUE(rc::check([] {
    std::vector<LeaseReport> reports;
    const auto count = *rc::gen::inRange<std::uint64_t>(1, 9);
    for (std::uint64_t lease = 1; lease <= count; ++lease)
      reports.push_back(
          report_of(lease, *rc::gen::inRange<std::uint64_t>(0, 100), *rc::gen::inRange<std::uint64_t>(0, 10000)));
    for (const auto outer : {OuterKind::kAverage, OuterKind::kNesterov, OuterKind::kFedNova}) {
      auto request = request_of(reports);
      request.outer = outer;
      const auto plan = *plan_merge(request);
      double sum = plan.outer.base_coefficient;
      std::uint64_t steps = 0;
      for (const auto& member : plan.members) {
        sum += member.coefficient;
        if (member.in) steps += member.steps;
      }
      RC_ASSERT(steps == plan.credited);
      RC_ASSERT(plan.empty() || std::abs(sum - 1) < 1e-9);
    }
  }));
}

TEST(MergeRule, FedNovaGivesEveryForkTheSameWeightPerStep) {
  auto request = request_of({report_of(1, 30, 100), report_of(2, 10, 100)});
  request.outer = OuterKind::kFedNova;
  const auto plan = *plan_merge(request);
  // Changes of 3 and 1 (0.1 a step) over equal samples: the mean of 20 steps' worth is 2.
  const double change = plan.members[0].coefficient * 3 + plan.members[1].coefficient * 1;
  EXPECT_NEAR(change, 2, 1e-12);
  EXPECT_NEAR(plan.members[0].coefficient * 3, plan.members[1].coefficient, 1e-12);
}

TEST(MergeRule, NesterovNeedsABaseToStepFrom) {
  auto request = request_of({report_of(1, 30, 100)});
  request.outer = OuterKind::kNesterov;
  EXPECT_EQ(plan_merge(request)->outer.kind, OuterKind::kNesterov);
  EXPECT_GT(plan_merge(request)->outer.momentum, 0);
  request.base = {};
  request.reports[0].base = {};
  EXPECT_EQ(plan_merge(request)->outer, OuterStep{}) << "the first merge is the plain average";
}

TEST(MergeRule, TellsTheEventWhoWasIn) {
  auto checkpoint = report_of(2, 5, 5);
  checkpoint.end = LeaseEndReason::kRunning;
  const auto forks = plan_merge(request_of({report_of(1, 0, 0), checkpoint}))->merged_forks();
  ASSERT_EQ(forks.size(), 2U);
  EXPECT_FALSE(forks[0].in);
  EXPECT_FALSE(forks[0].reason.empty());
  EXPECT_TRUE(forks[1].in);
  EXPECT_TRUE(forks[1].open);
  EXPECT_EQ(forks[1].steps, 5U);
}

TEST(MergeRule, OuterNamesAreStrict) {
  EXPECT_EQ(*outer_kind("fednova"), OuterKind::kFedNova);
  EXPECT_EQ(outer_kind("adam").error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hadar
