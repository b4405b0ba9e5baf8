#include "runtime/store/sqlite_database.hpp"

#include <sqlite3.h>
#include <system_error>

#include "messages/types/check.hpp"

namespace hadar {

void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}
void SqliteDatabase::Close::operator()(sqlite3* handle) const {
  sqlite3_close(handle);
}

SqliteStatement& SqliteStatement::bind(int index, std::uint64_t value) {
  HADAR_ENSURE(sqlite3_bind_int64(raw_.get(), index, static_cast<sqlite3_int64>(value)) == SQLITE_OK);
  return *this;
}

SqliteStatement& SqliteStatement::bind_text(int index, std::string_view value) {
  HADAR_ENSURE(sqlite3_bind_text64(raw_.get(), index, value.data(), value.size(), SQLITE_STATIC, SQLITE_UTF8) ==
               SQLITE_OK);
  return *this;
}

SqliteStatement& SqliteStatement::bind_blob(int index, std::string_view value) {
  // A null pointer would bind NULL instead of no bytes.
  const char* data = value.empty() ? "" : value.data();
  HADAR_ENSURE(sqlite3_bind_blob64(raw_.get(), index, data, value.size(), SQLITE_STATIC) == SQLITE_OK);
  return *this;
}

Result<bool> SqliteStatement::step() {
  const int code = sqlite3_step(raw_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  auto error = database_->last_error("cannot use");
  sqlite3_reset(raw_.get());
  return error;
}

std::uint64_t SqliteStatement::number(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(raw_.get(), column));
}

std::string SqliteStatement::text(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(raw_.get(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(raw_.get(), column));
  return data == nullptr ? std::string() : std::string(data, size);
}

void SqliteStatement::reset() {
  sqlite3_reset(raw_.get());
  sqlite3_clear_bindings(raw_.get());
}

Status SqliteDatabase::open() {
  sqlite3* raw = nullptr;
  const int code =
      sqlite3_open_v2(file_.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, nullptr);
  handle_.reset(raw);
  if (code != SQLITE_OK) return last_error("cannot open");
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, 2000);  // milliseconds; a reader with the sqlite3 tool may hold it for a moment
  return {};
}

Status SqliteDatabase::run(const char* sql) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return last_error("cannot use");
  return {};
}

Result<std::string> SqliteDatabase::ask(const char* sql) {
  auto statement = prepare(sql);
  if (!statement) return fail(std::move(statement));
  const auto row = statement->step();
  if (!row) return tl::unexpected(row.error());
  return *row ? statement->text(0) : std::string();
}

Result<SqliteStatement> SqliteDatabase::prepare(const char* sql) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v3(handle_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &raw, nullptr) != SQLITE_OK)
    return last_error("cannot use");
  return SqliteStatement(*this, raw);
}

void SqliteDatabase::roll_back() {
  if (handle_ && sqlite3_get_autocommit(handle_.get()) == 0)
    (void)sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

tl::unexpected<Error> SqliteDatabase::last_error(std::string_view doing) const {
  const int code = sqlite3_errcode(handle_.get()) & 0xff;
  const int system = handle_ ? sqlite3_system_errno(handle_.get()) : 0;
  auto text = std::string(doing) + " " + file_.string() + ": " + sqlite3_errmsg(handle_.get());
  if (system != 0) text += " (" + std::generic_category().message(system) + ")";
  const bool corrupt = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
  return fail(corrupt ? ErrorCode::kCorrupt : ErrorCode::kIo, std::move(text));
}

}  // namespace hadar
