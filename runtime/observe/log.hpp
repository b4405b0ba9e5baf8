// What a process writes down for its operator. The library behind it stays out of this header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "messages/types/result.hpp"

namespace hadar {

enum class LogLevel : std::uint8_t { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3, kOff = 4 };

// "debug", "info", "warning", "error", "off".
std::string_view name_of(LogLevel level);
// Errors: kInvalidArgument for any other word.
Result<LogLevel> parse_log_level(std::string_view text);

// One key of a line. Numbers are written the same in every locale.
struct LogField {
  LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
  template <class Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
  LogField(std::string_view k, Number v) : key(k), value(text_of(v)) {}

  std::string_view key;  // snake_case, with the unit where it has one: "round_s"
  std::string value;

 private:
  static std::string text_of(bool v) { return v ? "true" : "false"; }
  static std::string text_of(double v);
  template <class Number>
  static std::string text_of(Number v) {
    if constexpr (std::is_floating_point_v<Number>)
      return text_of(static_cast<double>(v));
    else
      return std::to_string(v);
  }
};

// Thread-safe; never throws and never fails: a line that cannot be written is counted and dropped.
// Usage: log.info("lease_granted", {{"lease", lease.id.value}, {"node", lease.node}});
class Logger {
 public:
  using Fields = std::initializer_list<LogField>;

  virtual ~Logger() = default;

  // `event` is snake_case in the past tense. One line: time in UTC, level, event, key=value.
  virtual void write(LogLevel level, std::string_view event, Fields fields) = 0;
  // Lines lost to a full disk or any other refusal since the start.
  [[nodiscard]] virtual std::uint64_t lines_lost() const { return 0; }

  void debug(std::string_view event, Fields fields = {}) { write(LogLevel::kDebug, event, fields); }
  void info(std::string_view event, Fields fields = {}) { write(LogLevel::kInfo, event, fields); }
  void warning(std::string_view event, Fields fields = {}) { write(LogLevel::kWarning, event, fields); }
  void error(std::string_view event, Fields fields = {}) { write(LogLevel::kError, event, fields); }
};

struct LogOptions {
  std::filesystem::path file;  // one per process, never shared; empty = no file
  bool to_stderr = false;
  LogLevel level = LogLevel::kInfo;
  std::uint64_t file_bytes = 8 << 20;  // of one file before it is rotated; > 0
  std::uint32_t old_files = 3;         // kept beside the current one; files on disk are at most old_files + 1
};

// A logger that writes each line through at once. Missing parent folders are made. Errors: kIo.
Result<std::shared_ptr<Logger>> open_logger(const LogOptions& options);

// Drops everything; for tests.
std::shared_ptr<Logger> make_null_logger();

// The part of a line after time and level: `event key=value key="two words"`. Line breaks and other control characters
// in values come out escaped, so that a line stays a line.
std::string format_log_line(std::string_view event, Logger::Fields fields);

}  // namespace hadar
