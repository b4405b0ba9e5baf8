#include "runtime/store/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include "messages/codec/event_json.hpp"
#include "runtime/store/memory_event_log.hpp"
#include "runtime/store/sqlite_event_log.hpp"
#include "tests/unit/store/child_process.hpp"
#include "tests/unit/store/temp_folder.hpp"

namespace hadar {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Values = std::vector<std::pair<std::string, std::string>>;

Event event_of(std::uint64_t seq) {
  return {seq, 0.5 * static_cast<double>(seq), event::Held{JobId{seq}}};
}

Status append(EventLog& log, std::uint64_t count, const Values& values = {}) {
  std::vector<Event> events;
  for (std::uint64_t i = 1; i <= count; ++i) events.push_back(event_of(log.last_seq() + i));
  return log.append(events, values);
}

void expect_whole(EventLog& log) {
  const auto events = log.read(0, 1'000'000).value();
  ASSERT_EQ(events.size(), log.last_seq());
  for (std::uint64_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].seq, i + 1);
    EXPECT_EQ(events[i].json, event_to_json(event_of(i + 1)));
  }
}

class AnyEventLog : public ::testing::TestWithParam<bool> {
 protected:
  AnyEventLog() {
    if (GetParam())
      log_ = open_event_log(folder_ / "events.db").value();
    else
      log_ = std::make_unique<MemoryEventLog>();
  }

  TempFolder folder_;
  std::unique_ptr<EventLog> log_;
};

TEST_P(AnyEventLog, StartsEmpty) {
  EXPECT_EQ(log_->last_seq(), 0u);
  EXPECT_TRUE(log_->read(0, 10).value().empty());
  EXPECT_EQ(log_->value("memory").error().code, ErrorCode::kNotFound);
}

TEST_P(AnyEventLog, GivesEventsBackInPages) {
  ASSERT_TRUE(append(*log_, 3));
  ASSERT_TRUE(append(*log_, 2));
  EXPECT_EQ(log_->last_seq(), 5u);
  expect_whole(*log_);
  const auto page = log_->read(1, 3).value();
  ASSERT_EQ(page.size(), 3u);
  EXPECT_EQ(page.front().seq, 2u);
  EXPECT_EQ(page.back().seq, 4u);
  EXPECT_TRUE(log_->read(5, 3).value().empty());
  EXPECT_TRUE(log_->read(~std::uint64_t{0}, 3).value().empty());
  EXPECT_TRUE(log_->read(0, 0).value().empty());
}

TEST_P(AnyEventLog, KeepsTheLatestValueOfEachName) {
  const std::string bytes("a\0b\xff", 4);
  ASSERT_TRUE(append(*log_, 1, {{"memory", bytes}, {"term", "1"}}));
  ASSERT_TRUE(append(*log_, 1, {{"term", "2"}}));
  ASSERT_TRUE(append(*log_, 0, {{"empty", ""}}));
  EXPECT_EQ(log_->value("memory").value(), bytes);
  EXPECT_EQ(log_->value("term").value(), "2");
  EXPECT_EQ(log_->value("empty").value(), "");
  EXPECT_EQ(log_->last_seq(), 2u);
}

TEST_P(AnyEventLog, NeverTakesAGap) {
  ASSERT_TRUE(append(*log_, 2));
  const std::vector<Event> gap{event_of(4)};
  EXPECT_DEATH((void)log_->append(gap, {}), "requirement failed");
}

INSTANTIATE_TEST_SUITE_P(Logs, AnyEventLog, ::testing::Bool(),
                         [](const auto& which) { return which.param ? "Sqlite" : "Memory"; });

TEST(SqliteEventLog, FindsEverythingAgain) {
  const TempFolder folder;
  ASSERT_TRUE(append(*open_event_log(folder / "state/events.db").value(), 7, {{"memory", "x"}}));
  const auto log = open_event_log(folder / "state/events.db").value();
  EXPECT_EQ(log->last_seq(), 7u);
  expect_whole(*log);
  EXPECT_EQ(log->value("memory").value(), "x");
  ASSERT_TRUE(append(*log, 1));
  expect_whole(*log);
}

TEST(SqliteEventLog, HasOneOwner) {
  const TempFolder folder;
  const auto log = open_event_log(folder / "events.db").value();
  const auto second = open_event_log(folder / "events.db");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kAlreadyExists);
  EXPECT_THAT(second.error().message, HasSubstr("state folder " + folder.path().string() + " in use by pid "));
  ASSERT_TRUE(append(*log, 1));
}

