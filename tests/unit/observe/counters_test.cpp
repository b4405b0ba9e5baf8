#include "runtime/observe/counters.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <thread>
#include <vector>

namespace hadar {
namespace {

TEST(Counters, AreZeroUntilUsed) {
  Counters counters;
  EXPECT_EQ(counters.get("frames_refused"), 0u);
  EXPECT_TRUE(counters.snapshot().empty());
}

TEST(Counters, AddUpAndCanBeSet) {
  Counters counters;
  counters.add("frames_refused");
  counters.add("frames_refused", 4);
  counters.set("queue_length", 7);
  counters.set("queue_length", 2);
  const std::map<std::string, std::uint64_t> right{{"frames_refused", 5}, {"queue_length", 2}};
  EXPECT_EQ(counters.snapshot(), right);
}

TEST(Counters, NeverWrapRound) {
  Counters counters;
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  counters.add("bytes", kMost - 1);
  counters.add("bytes", 5);
  EXPECT_EQ(counters.get("bytes"), kMost);
}

TEST(Counters, LoseNothingBetweenThreads) {
  Counters counters;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) counters.add("events");
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(counters.get("events"), 20000u);
}

}  // namespace
}  // namespace hadar
