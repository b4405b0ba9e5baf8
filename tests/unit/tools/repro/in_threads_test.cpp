#include "tools/repro/in_threads.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <vector>

namespace hadar {
namespace {

class InThreads : public testing::TestWithParam<std::uint32_t> {};

TEST_P(InThreads, DoesEveryPieceOnce) {
  std::vector<std::atomic<int>> done(100);
  in_threads(done.size(), GetParam(), [&](std::size_t i) { ++done[i]; }, {});
  for (const auto& count : done) EXPECT_EQ(count, 1);
}
INSTANTIATE_TEST_SUITE_P(AnyNumber, InThreads, testing::Values(1, 2, 7, 200));

TEST(InThreads, ReturnsAtOnceWithNothingToDo) {
  in_threads(0, 4, [](std::size_t) { FAIL(); }, {});
}

}  // namespace
}  // namespace hadar
