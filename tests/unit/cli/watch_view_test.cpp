#include "tools/cli/watch_view.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <sstream>

namespace hadar::cli {
namespace {

WatchData data_at(std::uint64_t steps) {
  WatchData data;
  data.endpoint = "tcp://127.0.0.1:7";
  data.nodes.policy = "hadare";
  data.nodes.round_s = 6;
  data.nodes.nodes.resize(1);
  data.nodes.nodes.front().inventory.name = "n1";
  data.nodes.nodes.front().inventory.gpus = {{"V100", 2}};
  data.nodes.nodes.front().idle_gpus = {1};
  data.nodes.nodes.front().state = NodeState::kUp;
  data.jobs.jobs.resize(1);
  auto& job = data.jobs.jobs.front();
  job.job = {1};
  job.spec.name = "image-a";
  job.spec.total_steps = 100;
  job.steps_credited = steps;
  job.state = JobState::kRunning;
  return data;
}

// Cells of a line: characters outside of colour codes.
std::size_t cells_of(const std::string& line) {
  std::size_t cells = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b')
      i = line.find('m', i);
    else if ((static_cast<unsigned char>(line[i]) & 0xC0U) != 0x80U)
      ++cells;
  }
  return cells;
}

TEST(WatchScreen, FitsTheTerminal) {
  auto data = data_at(50);
  data.jobs.jobs.resize(40, data.jobs.jobs.front());
  const auto screen = watch_screen(data, 60, 24);
  EXPECT_EQ(std::count(screen.begin(), screen.end(), '\n'), 23);
  std::istringstream lines(screen);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(cells_of(line), 60u) << line;
}

TEST(WatchScreen, ShowsGpusProgressAndNames) {
  const auto screen = watch_screen(data_at(50), 200, 24);
  EXPECT_THAT(screen, testing::HasSubstr("■□"));
  EXPECT_THAT(screen, testing::HasSubstr("image-a"));
  EXPECT_THAT(screen, testing::HasSubstr("50.0%"));
}

TEST(ChangeLines, SayEachChangeOnce) {
  ChangeLines lines;
  EXPECT_THAT(lines.update(data_at(10)), testing::HasSubstr("job 1 image-a: RUNNING"));
  EXPECT_EQ(lines.update(data_at(10)), "");
  EXPECT_EQ(lines.update(data_at(11)), "") << "progress is told in tenths";
  const auto next = lines.update(data_at(20));
  EXPECT_THAT(next, testing::HasSubstr("20 %"));
  EXPECT_EQ(std::count(next.begin(), next.end(), '\n'), 1);
}

}  // namespace
}  // namespace hadar::cli
