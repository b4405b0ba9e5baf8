#include "tests/sim/storm.hpp"

#include <gtest/gtest.h>

namespace hadar {
namespace {

TEST(Storm, LosesNoStepAndCountsNoneTwice) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto outcome = run_storm(seed);
    EXPECT_EQ(outcome.wrong, "") << "tests/sim/run-storm " << seed << ".." << seed << " repeats it\n" << outcome.plan;
  }
}

TEST(Storm, RepeatsByteForByte) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) EXPECT_EQ(run_storm(seed).events, run_storm(seed).events) << seed;
}

}  // namespace
}  // namespace hadar
