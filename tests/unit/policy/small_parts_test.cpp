// Quotas, settings, feasibility, waits: the small parts under the policies.
#include <gtest/gtest.h>
#include <numeric>
#include <rapidcheck.h>

#include "actors/policy/feasibility.hpp"
#include "actors/policy/quotas.hpp"
#include "actors/policy/settings.hpp"
#include "actors/policy/waits.hpp"
#include "tests/unit/policy/inputs.hpp"

namespace hadar::testing {
namespace {

TEST(Quotas, LargestRemainderSumsExactlyAndStaysWithinOneOfTheFairShare) {
  EXPECT_TRUE(rc::check([] {
    const auto total = *rc::gen::inRange<std::uint64_t>(0, 1000000);
    const auto parts = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1000)));
    std::vector<double> weights(parts.begin(), parts.end());
    weights[0] += 1;
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    const auto shares = largest_remainder(total, weights);
    RC_ASSERT(std::accumulate(shares.begin(), shares.end(), std::uint64_t{0}) == total);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const double fair = static_cast<double>(total) * weights[i] / sum;
      RC_ASSERT(std::abs(static_cast<double>(shares[i]) - fair) <= 1 + 1e-6);
      if (weights[i] == 0) RC_ASSERT(shares[i] == 0);
    }
  }));
}

TEST(Quotas, FollowSpeedAndTimeAndEndTogetherInTheLastRound) {
  EXPECT_EQ(fork_quotas(10000, {200, 120}, {5.85, 5.85}), (std::vector<std::uint64_t>{1170, 702}));
  EXPECT_EQ(fork_quotas(160, {200, 120}, {5.85, 5.85}), (std::vector<std::uint64_t>{100, 60}));
  EXPECT_EQ(fork_quotas(1, {200, 120}, {5.85, 5.85}), (std::vector<std::uint64_t>{1, 0}));
  EXPECT_EQ(fork_quotas(100, {0.01}, {1}), (std::vector<std::uint64_t>{1})) << "at least one step";
}

TEST(Settings, KnownKeysAreReadAndUnknownOnesRefused) {
  const PolicySettings settings = {{"beta", 3.0}, {"on", true}, {"mode", std::string("b")}};
  SettingsReader reader("p", settings);
  EXPECT_EQ(reader.number("beta", 1, 0, 10), 3);
  EXPECT_TRUE(reader.flag("on", false));
  EXPECT_EQ(reader.word("mode", "a", {"a", "b"}), "b");
  EXPECT_EQ(reader.number("absent", 7, 0, 10), 7);
  EXPECT_TRUE(reader.done());

  SettingsReader strict("p", settings);
  (void)strict.number("beta", 1, 0, 10);
  const auto refused = strict.done();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(refused.error().message.find("\"mode\": unknown, give one of beta"), std::string::npos);
}

TEST(Settings, WrongKindsAndRangesAreNamed) {
  const PolicySettings settings = {{"beta", -1.0}, {"mode", std::string("c")}, {"on", 1.0}};
  SettingsReader range("p", settings);
  EXPECT_EQ(range.number("beta", 1, 0, 10), 1);
  EXPECT_NE(range.done().error().message.find("-1 is out of range, give 0 to 10"), std::string::npos);
  SettingsReader word("p", settings);
  (void)word.word("mode", "a", {"a", "b"});
  EXPECT_NE(word.done().error().message.find("give one of a, b"), std::string::npos);
  SettingsReader kind("p", settings);
  (void)kind.flag("on", false);
  EXPECT_NE(kind.done().error().message.find("true or false"), std::string::npos);
}

TEST(Feasibility, AMixedGangOverAllAllowedTypesIsPossible) {
  const GpuTotals totals = totals_of({{"a", {{"V100", 2}, {"K80", 1}}}, {"b", {{"V100", 3}}}});
  EXPECT_EQ(totals.at("V100"), 5U);
  EXPECT_FALSE(infeasible({6, {}}, totals));
  EXPECT_FALSE(infeasible({5, {"V100"}}, totals));
}

TEST(Feasibility, TooManyGpusAndUnknownTypesAreNamedWithNumbers) {
  const GpuTotals totals = {{"V100", 5}, {"RTX 3090", 1}};
  const auto many = infeasible({9, {}}, totals);
  ASSERT_TRUE(many);
  EXPECT_EQ(many->code, "infeasible_gpus");
  EXPECT_EQ(many->numbers, (std::map<std::string, double>{{"wanted", 9}, {"most_possible", 6}}));
  const auto of_type = infeasible({6, {"V100"}}, totals);
  ASSERT_TRUE(of_type);
  EXPECT_EQ(of_type->code, "infeasible_gpus");
  EXPECT_EQ(of_type->numbers.at("most_possible"), 5);
  const auto unknown = infeasible({1, {"rtx-3090"}}, totals);
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->code, "infeasible_type");
  EXPECT_NE(unknown->text.find("RTX 3090"), std::string::npos);
  EXPECT_TRUE(infeasible({1, {}}, {})) << "no GPUs at all";
}

TEST(Waits, CountWholeRoundsAndForgetJobsThatRanOrLeft) {
  auto input = input_of({});
  RoundPlan plan;
  plan.outcomes = {{JobId{1}, OutcomeKind::kWaiting, {}}, {JobId{2}, OutcomeKind::kGranted, {}}};
  Waits waits;
  waits.count(input, plan);
  waits = Waits::read(waits.write());
  waits.count(input, plan);
  EXPECT_EQ(waits.rounds(JobId{1}), 2U);
  EXPECT_EQ(waits.rounds(JobId{2}), 0U);
  input.early = true;
  waits.count(input, plan);
  EXPECT_EQ(waits.rounds(JobId{1}), 2U) << "an early replan is no round";
  plan.outcomes = {{JobId{1}, OutcomeKind::kGranted, {}}};
  waits.count(input, plan);
  EXPECT_EQ(waits.rounds(JobId{1}), 2U) << "what is left of a round is no round";
  input.early = false;
  waits.count(input, plan);
  EXPECT_EQ(waits.rounds(JobId{1}), 0U);
}

TEST(Waits, AnotherPolicysMemoryCountsAsNoWaits) {
  EXPECT_EQ(Waits::read("something else").rounds(JobId{1}), 0U);
  EXPECT_EQ(Waits::read("waits 1\n1 2\nbroken").rounds(JobId{1}), 0U);
}

}  // namespace
}  // namespace hadar::testing
