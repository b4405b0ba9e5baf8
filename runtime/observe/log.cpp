#include "runtime/observe/log.hpp"

#include <array>
#include <atomic>
#include <charconv>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <vector>

namespace hadar {
namespace {

constexpr std::array kNames{"debug", "info", "warning", "error", "off"};

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarning: return spdlog::level::warn;
    case LogLevel::kError: return spdlog::level::err;
    case LogLevel::kOff: return spdlog::level::off;
  }
  return spdlog::level::off;
}

bool is_plain(std::string_view value) {
  if (value.empty()) return false;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == 0x7f || c == '"' || c == '\\' || c == '=') return false;
  }
  return true;
}

void append_quoted(std::string& line, std::string_view value) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  line += '"';
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (c == '\n') {
      line += "\\n";
    } else if (byte < ' ' || byte == 0x7f) {
      line += "\\x";
      line += kHex[byte >> 4];
      line += kHex[byte & 15];
    } else {
      line += c;
    }
  }
  line += '"';
}

class NullLogger final : public Logger {
 public:
  void write(LogLevel, std::string_view, Fields) override {}
};

class SpdlogLogger final : public Logger {
 public:
  SpdlogLogger(std::vector<spdlog::sink_ptr> sinks, LogLevel level) : logger_("hadar", sinks.begin(), sinks.end()) {
    logger_.set_formatter(
        std::make_unique<spdlog::pattern_formatter>("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc));
    logger_.set_level(spdlog_level(level));
    logger_.flush_on(spdlog::level::trace);
    logger_.set_error_handler([this](const std::string&) { lost_.fetch_add(1, std::memory_order_relaxed); });
  }

  void write(LogLevel level, std::string_view event, Fields fields) override {
    const auto at = spdlog_level(level);
    if (level == LogLevel::kOff || !logger_.should_log(at)) return;
    // A plain string, never a format: braces in values are data.
    logger_.log(at, spdlog::string_view_t(format_log_line(event, fields)));
  }

  std::uint64_t lines_lost() const override { return lost_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> lost_{0};
  spdlog::logger logger_;
};

}  // namespace

std::string LogField::text_of(double v) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), v);
  return error == std::errc() ? std::string(buffer.data(), end) : "?";
}

std::string_view name_of(LogLevel level) {
  return kNames.at(static_cast<std::size_t>(level));
}

Result<LogLevel> parse_log_level(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (text == kNames[i]) return static_cast<LogLevel>(i);
  return fail(ErrorCode::kInvalidArgument,
              "log level: got '" + std::string(text) + "', must be debug, info, warning, error or off");
}

std::string format_log_line(std::string_view event, Logger::Fields fields) {
  std::string line(event);
  for (const auto& field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    if (is_plain(field.value))
      line += field.value;
    else
      append_quoted(line, field.value);
  }
  return line;
}

Result<std::shared_ptr<Logger>> open_logger(const LogOptions& options) {
  try {
    std::vector<spdlog::sink_ptr> sinks;
    if (!options.file.empty())
      sinks.push_back(std::make_shared<spdlog::sinks::rotating_file_sink_mt>(options.file.string(), options.file_bytes,
                                                                             options.old_files));
    if (options.to_stderr) sinks.push_back(std::make_shared<spdlog::sinks::stderr_sink_mt>());
    return std::make_shared<SpdlogLogger>(std::move(sinks), options.level);
  } catch (const std::exception& error) {
    return fail(ErrorCode::kIo, "log file " + options.file.string() + ": " + error.what());
  }
}

std::shared_ptr<Logger> make_null_logger() {
  return std::make_shared<NullLogger>();
}

}  // namespace hadar
