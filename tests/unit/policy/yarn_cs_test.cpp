#include "actors/policy/yarn_cs/yarn_cs.hpp"

#include <gtest/gtest.h>

#include "tests/unit/policy/inputs.hpp"

namespace hadar::testing {
namespace {

RoundPlan plan_of(const RoundInput& input) {
  return *(*make_yarn_cs({}))->plan(input);
}

TEST(YarnCs, TheHeadBlocksThoseBehindIt) {
  auto input = input_of({node_of("a", {{"V100", 2}})});
  add(input, job_of(1, 1, 100, {}));
  add(input, job_of(2, 2, 100, {}));
  add(input, job_of(3, 1, 100, {}));
  const auto plan = plan_of(input);
  EXPECT_EQ(allocations_of(plan, 1).size(), 1U);
  EXPECT_TRUE(allocations_of(plan, 2).empty());
  EXPECT_TRUE(allocations_of(plan, 3).empty()) << "a GPU is free but job 2 comes first";
  EXPECT_EQ(reason_of(plan, 2).code, "waiting_gang");
  EXPECT_EQ(reason_of(plan, 3).code, "waiting_queue");
  EXPECT_EQ(reason_of(plan, 3).numbers.at("behind_job"), 2);
}

TEST(YarnCs, TakesFreeGpusInNodeOrderBlindToSpeed) {
  auto input = input_of({node_of("a", {{"K80", 1}}), node_of("b", {{"V100", 1}})});
  add(input, job_of(1, 1, 100, {{"K80", 1}, {"V100", 100}}));
  EXPECT_EQ(allocations_of(plan_of(input), 1)[0].slices[0].node, "a");
}

TEST(YarnCs, NeverTakesGpusBack) {
  auto input = input_of({node_of("a", {{"V100", 1}})});
  add(input, job_of(1, 1, 100, {}));
  auto running = job_of(2, 1, 100, {});
  hold(input, running, 0, {{"a", {0}}}, 80);
  add(input, running);
  const auto plan = plan_of(input);
  EXPECT_EQ(allocations_of(plan, 2), input.jobs[1]->held);
  EXPECT_EQ(reason_of(plan, 1).code, "waiting_gpus_busy");
}

TEST(YarnCs, HasNoSettings) {
  const auto refused = make_yarn_cs({{"beta", 1.0}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("no settings"), std::string::npos);
}

}  // namespace
}  // namespace hadar::testing