// Appends batches of 1 to 5 events, each with the value "last", until it is killed; tells each sequence it was
// promised.
int append_for_ever(const fs::path& file, int news) {
  auto log = open_event_log(file);
  if (!log) return 3;
  for (std::uint64_t i = 0;; ++i) {
    const auto last = (*log)->last_seq() + 1 + i % 5;
    if (!append(**log, 1 + i % 5, {{"last", std::to_string(last)}})) return 4;
    if (!tell(news, last)) return 5;
  }
}

TEST(SqliteEventLog, IsAPrefixWithoutGapsAfterAKillInMidWrite) {
  const TempFolder folder;
  const auto file = folder / "events.db";
  for (int round = 0; round < 8; ++round) {
    std::uint64_t promised = 0;
    {
      ChildProcess child([&](int news) { return append_for_ever(file, news); });
      for (int i = 0; i < 3 + round; ++i) ASSERT_TRUE(child.read(promised));
      EXPECT_TRUE(WIFSIGNALED(child.kill())) << "the writer failed by itself";
      while (child.read(promised)) {
      }
    }
    const auto log = open_event_log(file).value();
    EXPECT_GE(log->last_seq(), promised) << "an answered append was lost";
    EXPECT_EQ(log->value("last").value(), std::to_string(log->last_seq())) << "half a transaction was kept";
    expect_whole(*log);
  }
}

TEST(SqliteEventLog, RefusesWhatIsNotALog) {
  const TempFolder folder;
  write_text(folder / "events.db", std::string(8192, 'x'));
  const auto text = open_event_log(folder / "events.db");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(text.error().message, HasSubstr("events.db"));

  const auto is_folder = open_event_log(folder.path());
  ASSERT_FALSE(is_folder);
  EXPECT_EQ(is_folder.error().code, ErrorCode::kIo);
}

TEST(SqliteEventLog, NoticesADamagedPage) {
  const TempFolder folder;
  ASSERT_TRUE(append(*open_event_log(folder / "events.db").value(), 2000));
  for (std::size_t at = 3 * 4096; at < 3 * 4096 + 200; ++at) flip_byte(folder / "events.db", at);
  const auto damaged = open_event_log(folder / "events.db");
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(damaged.error().message, HasSubstr("events.db"));
}

// Appends in vain while files may not grow, which stands for a full disk, then again with room.
int append_on_a_full_disk(const fs::path& file) {
  ::signal(SIGXFSZ, SIG_IGN);
  const auto log = open_event_log(file).value();
  if (!append(*log, 10)) return 2;
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const auto all = limit.rlim_cur;
  limit.rlim_cur = 64 << 10;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const auto refused = append(*log, 20'000, {{"memory", "new"}});
  if (refused || refused.error().code != ErrorCode::kIo) return 3;
  if (refused.error().message.find("events.db") == std::string::npos) return 4;
  if (log->last_seq() != 10 || log->read(0, 100).value().size() != 10 || log->value("memory")) return 5;
  limit.rlim_cur = all;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  return append(*log, 20'000, {{"memory", "new"}}) ? 0 : 6;
}

TEST(SqliteEventLog, IsAsItWasAfterAFullDiskAndGoesOnWhenThereIsRoom) {
  const TempFolder folder;
  const auto file = folder / "events.db";
  const auto status = ChildProcess([&](int) { return append_on_a_full_disk(file); }).wait();
  ASSERT_TRUE(WIFEXITED(status));
  ASSERT_EQ(WEXITSTATUS(status), 0);
  const auto log = open_event_log(file).value();
  EXPECT_EQ(log->last_seq(), 20'010u);
  EXPECT_EQ(log->value("memory").value(), "new");
}

TEST(SqliteEventLog, GoesOnAfterAnotherHandMeddledWithIt) {
  const TempFolder folder;
  const auto log = open_event_log(folder / "events.db").value();
  ASSERT_TRUE(append(*log, 1));
  sqlite3* meddler = nullptr;
  ASSERT_EQ(sqlite3_open((folder / "events.db").c_str(), &meddler), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(meddler, "INSERT INTO events VALUES(3, '{}')", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(append(*log, 2).error().code, ErrorCode::kIo);
  ASSERT_EQ(sqlite3_exec(meddler, "DELETE FROM events WHERE seq = 3", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(meddler);
  ASSERT_TRUE(append(*log, 2));
  expect_whole(*log);
}

}  // namespace
}  // namespace hadar
