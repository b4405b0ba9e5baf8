#include "messages/codec/json_reader.hpp"

#include <algorithm>

namespace hadar::json {
namespace {

constexpr int kMaxDepth = 16;

// Refuses what nlohmann::json would take: a key twice in one object, and endless nesting.
class Guard {
 public:
  bool operator()(int depth, Value::parse_event_t event, const Value& parsed) {
    if (depth > kMaxDepth) throw Broken{"is nested deeper than " + std::to_string(kMaxDepth) + " levels"};
    if (event == Value::parse_event_t::object_start) open_.emplace_back();
    if (event == Value::parse_event_t::key) open_.back().push_back(parsed.get_ref<const std::string&>());
    if (event == Value::parse_event_t::object_end) close();
    return true;
  }

 private:
  void close() {
    auto& keys = open_.back();
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice != keys.end()) throw Broken{"key \"" + *twice + "\" is there twice"};
    open_.pop_back();
  }

  std::vector<std::vector<std::string>> open_;
};

}  // namespace

Result<Value> parse(std::string_view text) {
  try {
    Guard guard;
    auto value = Value::parse(
        text, [&](int depth, Value::parse_event_t event, Value& parsed) { return guard(depth, event, parsed); });
    if (!value.is_object()) return fail(ErrorCode::kCorrupt, "must be one JSON object");
    return value;
  } catch (const Broken& broken) {
    return fail(ErrorCode::kCorrupt, broken.message);
  } catch (const Value::parse_error& e) {
    return fail(ErrorCode::kCorrupt, "is not JSON, wrong at byte " + std::to_string(e.byte));
  } catch (const Value::exception&) {
    return fail(ErrorCode::kCorrupt, "is not JSON: a number is out of range");
  }
}

Reader::Reader(const Value& object, std::string path) : object_(object), path_(std::move(path)) {
  if (!object_.is_object())
    throw Broken{"key \"" + path_.substr(0, path_.empty() ? 0 : path_.size() - 1) + "\" must be an object"};
}

const Value* Reader::find(std::string_view key) {
  const auto found = object_.find(key);
  if (found == object_.end()) return nullptr;
  taken_.push_back(key);
  return &*found;
}

void Reader::finish() const {
  if (taken_.size() == object_.size()) return;
  for (const auto& [key, value] : object_.items())
    if (std::find(taken_.begin(), taken_.end(), key) == taken_.end())
      throw Broken{"key \"" + path_ + key + "\" is unknown"};
}

void Reader::read(const Value& in, const std::string& path, bool& out) {
  if (!in.is_boolean()) throw Broken{"key \"" + path + "\" must be true or false"};
  out = in.get<bool>();
}

void Reader::read(const Value& in, const std::string& path, std::uint64_t& out) {
  if (!in.is_number_unsigned()) throw Broken{"key \"" + path + "\" must be a whole number, at least 0"};
  out = in.get<std::uint64_t>();
}

void Reader::read(const Value& in, const std::string& path, std::uint32_t& out) {
  std::uint64_t wide = 0;
  read(in, path, wide);
  if (wide > std::numeric_limits<std::uint32_t>::max())
    throw Broken{"key \"" + path + "\" must be at most " + std::to_string(std::numeric_limits<std::uint32_t>::max())};
  out = static_cast<std::uint32_t>(wide);
}

void Reader::read(const Value& in, const std::string& path, double& out) {
  if (!in.is_number()) throw Broken{"key \"" + path + "\" must be a number"};
  out = in.get<double>();
}

void Reader::read(const Value& in, const std::string& path, std::string& out) {
  if (!in.is_string()) throw Broken{"key \"" + path + "\" must be text"};
  out = in.get_ref<const std::string&>();
}

void Reader::read(const Value& in, const std::string& path, std::map<std::string, double>& out) {
  if (!in.is_object()) throw Broken{"key \"" + path + "\" must be an object of numbers"};
  for (const auto& [key, value] : in.items()) read(value, path + "." + key, out[key]);
}

}  // namespace hadar::json
