#include "tools/traces/calendar.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>

namespace hadar::traces {
namespace {

// Takes digits from the front of `text`.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + count, value);
  if (error != std::errc() || end != text.data() + count || text.front() == '-') return std::nullopt;
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, std::string_view any) {
  if (text.empty() || any.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<double> take_day(std::string_view& text) {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, "-/")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, "-/")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count()) * 86400.0;
}

std::optional<double> take_clock(std::string_view& text) {
  const auto hour = take_digits(text, 2);
  if (!hour || !take(text, ":")) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || !take(text, ":")) return std::nullopt;
  const auto second = take_digits(text, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  double value = *hour * 3600.0 + *minute * 60.0 + *second;
  if (!text.empty() && text.front() == '.') {
    double fraction = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fraction);
    if (error != std::errc() || !(fraction >= 0 && fraction < 1)) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    value += fraction;
  }
  return value;
}

// Seconds to take off for the offset at the end of `text`.
std::optional<double> take_offset(std::string_view text) {
  if (text.empty() || text == "Z") return 0.0;
  const double sign = text.front() == '-' ? -1 : 1;
  if (!take(text, "+-")) return std::nullopt;
  const auto hours = take_digits(text, 2);
  if (!hours) return std::nullopt;
  (void)take(text, ":");
  const auto minutes = take_digits(text, 2);
  if (!minutes || !text.empty() || *hours > 23 || *minutes > 59) return std::nullopt;
  return sign * (*hours * 3600.0 + *minutes * 60.0);
}

}  // namespace

std::optional<double> parse_date_time(std::string_view text) {
  const auto day = take_day(text);
  if (!day || !take(text, " T")) return std::nullopt;
  const auto clock = take_clock(text);
  if (!clock) return std::nullopt;
  const auto offset = take_offset(text);
  if (!offset) return std::nullopt;
  const double seconds = *day + *clock - *offset;
  if (seconds < 0 || seconds > 4e9) return std::nullopt;
  return seconds;
}

}  // namespace hadar::traces
