#include "runtime/store/sqlite_event_log.hpp"

#include <optional>

#include "messages/codec/event_json.hpp"
#include "messages/types/check.hpp"
#include "runtime/store/file_io.hpp"
#include "runtime/store/sqlite_database.hpp"

namespace hadar {
namespace {

namespace fs = std::filesystem;

// Raised with each change of the tables below; an older file is converted at open, a newer one is refused.
constexpr std::uint64_t kSchema = 1;
// "hadr": marks the file as an event log of ours.
constexpr const char* kApplication = "1751213170";
constexpr const char* kCreate =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE events(seq INTEGER PRIMARY KEY, json TEXT NOT NULL) STRICT;"
    "CREATE TABLE \"values\"(name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;"
    "PRAGMA application_id = 1751213170;"
    "PRAGMA user_version = 1;"
    "COMMIT;";

class SqliteEventLog final : public EventLog {
 public:
  SqliteEventLog(fs::path file, std::unique_ptr<FileLock> lock)
      : file_(std::move(file)), lock_(std::move(lock)), database_(file_) {}

  Status open();

  Status append(std::span<const Event> events, std::span<const std::pair<std::string, std::string>> values) override;
  Result<std::vector<StoredEvent>> read(std::uint64_t after_seq, std::uint32_t limit) override;
  std::uint64_t last_seq() const override { return last_seq_; }
  Result<std::string> value(const std::string& name) override;

 private:
  Status check_owner();
  Status check_integrity();
  Status prepare();
  Status write(std::span<const Event> events, std::span<const std::pair<std::string, std::string>> values);

