#include "runtime/executor/log_store.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/resource.h>

namespace hadar {
namespace {

class LogStoreTest : public ::testing::Test {
 protected:
  LogStoreTest() {
    char name[] = "/tmp/hadar-logs-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~LogStoreTest() override { std::filesystem::remove_all(folder_); }

  std::uint64_t bytes_on_disk() const {
    std::uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) bytes += entry.file_size();
    return bytes;
  }

  // All that is left of a log, read in small parts.
  static std::string whole(const LogStore& logs, ForkId fork) {
    std::string text;
    std::uint64_t offset = 0;
    for (bool more = true; more;) {
      const auto part = logs.read(fork, offset, 1000);
      if (!part) return "error: " + part.error().message;
      text += part->text;
      offset = part->offset + part->text.size();
      more = part->more;
    }
    return text;
  }

  static std::string line(int n) { return "line " + std::to_string(n) + " " + std::string(60, '.') + "\n"; }

  std::filesystem::path folder_;
};

constexpr ForkId kFork{{1}, 0};

TEST_F(LogStoreTest, WhatWasAppendedIsRead) {
  LogStore logs(folder_, {});
  logs.append(kFork, "one\n");
  logs.append(kFork, "two\n");
  EXPECT_EQ(whole(logs, kFork), "one\ntwo\n");
  const auto part = logs.read(kFork, 4, 100);
  EXPECT_EQ(part->offset, 4U);
  EXPECT_EQ(part->text, "two\n");
  EXPECT_FALSE(part->more);
}

TEST_F(LogStoreTest, AForkWithoutALogIsNotFound) {
  const LogStore logs(folder_, {});
  EXPECT_EQ(logs.read(kFork, 0, 100).error().code, ErrorCode::kNotFound);
}

TEST_F(LogStoreTest, TheJobsCapHoldsAtEveryMomentAndTheEndStays) {
  LogStore logs(folder_, {.job_bytes = 10'000, .total_bytes = 100'000});
  std::uint64_t written = 0;
  for (int i = 0; i < 2000; ++i) {
    logs.append({{1}, static_cast<std::uint32_t>(i % 3)}, line(i));
    written += line(i).size();
    ASSERT_LE(bytes_on_disk(), 10'000U);
  }
  EXPECT_THAT(whole(logs, {{1}, 1999 % 3}), ::testing::EndsWith(line(1999)));
  EXPECT_GT(bytes_on_disk(), 5'000U);
}

TEST_F(LogStoreTest, ACutIsMarkedWithWhatIsMissing) {
  LogStore logs(folder_, {.job_bytes = 10'000, .total_bytes = 100'000});
  std::string all;
  for (int i = 0; i < 1000; ++i) {
    logs.append(kFork, line(i));
    all += line(i);
  }
  const auto text = whole(logs, kFork);
  const auto first = logs.read(kFork, 0, 10)->offset;
  const auto mark = text.substr(0, text.find('\n') + 1);
  EXPECT_GT(first, 0U);
  EXPECT_EQ(first + text.size(), all.size());  // offsets stay true
  EXPECT_EQ(mark.substr(0, mark.find("..")),
            "[" + std::to_string(first + mark.size()) + " bytes of older output were cut");
  EXPECT_EQ(text.substr(mark.size()), all.substr(first + mark.size()));
}

TEST_F(LogStoreTest, TheTotalCapHoldsAndEveryEndedJobKeepsItsLastLines) {
  LogStore logs(folder_, {.job_bytes = 100'000, .total_bytes = 400'000});
  for (std::uint64_t job = 1; job <= 20; ++job) {
    for (int i = 0; i < 1000; ++i) logs.append({{job}, 0}, line(i));
    ASSERT_LE(bytes_on_disk(), 400'000U);
  }
  for (std::uint64_t job = 1; job <= 20; ++job)
    EXPECT_THAT(whole(logs, {{job}, 0}), ::testing::EndsWith(line(998) + line(999))) << job;
}

TEST_F(LogStoreTest, TheNextProcessGoesOnWhereTheLastOneStopped) {
  {
    LogStore logs(folder_, {.job_bytes = 10'000, .total_bytes = 100'000});
    for (int i = 0; i < 500; ++i) logs.append(kFork, line(i));
  }
  LogStore logs(folder_, {.job_bytes = 10'000, .total_bytes = 100'000});
  logs.append(kFork, line(500));
  EXPECT_THAT(whole(logs, kFork), ::testing::EndsWith(line(499) + line(500)));
  EXPECT_LE(bytes_on_disk(), 10'000U);
}

TEST_F(LogStoreTest, FilesThatAreNoLogsAreLeftAlone) {
  std::ofstream(folder_ / "job-1-fork-0.0.log.txt") << "mine";
  std::ofstream(folder_ / "notes") << "mine";
  LogStore logs(folder_, {.job_bytes = 1000, .total_bytes = 1000});
  for (int i = 0; i < 100; ++i) logs.append(kFork, line(i));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "job-1-fork-0.0.log.txt"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "notes"));
}

TEST_F(LogStoreTest, OutputThatCannotBeWrittenIsCountedAndNamedLater) {
  LogStore logs(folder_, {});
  logs.append(kFork, "before\n");
  // A limit on file size stands in for a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit small{8, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  logs.append(kFork, "lost in between\n");
  setrlimit(RLIMIT_FSIZE, &old);
  logs.append(kFork, "after\n");
  EXPECT_EQ(whole(logs, kFork), "before\n[16 bytes of output could not be written]\nafter\n");
}

}  // namespace
}  // namespace hadar
