// A thin layer over SQLite: every call checked, every failure an Error that names the file. Internal to this room.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "messages/types/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace hadar {

class SqliteDatabase;

// One prepared statement. Text handed to bind() must live until the next reset().
class SqliteStatement {
 public:
  SqliteStatement& bind(int index, std::uint64_t value);
  SqliteStatement& bind_text(int index, std::string_view value);
  SqliteStatement& bind_blob(int index, std::string_view value);

  // true: a row is there to be read; false: done.
  Result<bool> step();
  [[nodiscard]] std::uint64_t number(int column) const;
  [[nodiscard]] std::string text(int column) const;
  void reset();

 private:
  friend class SqliteDatabase;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  SqliteStatement(const SqliteDatabase& database, sqlite3_stmt* statement) : database_(&database), raw_(statement) {}

  const SqliteDatabase* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> raw_;
};

// Not copied, not moved: statements point to it.
class SqliteDatabase {
 public:
  explicit SqliteDatabase(std::filesystem::path file) : file_(std::move(file)) {}
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  Status open();
  // One or more statements without results.
  Status run(const char* sql);
  // The first column of the first row of a query.
  Result<std::string> ask(const char* sql);
  Result<SqliteStatement> prepare(const char* sql);
  // Undoes an open transaction, if there is one.
  void roll_back();

  // What SQLite said last, with the file's name and the system's own text: kCorrupt or kIo.
  [[nodiscard]] tl::unexpected<Error> last_error(std::string_view doing) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };

  std::filesystem::path file_;
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace hadar