  fs::path file_;
  std::unique_ptr<FileLock> lock_;
  SqliteDatabase database_;  // before the statements: they end first
  std::optional<SqliteStatement> insert_event_;
  std::optional<SqliteStatement> set_value_;
  std::optional<SqliteStatement> select_events_;
  std::optional<SqliteStatement> select_value_;
  std::uint64_t last_seq_ = 0;
};

Status SqliteEventLog::open() {
  if (auto opened = database_.open(); !opened) return opened;
  // Once the write-ahead log grew, it is cut back to 16 MiB after each checkpoint.
  if (auto set = database_.run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA journal_size_limit=16777216;");
      !set)
    return set;
  const auto mode = database_.ask("PRAGMA journal_mode");
  if (!mode) return tl::unexpected(mode.error());
  if (*mode != "wal")
    return fail(ErrorCode::kIo, "event log " + file_.string() + ": this file system cannot do write-ahead logging");
  if (auto ours = check_owner(); !ours) return ours;
  if (auto whole = check_integrity(); !whole) return whole;
  return prepare();
}

Status SqliteEventLog::check_owner() {
  const auto tables = database_.ask("SELECT count(*) FROM sqlite_master");
  if (!tables) return tl::unexpected(tables.error());
  if (*tables == "0") return database_.run(kCreate);
  const auto application = database_.ask("PRAGMA application_id");
  if (!application) return tl::unexpected(application.error());
  if (*application != kApplication)
    return fail(ErrorCode::kCorrupt, file_.string() + " is a database, but not an event log of Hadar");
  const auto schema = database_.ask("PRAGMA user_version");
  if (!schema) return tl::unexpected(schema.error());
  if (*schema == std::to_string(kSchema)) return {};
  return fail(ErrorCode::kInvalidArgument, "event log " + file_.string() + " has schema " + *schema +
                                               ", this version reads schema " + std::to_string(kSchema) +
                                               "; use the version that wrote it");
}

Status SqliteEventLog::check_integrity() {
  const auto whole = database_.ask("PRAGMA integrity_check(1)");
  if (!whole) return tl::unexpected(whole.error());
  if (*whole != "ok") return fail(ErrorCode::kCorrupt, "event log " + file_.string() + " is damaged: " + *whole);
  auto count = database_.prepare("SELECT count(*), ifnull(min(seq), 1), ifnull(max(seq), 0) FROM events");
  if (!count) return fail(std::move(count));
  if (auto row = count->step(); !row) return tl::unexpected(row.error());
  last_seq_ = count->number(2);
  if (count->number(1) == 1 && count->number(0) == last_seq_) return {};
  return fail(ErrorCode::kCorrupt, "event log " + file_.string() + " has gaps: " + std::to_string(count->number(0)) +
                                       " events from " + std::to_string(count->number(1)) + " to " +
                                       std::to_string(last_seq_) + ", must be 1, 2, …");
}

Status SqliteEventLog::prepare() {
  const auto keep = [this](std::optional<SqliteStatement>& slot, const char* sql) -> Status {
    auto statement = database_.prepare(sql);
    if (!statement) return fail(std::move(statement));
    slot.emplace(std::move(*statement));
    return {};
  };
  if (auto done = keep(insert_event_, "INSERT INTO events(seq, json) VALUES(?1, ?2)"); !done) return done;
  if (auto done = keep(set_value_, "INSERT OR REPLACE INTO \"values\"(name, value) VALUES(?1, ?2)"); !done) return done;
  if (auto done = keep(select_value_, "SELECT value FROM \"values\" WHERE name = ?1"); !done) return done;
  return keep(select_events_, "SELECT seq, json FROM events WHERE seq > ?1 ORDER BY seq LIMIT ?2");
}

Status SqliteEventLog::write(std::span<const Event> events,
                             std::span<const std::pair<std::string, std::string>> values) {
  if (auto begun = database_.run("BEGIN IMMEDIATE"); !begun) return begun;
  for (const auto& event : events) {
    const auto json = event_to_json(event);
    const auto done = insert_event_->bind(1, event.seq).bind_text(2, json).step();
    insert_event_->reset();
    if (!done) return tl::unexpected(done.error());
  }
  for (const auto& [name, value] : values) {
    const auto done = set_value_->bind_text(1, name).bind_blob(2, value).step();
    set_value_->reset();
    if (!done) return tl::unexpected(done.error());
  }
  return database_.run("COMMIT");
}

Status SqliteEventLog::append(std::span<const Event> events,
                              std::span<const std::pair<std::string, std::string>> values) {
  for (std::size_t i = 0; i < events.size(); ++i) HADAR_REQUIRE(events[i].seq == last_seq_ + 1 + i);
  if (events.empty() && values.empty()) return {};
  auto written = write(events, values);
  if (!written) {
    database_.roll_back();
    return fail(ErrorCode::kIo, "nothing was written: " + written.error().message);
  }
  last_seq_ += events.size();
  return {};
}

Result<std::vector<StoredEvent>> SqliteEventLog::read(std::uint64_t after_seq, std::uint32_t limit) {
  std::vector<StoredEvent> events;
  if (after_seq >= last_seq_) return events;
  select_events_->bind(1, after_seq).bind(2, limit);
  for (;;) {
    const auto row = select_events_->step();
    if (!row || !*row) {
      select_events_->reset();
      if (!row) return tl::unexpected(row.error());
      return events;
    }
    events.push_back({select_events_->number(0), select_events_->text(1)});
  }
}

Result<std::string> SqliteEventLog::value(const std::string& name) {
  const auto row = select_value_->bind_text(1, name).step();
  Result<std::string> found = fail(ErrorCode::kNotFound, "no value '" + name + "' in " + file_.string());
  if (!row)
    found = tl::unexpected(row.error());
  else if (*row)
    found = select_value_->text(0);
  select_value_->reset();
  return found;
}

}  // namespace

Result<std::unique_ptr<EventLog>> open_event_log(const fs::path& file) {
  auto lock = take_lock(fs::path(file) += ".lock");
  if (!lock) return fail(std::move(lock));
  auto log = std::make_unique<SqliteEventLog>(file, std::move(*lock));
  if (auto opened = log->open(); !opened) return tl::unexpected(opened.error());
  return log;
}

}  // namespace hadar
