#include "tools/sdk/pacer.hpp"

#include <gtest/gtest.h>

namespace hadar::sdk {
namespace {

TEST(Pacer, StepsAreDueAtStartPlusNOverSpeed) {
  const Pacer pacer(4, 100);
  EXPECT_DOUBLE_EQ(pacer.due_s(0), 100);
  EXPECT_DOUBLE_EQ(pacer.due_s(10), 102.5);
}

TEST(Pacer, WithoutAPaceEveryStepIsDueAtOnce) {
  Pacer pacer(0, 100);
  EXPECT_DOUBLE_EQ(pacer.due_s(1'000'000), 100);
  pacer.begin(5, 1000);
  EXPECT_DOUBLE_EQ(pacer.missed_s(), 0);
}

// Counts the steps that begin within `seconds` when each takes `step_s`, on an exact clock.
std::uint64_t steps_within(Pacer& pacer, double seconds, double step_s) {
  double now = 0;
  std::uint64_t steps = 0;
  for (;; ++steps, now += step_s) {
    now = std::max(now, pacer.due_s(steps));
    if (now >= seconds) return steps;
    pacer.begin(steps, now);
  }
}

TEST(Pacer, AFastTrainerDoesExactlySpeedTimesTimeSteps) {
  Pacer pacer(50, 0);
  EXPECT_EQ(steps_within(pacer, 60, 0.001), 3000U);
  EXPECT_DOUBLE_EQ(pacer.missed_s(), 0);
}

TEST(Pacer, ALagOfUpToOneSecondIsCaughtUp) {
  Pacer pacer(10, 0);
  pacer.begin(10, 1.9);  // due at 1.0
  EXPECT_DOUBLE_EQ(pacer.due_s(20), 2);
  EXPECT_DOUBLE_EQ(pacer.missed_s(), 0);
}

TEST(Pacer, LagBeyondOneSecondIsDroppedAndCounted) {
  Pacer pacer(10, 0);
  pacer.begin(10, 4.5);  // due at 1.0: 3.5 s late
  EXPECT_DOUBLE_EQ(pacer.missed_s(), 2.5);
  EXPECT_DOUBLE_EQ(pacer.due_s(10), 3.5);
  pacer.begin(11, 4.6);  // exactly one second late now: nothing more is missed
  EXPECT_NEAR(pacer.missed_s(), 2.5, 1e-9);
}

TEST(Pacer, ATrainerSlowerThanItsPaceMissesWhatItLacks) {
  Pacer pacer(10, 0);
  const auto steps = steps_within(pacer, 60, 0.2);
  EXPECT_EQ(steps, 300U);
  EXPECT_NEAR(pacer.missed_s(), 60 - 30 - 1, 0.3);
}

TEST(Pacer, APauseMovesTheSchedule) {
  Pacer pacer(10, 0);
  pacer.pause(3);
  pacer.begin(10, 4);
  EXPECT_DOUBLE_EQ(pacer.due_s(10), 4);
  EXPECT_DOUBLE_EQ(pacer.missed_s(), 0);
}

TEST(Pacer, AGangRunsAtItsSlowestMembersPace) {
  Pacer pacer(10, 0);
  pacer.slow_to(4);
  pacer.slow_to(7);
  pacer.slow_to(0);
  EXPECT_DOUBLE_EQ(pacer.steps_per_s(), 4);
  Pacer unpaced(0, 0);
  unpaced.slow_to(4);
  EXPECT_DOUBLE_EQ(unpaced.steps_per_s(), 4);
}

}  // namespace
}  // namespace hadar::sdk
