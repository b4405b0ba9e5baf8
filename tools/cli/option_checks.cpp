#include "tools/cli/option_checks.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "messages/codec/utf8.hpp"

namespace hadar::cli {
namespace {

constexpr std::size_t kMostNameBytes = 256;
constexpr std::size_t kShownBytes = 40;

template <class Number>
bool reads_as(const std::string& text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

std::string shown(const std::string& text) {
  return text.size() <= kShownBytes ? text : text.substr(0, kShownBytes) + "…";
}

CLI::Validator finite_between(double least, double most, const char* what, const char* type) {
  const auto check = [least, most, what](const std::string& text) -> std::string {
    double value = 0;
    if (reads_as(text, value) && std::isfinite(value) && value >= least && value <= most) return "";
    return fmt::format("got \"{}\", must be a {} from {:g} to {:g}", shown(text), what, least, most);
  };
  return {check, type};
}

}  // namespace

CLI::Validator whole_between(std::uint64_t least, std::uint64_t most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    std::uint64_t value = 0;
    const bool octal = text.size() > 1 && text.front() == '0';
    if (reads_as(text, value) && !octal && value >= least && value <= most) return "";
    return fmt::format("got \"{}\", must be a whole number from {} to {}", shown(text), least, most);
  };
  return {check, "WHOLE"};
}

CLI::Validator number_between(double least, double most) {
  return finite_between(least, most, "number", "NUMBER");
}

CLI::Validator seconds_between(double least, double most) {
  return finite_between(least, most, "number of seconds", "SECONDS");
}

CLI::Validator given(std::string what, std::size_t most_bytes) {
  const auto check = [what = std::move(what), most_bytes](const std::string& text) -> std::string {
    if (text.empty()) return "got nothing, must be " + what;
    if (text.size() <= most_bytes) return "";
    return fmt::format("got {} bytes, must be {}, of at most {} bytes", text.size(), what, most_bytes);
  };
  return {check, ""};
}

CLI::Validator line_given(std::string what) {
  const auto check = [](const std::string& text) -> std::string {
    if (has_control(text)) return "got control characters, must be free of control characters";
    return is_utf8(text) ? "" : "got bytes that are not UTF-8, must be UTF-8";
  };
  return given(std::move(what)) & CLI::Validator(check, "");
}

CLI::Validator name_given(std::string what) {
  return given(std::move(what), kMostNameBytes);
}

void refuse_empty_values(CLI::App& app) {
  for (auto* option : app.get_options()) {
    if (option->get_items_expected_max() == 0) continue;
    const std::string right = option->get_required() ? "give a value" : "give a value or leave it out";
    option->check(
        CLI::Validator([right](const std::string& text) { return text.empty() ? "got nothing, " + right : ""; }, ""));
  }
  for (auto* command : app.get_subcommands([](const CLI::App*) { return true; })) refuse_empty_values(*command);
}

}  // namespace hadar::cli
