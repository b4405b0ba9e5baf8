#include "actors/policy/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <string_view>
#include <utility>

namespace hadar {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// The numbers of a list with commas between them; none when any part of it is no number.
std::vector<double> numbers_in(std::string_view text) {
  std::vector<double> numbers;
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    auto part = text.substr(0, comma);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    double number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc() || end != part.data() + part.size()) return {};
    numbers.push_back(number);
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return numbers;
}

std::string shown(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

}  // namespace

SettingsReader::SettingsReader(std::string policy, const PolicySettings& settings)
    : policy_(std::move(policy)), settings_(settings) {}

void SettingsReader::fault(const std::string& key, const std::string& what) {
  if (fault_.empty()) fault_ = "policy " + policy_ + ", setting \"" + key + "\": " + what;
}

template <class T>
const T* SettingsReader::find(const std::string& key, const char* kind) {
  known_.insert(key);
  const auto it = settings_.find(key);
  if (it == settings_.end()) return nullptr;
  const T* value = std::get_if<T>(&it->second);
  if (value == nullptr) fault(key, std::string("must be ") + kind);
  return value;
}

double SettingsReader::number(const std::string& key, double fallback, double low, double high) {
  const double* value = find<double>(key, "a number");
  if (value == nullptr) return fallback;
  if (*value >= low && *value <= high) return *value;
  fault(key, shown(*value) + " is out of range, give " + shown(low) + " to " + shown(high));
  return fallback;
}

std::uint32_t SettingsReader::whole(const std::string& key, std::uint32_t fallback, std::uint32_t low,
                                    std::uint32_t high) {
  const double value = number(key, fallback, low, high);
  if (value != std::floor(value)) fault(key, shown(value) + " is no whole number");
  return static_cast<std::uint32_t>(value);
}

bool SettingsReader::flag(const std::string& key, bool fallback) {
  const bool* value = find<bool>(key, "true or false");
  return value == nullptr ? fallback : *value;
}

std::string SettingsReader::word(const std::string& key, const std::string& fallback,
                                 const std::vector<std::string>& allowed) {
  const std::string* value = find<std::string>(key, "a word");
  if (value == nullptr) return fallback;
  if (std::find(allowed.begin(), allowed.end(), *value) != allowed.end()) return *value;
  fault(key, "\"" + *value + "\" is unknown, give one of " + joined(allowed));
  return fallback;
}

std::vector<double> SettingsReader::rising_numbers(const std::string& key, const std::vector<double>& fallback,
                                                   double low, double high) {
  known_.insert(key);
  const auto it = settings_.find(key);
  if (it == settings_.end()) return fallback;
  std::vector<double> numbers;
  if (const auto* one = std::get_if<double>(&it->second)) numbers = {*one};
  if (const auto* text = std::get_if<std::string>(&it->second)) numbers = numbers_in(*text);
  if (numbers.empty()) {
    fault(key, "must be a number, or numbers with commas between them such as \"3250, 7200\"");
    return fallback;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!(numbers[i] >= low && numbers[i] <= high))
      fault(key, shown(numbers[i]) + " is out of range, give " + shown(low) + " to " + shown(high));
    if (i > 0 && numbers[i] < numbers[i - 1])
      fault(key, shown(numbers[i]) + " after " + shown(numbers[i - 1]) + ": the numbers must rise");
  }
  return fault_.empty() ? numbers : fallback;
}

std::map<std::string, double> SettingsReader::numbers(const std::string& prefix, double low, double high) {
  std::map<std::string, double> found;
  known_.insert(prefix + "NAME");
  for (const auto& [key, value] : settings_)
    if (key.size() > prefix.size() && key.starts_with(prefix))
      found[key.substr(prefix.size())] = number(key, 0, low, high);
  return found;
}

Status SettingsReader::done() const {
  if (!fault_.empty()) return fail(ErrorCode::kInvalidArgument, fault_);
  for (const auto& [key, value] : settings_) {
    if (known_.contains(key)) continue;
    const std::vector<std::string> names(known_.begin(), known_.end());
    return fail(ErrorCode::kInvalidArgument,
                "policy " + policy_ + ", setting \"" + key + "\": unknown, " +
                    (names.empty() ? "this policy has no settings" : "give one of " + joined(names)));
  }
  return {};
}

}  // namespace hadar
