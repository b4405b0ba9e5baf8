#include "runtime/observe/log.hpp"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <stdlib.h>
#include <thread>
#include <vector>

namespace hadar {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class LogFile : public ::testing::Test {
 protected:
  LogFile() {
    std::string name = (fs::temp_directory_path() / "hadar-log-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~LogFile() override { fs::remove_all(folder_); }

  static std::string text_of(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  static std::size_t lines_in(const fs::path& file) {
    const auto text = text_of(file);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  fs::path folder_;
};

TEST(LogLine, KeepsFieldsInOrder) {
  EXPECT_EQ(format_log_line("lease_granted", {{"lease", 12}, {"node", "n1"}, {"round_s", 0.5}, {"early", true}}),
            "lease_granted lease=12 node=n1 round_s=0.5 early=true");
}

TEST(LogLine, StaysOneLineWhateverTheValues) {
  EXPECT_EQ(format_log_line("job_failed", {{"why", "exit 1\nTraceback \"x\""}}),
            "job_failed why=\"exit 1\\nTraceback \\\"x\\\"\"");
  EXPECT_EQ(format_log_line("e", {{"a", ""}, {"b", std::string_view("\x01", 1)}, {"c", "k=v"}}),
            "e a=\"\" b=\"\\x01\" c=\"k=v\"");
}

TEST(LogLevels, AreReadBackFromTheirNames) {
  for (const auto level : {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError, LogLevel::kOff})
    EXPECT_EQ(parse_log_level(name_of(level)).value(), level);
  const auto wrong = parse_log_level("loud");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(wrong.error().message, HasSubstr("'loud'"));
}

TEST_F(LogFile, HoldsEachLineAtOnceWithTimeAndLevel) {
  const auto log = open_logger({.file = folder_ / "a" / "scheduler.log"}).value();
  log->info("round_opened", {{"round", 3}, {"text", "{} 100%s"}});
  EXPECT_THAT(text_of(folder_ / "a" / "scheduler.log"),
              MatchesRegex("20..-..-..T..:..:..\\....Z info round_opened round=3 text=\"\\{\\} 100%s\"\n"));
}

TEST_F(LogFile, LeavesOutWhatIsBelowItsLevel) {
  const auto log = open_logger({.file = folder_ / "x.log", .level = LogLevel::kWarning}).value();
  log->debug("a");
  log->info("b");
  log->warning("c");
  log->error("d");
  EXPECT_EQ(lines_in(folder_ / "x.log"), 2u);
}

TEST_F(LogFile, StaysBounded) {
  const auto log = open_logger({.file = folder_ / "x.log", .file_bytes = 2000, .old_files = 2}).value();
  for (int i = 0; i < 2000; ++i) log->info("step", {{"number", i}});
  std::uintmax_t bytes = 0;
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    bytes += entry.file_size();
    ++files;
  }
  EXPECT_EQ(files, 3u);
  EXPECT_LE(bytes, 3u * 2000);
  EXPECT_THAT(text_of(folder_ / "x.log"), HasSubstr("number=1999"));
}

TEST_F(LogFile, LosesNoLineBetweenThreads) {
  const auto log = open_logger({.file = folder_ / "x.log"}).value();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&log, t] {
      for (int i = 0; i < 500; ++i) log->info("step", {{"thread", t}, {"number", i}});
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(lines_in(folder_ / "x.log"), 2000u);
}

TEST(LogDevice, AFullDiskLosesLinesButNotTheProcess) {
  if (!fs::exists("/dev/full")) FAIL() << "/dev/full is needed to play a full disk";
  const auto log = open_logger({.file = "/dev/full"}).value();
  for (int i = 0; i < 3; ++i) log->error("disk_full", {{"try", i}});
  EXPECT_EQ(log->lines_lost(), 3u);
}

TEST_F(LogFile, SaysWhichFileItCannotOpen) {
  std::ofstream(folder_ / "plain") << "x";
  const auto log = open_logger({.file = folder_ / "plain" / "x.log"});
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, ErrorCode::kIo);
  EXPECT_THAT(log.error().message, HasSubstr("plain/x.log"));
}

TEST(LogNull, TakesEverything) {
  const auto log = make_null_logger();
  log->error("nobody_hears", {{"a", 1}});
  EXPECT_EQ(log->lines_lost(), 0u);
}

}  // namespace
}  // namespace hadar
