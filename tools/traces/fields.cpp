#include <algorithm>
#include <charconv>
#include <cmath>

#include "messages/codec/utf8.hpp"
#include "runtime/config/gavel_throughputs.hpp"
#include "tools/traces/calendar.hpp"
#include "tools/traces/form.hpp"

namespace hadar::traces {
namespace {

constexpr double kMostNumber = 1e15;
constexpr double kMostTime = 4e9;  // seconds; dates of this century as seconds since 1970 are below
constexpr std::size_t kMostWord = 256;
constexpr std::string_view kWordRule = "1 to 256 bytes of UTF-8 without control characters";
constexpr std::string_view kTimeRule = "a number of seconds from 0 to 4e9, or a date like 2017-10-03 05:38:20";

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= kMostWord && !has_control(text) && is_utf8(text);
}

void Fields::start(const TextRow& row) {
  row_ = &row;
  rule_ = {};
}

std::string_view Fields::cell(std::string_view column) {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i] == column) return places_[i] ? row_->cells[*places_[i]] : std::string_view{};
  return {};
}

bool Fields::has(std::string_view column) const {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i] == column) return places_[i] && !row_->cells[*places_[i]].empty();
  return false;
}

void Fields::wrong(std::string_view column, std::string_view rule) {
  if (refused()) return;
  column_ = column;
  value_ = cell(column);
  rule_ = rule;
}

std::string Fields::word_or_empty(std::string_view column) {
  const auto text = cell(column);
  if (text.empty() || is_word(text)) return std::string(text);
  wrong(column, kWordRule);
  return {};
}

std::string Fields::word(std::string_view column) {
  if (cell(column).empty()) wrong(column, kWordRule);
  return word_or_empty(column);
}

double Fields::number(std::string_view column, std::string_view rule) {
  const auto value = parse_number(cell(column));
  if (value && std::abs(*value) <= kMostNumber) return *value;
  wrong(column, rule);
  return 0;
}

double Fields::at_least_0(std::string_view column) {
  constexpr std::string_view kRule = "a number from 0 to 1e15";
  const double value = number(column, kRule);
  if (value < 0) wrong(column, kRule);
  return std::abs(value);
}

double Fields::time(std::string_view column) {
  const auto text = cell(column);
  const auto seconds = parse_number(text);
  if (seconds && *seconds >= 0 && *seconds <= kMostTime) return *seconds + 0.0;
  const auto date = seconds ? std::nullopt : parse_date_time(text);
  if (!date) {
    wrong(column, kTimeRule);
    return 0;
  }
  saw_date_ = true;
  return *date;
}

double Fields::duration(std::string_view column) {
  const auto value = parse_number(cell(column));
  if (value == 0.0) {
    wrong(column, "above 0 s: a job that never ran is no work");
    return 1;
  }
  if (value && *value > 0 && *value <= kMostTime) return *value;
  wrong(column, "a number of seconds above 0 and at most 4e9");
  return 1;
}

double Fields::gpus(std::string_view column) {
  const auto value = parse_number(cell(column));
  if (value == 0.0) {
    wrong(column, "above 0: a CPU-only job needs no GPU scheduler");
    return 1;
  }
  if (value && *value > 0 && *value <= 65536) return *value;
  wrong(column, "a number of GPUs above 0 and at most 65536");
  return 1;
}

double Fields::whole(std::string_view column, double least, double most, std::string_view rule) {
  const auto value = parse_number(cell(column));
  if (value && *value >= least && *value <= most && *value == std::floor(*value)) return *value;
  wrong(column, rule);
  return least;
}

std::uint32_t Fields::whole_gpus(std::string_view column) {
  return static_cast<std::uint32_t>(whole(column, 1, 65536, "a whole number of GPUs from 1 to 65536"));
}

std::uint32_t Fields::batch_size(std::string_view column) {
  return static_cast<std::uint32_t>(whole(column, 1, 1e9, "a whole number from 1 to 1000000000"));
}

std::uint64_t Fields::steps(std::string_view column) {
  return static_cast<std::uint64_t>(whole(column, 1, 9007199254740992.0, "a whole number from 1 to 2^53"));
}

double Fields::weight(std::string_view column) {
  constexpr std::string_view kRule = "a number above 0 and at most 1e15";
  const double value = number(column, kRule);
  if (value > 0) return value;
  wrong(column, kRule);
  return 1;
}

bool Fields::flag(std::string_view column) {
  const auto text = cell(column);
  if (text == "true" || text == "1") return true;
  if (text != "false" && text != "0") wrong(column, "true or false");
  return false;
}

void read_job_type(Fields& row, Draft& draft) {
  (void)row.word("job_type");
  const auto type = parse_job_type(row.cell("job_type"));
  if (!type) return row.wrong("job_type", "MODEL or MODEL (batch size N)");
  draft.model = type->model;
  draft.batch_size = std::max(1U, type->batch_size);
}

bool read_batch_changes(Fields& row) {
  const auto mode = row.cell("mode");
  if (mode != "static" && mode != "accordion" && mode != "gns") row.wrong("mode", "static, accordion or gns");
  return mode != "static";
}

Draft begin_draft(const Fields& row) {
  Draft draft;
  draft.line = row.line();
  return draft;
}

}  // namespace hadar::traces
