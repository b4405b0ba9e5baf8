// The recipe's example policy: the text in the README is the code, and the code is a sound policy.
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "tests/rounds/plan_checks.hpp"
#include "tests/unit/policy/example/shortest_first.cpp"  // NOLINT: compiled here, as its own folder would
#include "tests/unit/policy/inputs.hpp"

namespace hadar::testing {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(HADAR_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ExamplePolicy, TheReadmeShowsTheTestedCode) {
  const auto readme = text_of("actors/policy/README.md");
  const auto code = text_of("tests/unit/policy/example/shortest_first.cpp");
  EXPECT_NE(readme.find("```cpp\n" + code + "```"), std::string::npos)
      << "copy tests/unit/policy/example/shortest_first.cpp into the README's recipe";
  EXPECT_LE(std::count(code.begin(), code.end(), '\n'), 33);
}

TEST(ExamplePolicy, PlansTheShortestJobOnTheFastestGpu) {
  auto input = input_of({node_of("a", {{"K80", 1}}), node_of("b", {{"V100", 1}})});
  add(input, job_of(1, 1, 9000, {{"K80", 1}, {"V100", 10}}));
  add(input, job_of(2, 1, 100, {{"K80", 1}, {"V100", 10}}));
  add(input, job_of(3, 1, 900000, {{"K80", 1}, {"V100", 10}}));
  auto policy = make_shortest_first({});
  ASSERT_TRUE(policy);
  const auto plan = (*policy)->plan(input);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(faults(input, *plan, (*policy)->traits()).empty());
  EXPECT_EQ(allocations_of(*plan, 2)[0].slices[0].node, "b");
  EXPECT_EQ(allocations_of(*plan, 1)[0].slices[0].node, "a");
  EXPECT_EQ(reason_of(*plan, 3).code, "waiting_gpus_busy");
  EXPECT_FALSE(make_shortest_first({{"speed", 1.0}}));
}

}  // namespace
}  // namespace hadar::testing
