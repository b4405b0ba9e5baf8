#include "actors/scheduler/round_clock.hpp"

#include <gtest/gtest.h>

namespace hadar {
namespace {

TEST(RoundClock, BordersComeEveryRoundFromTheFirstOne) {
  const auto rounds = borders_by_time(RoundId{8}, 100, 60);
  EXPECT_TRUE(rounds->borders_by_time());
  EXPECT_EQ(rounds->round(100), RoundId{8});
  EXPECT_EQ(rounds->round(159), RoundId{8});
  EXPECT_EQ(rounds->round(160), RoundId{9});
  EXPECT_DOUBLE_EQ(rounds->next_border_s(100), 160);
  EXPECT_DOUBLE_EQ(rounds->next_border_s(221), 280) << "a border that nobody saw does not shift the others";
}

TEST(RoundClock, ATimerThatIsEarlyByLessThanAMicrosecondIsOnTime) {
  const auto rounds = borders_by_time(RoundId{1}, 0, 60);
  EXPECT_EQ(rounds->round(60 - 1e-6), RoundId{2});
  EXPECT_EQ(rounds->round(60 - 1e-3), RoundId{1});
}

TEST(RoundClock, WhatComesShortlyBeforeABorderIsTheBordersToPlan) {
  const auto rounds = borders_by_time(RoundId{1}, 0, 100);
  rounds->open(0);
  EXPECT_FALSE(rounds->border_is_near(1));
  EXPECT_FALSE(rounds->border_is_near(97));
  EXPECT_TRUE(rounds->border_is_near(99));
  EXPECT_TRUE(rounds->border_is_near(101)) << "the border has come, its round is not open";
  rounds->open(101);
  EXPECT_FALSE(rounds->border_is_near(102));
}

TEST(RoundClock, RoundsThatCloseWhenAllIsDoneAreCountedAsTheyOpen) {
  const auto rounds = rounds_until_all_is_done(RoundId{5}, 360);
  EXPECT_FALSE(rounds->borders_by_time());
  rounds->open(10);
  EXPECT_EQ(rounds->round(10), RoundId{5});
  rounds->open(1000);
  EXPECT_EQ(rounds->round(1000), RoundId{6});
  EXPECT_DOUBLE_EQ(rounds->next_border_s(1000), 1360) << "what plans are made for";
  EXPECT_FALSE(rounds->border_is_near(1359));
}

}  // namespace
}  // namespace hadar
