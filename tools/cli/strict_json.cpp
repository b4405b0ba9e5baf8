#include "tools/cli/strict_json.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "runtime/config/job_rules.hpp"
#include "runtime/config/text.hpp"
#include "tools/cli/text.hpp"

namespace hadar::cli {
namespace {

constexpr int kMaxDepth = 32;

}  // namespace

BrokenJson::BrokenJson(std::string why) : message(one_line(std::move(why))) {}

Result<JsonValue> parse_json_object(const std::string& text, const std::string& file) {
  std::vector<std::set<std::string>> open;
  const auto guard = [&open](int depth, JsonValue::parse_event_t event, const JsonValue& parsed) {
    if (depth > kMaxDepth) throw BrokenJson{"is nested deeper than " + std::to_string(kMaxDepth) + " levels"};
    if (event == JsonValue::parse_event_t::object_start) open.emplace_back();
    if (event == JsonValue::parse_event_t::object_end) open.pop_back();
    if (event == JsonValue::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
      throw BrokenJson{"key \"" + parsed.get<std::string>() + "\" is there twice in one object"};
    return true;
  };
  try {
    auto value = JsonValue::parse(text, guard);
    if (!value.is_object()) return fail(ErrorCode::kInvalidArgument, file + ": must hold one JSON object");
    return value;
  } catch (const BrokenJson& broken) {
    return fail(ErrorCode::kInvalidArgument, file + ": " + broken.message);
  } catch (const JsonValue::parse_error& error) {
    const auto at = std::min<std::size_t>(error.byte, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    return fail(ErrorCode::kInvalidArgument,
                file + ":" + std::to_string(line) + ": is not JSON (NaN and infinities are not either)");
  } catch (const JsonValue::exception&) {
    return fail(ErrorCode::kInvalidArgument, file + ": a number is out of range");
  }
}

bool JsonAt::has(std::string_view key) const {
  return value_->is_object() && value_->contains(key);
}

JsonAt JsonAt::at(std::string_view key) const {
  if (!value_->is_object()) refuse("must be an object");
  const auto path = path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  const auto found = value_->find(key);
  if (found == value_->end()) throw BrokenJson{"key \"" + path + "\" is missing"};
  return {*found, path};
}

JsonAt JsonAt::at(std::size_t index) const {
  return {(*value_)[index], path_ + "[" + std::to_string(index) + "]"};
}

std::size_t JsonAt::size(std::size_t most) const {
  if (!value_->is_array()) refuse("must be a list");
  if (value_->size() > most)
    refuse("has " + std::to_string(value_->size()) + " entries, must have at most " + std::to_string(most));
  return value_->size();
}

std::vector<std::string> JsonAt::keys() const {
  if (!value_->is_object()) refuse("must be an object");
  std::vector<std::string> out;
  for (const auto& [key, member] : value_->items()) out.push_back(key);
  return out;
}

void JsonAt::only(const std::vector<std::string_view>& known) const {
  for (const auto& key : keys()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string names;
    for (const auto name : known) names += (names.empty() ? "" : ", ") + std::string(name);
    const auto path = path_.empty() ? key : path_ + "." + key;
    throw BrokenJson{"key \"" + path + "\" is unknown; known are " + names};
  }
}

double JsonAt::number(double least, double most) const {
  return number(least, most, "must be a number from " + number_text(least) + " to " + number_text(most));
}

double JsonAt::number(double least, double most, const std::string& rule) const {
  if (!value_->is_number()) refuse(rule);
  const auto value = value_->get<double>();
  if (!(value >= least && value <= most)) refuse(rule + ", is " + value_->dump());
  return value;
}

double JsonAt::rate(double most) const {
  return number(kLeastRate, most);
}

double JsonAt::rate_or_0(double most) const {
  if (value_->is_number() && value_->get<double>() == 0) return 0;
  return number(kLeastRate, most, "must be 0 or a number from " + number_text(kLeastRate) + " to " + number_text(most));
}

std::uint64_t JsonAt::count(std::uint64_t least, std::uint64_t most) const {
  const auto rule = "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  if (!value_->is_number_integer()) refuse(rule + (value_->is_number() ? ", is " + value_->dump() : ""));
  if (!value_->is_number_unsigned()) refuse(rule + ", is " + value_->dump());
  const auto value = value_->get<std::uint64_t>();
  if (value < least || value > most) refuse(rule + ", is " + value_->dump());
  return value;
}

std::string JsonAt::text() const {
  if (!value_->is_string()) refuse("must be text");
  return value_->get<std::string>();
}

void JsonAt::refuse(const std::string& rule) const {
  throw BrokenJson{"key \"" + path_ + "\" " + rule};
}

}  // namespace hadar::cli
