#include <algorithm>
#include <charconv>
#include <cmath>

#include "messages/codec/utf8.hpp"
#include "runtime/config/gavel_throughputs.hpp"
#include "runtime/config/job_rules.hpp"
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

// The whole number that a decimal number like "12", "1.50e2" is, to its last digit; nullopt when it is none, below 0,
// or over 64 bits.
std::optional<std::uint64_t> parse_whole(std::string_view text) {
  if (!parse_number(text) || text.front() == '-') return std::nullopt;
  const auto mantissa = text.substr(0, text.find_first_of("eE"));
  std::int64_t zeros = 0;  // to come after the digits
  if (mantissa.size() < text.size()) {
    auto exponent = text.substr(mantissa.size() + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    const auto [end, error] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), zeros);
    if (error != std::errc()) return std::nullopt;
  }
  const auto point = std::min(mantissa.find('.'), mantissa.size());
  std::string digits(mantissa.substr(0, point));
  if (point < mantissa.size()) {
    digits += mantissa.substr(point + 1);
    zeros -= static_cast<std::int64_t>(mantissa.size() - point - 1);
  }
  digits.erase(0, digits.find_first_not_of('0'));
  for (; !digits.empty() && zeros < 0 && digits.back() == '0'; ++zeros) digits.pop_back();
  if (digits.empty()) return 0;
  constexpr std::int64_t kMostDigits = 20;
  if (zeros < 0 || zeros > kMostDigits) return std::nullopt;
  digits.append(static_cast<std::size_t>(zeros), '0');
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

bool equal_but_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

}  // namespace

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= kMostWord && !has_control(text) && is_utf8(text);
}

void Fields::start(const TextRow& row) {
  row_ = &row;
  rule_ = {};
  row_time_kind_ = time_kind_;
}

void Fields::keep_time_kind() {
  time_kind_ = row_time_kind_;
}

// A date counts from 1970 and seconds from who knows when: together they mean nothing.
bool Fields::fits_time_kind(std::string_view column, TimeKind kind) {
  if (row_time_kind_ == TimeKind::kUnknown) row_time_kind_ = kind;
  if (row_time_kind_ == kind) return true;
  if (time_kind_ == TimeKind::kUnknown)
    wrong(column, "of the same kind as the row's other times: all dates or all numbers of seconds");
  else
    wrong(column,
          kind == TimeKind::kSeconds ? "a date, as in the rows before" : "a number of seconds, as in the rows before");
  return false;
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
  if (seconds && *seconds >= 0 && *seconds <= kMostTime)
    return fits_time_kind(column, TimeKind::kSeconds) ? *seconds + 0.0 : 0;
  const auto date = seconds ? std::nullopt : parse_date_time(text);
  if (!date) {
    wrong(column, kTimeRule);
    return 0;
  }
  return fits_time_kind(column, TimeKind::kDate) ? *date : 0;
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

std::uint64_t Fields::whole(std::string_view column, std::uint64_t least, std::uint64_t most, std::string_view rule) {
  const auto value = parse_whole(cell(column));
  if (value && *value >= least && *value <= most) return *value;
  wrong(column, rule);
  return least;
}

std::uint32_t Fields::whole_gpus(std::string_view column) {
  return static_cast<std::uint32_t>(whole(column, 1, 65536, "a whole number of GPUs from 1 to 65536"));
}

std::uint32_t Fields::batch_size(std::string_view column) {
  return static_cast<std::uint32_t>(whole(column, 1, 1000000000, "a whole number from 1 to 1000000000"));
}

std::uint64_t Fields::steps(std::string_view column) {
  return whole(column, 1, std::uint64_t{1} << 53, "a whole number from 1 to 2^53");
}

double Fields::weight(std::string_view column) {
  constexpr std::string_view kRule = "a number from 1e-9 to 1e15";
  const double value = number(column, kRule);
  if (value >= kLeastRate) return value;
  wrong(column, kRule);
  return 1;
}

bool Fields::flag(std::string_view column) {
  const auto text = cell(column);
  if (equal_but_case(text, "true") || text == "1") return true;
  if (!equal_but_case(text, "false") && text != "0") wrong(column, "true or false, in letters of any case, or 1 or 0");
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
