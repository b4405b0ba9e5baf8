#include "launchers/trained_time.hpp"

#include <gtest/gtest.h>

#include "launchers/node_busy_time.hpp"

namespace hadar {
namespace {

// The case: the last completion is at 10 s; another job trains on and fails.
TEST(TrainedTime, CountsWhatLiesBeforeTheLastCompletionOnly) {
  TrainedTime trained;
  trained.add(0, 10, 2);
  trained.pass();
  trained.add(4, 16, 3);
  trained.add(11, 12, 5);
  EXPECT_DOUBLE_EQ(trained.until(10), 20 + 18);
  EXPECT_DOUBLE_EQ(trained.until(20), 20 + 36 + 5);
}

TEST(NodeBusyTime, CountsEachMomentOfANodeOnceAndUpToAMoment) {
  NodeBusyTime busy;
  busy.add("a", 0, 6);
  busy.add("a", 4, 8);
  busy.add("b", 9, 14);
  EXPECT_DOUBLE_EQ(busy.until(20), 8 + 5);
  EXPECT_DOUBLE_EQ(busy.until(10), 8 + 1);
  EXPECT_DOUBLE_EQ(busy.until(7), 7);
}

}  // namespace
}  // namespace hadar
