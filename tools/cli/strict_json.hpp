// JSON from files of users, read strictly and with the path of every key at hand. Internal to this room.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "messages/types/result.hpp"

namespace hadar::cli {

using JsonValue = nlohmann::json;

// A broken rule on its way to the function that reads the file; never leaves it.
struct BrokenJson {
  explicit BrokenJson(std::string why);
  std::string message;  // one line, whatever the keys of the file
};

// The one object of a text, no key twice in an object. Errors: kInvalidArgument "file: …".
Result<JsonValue> parse_json_object(const std::string& text, const std::string& file);

// A value and how it is reached from the top. Every reading function throws BrokenJson that names the path.
class JsonAt {
 public:
  JsonAt(const JsonValue& value, std::string path) : value_(&value), path_(std::move(path)) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_null() const { return value_->is_null(); }
  [[nodiscard]] bool has(std::string_view key) const;
  // A member that must be there.
  [[nodiscard]] JsonAt at(std::string_view key) const;
  // A member of a list.
  [[nodiscard]] JsonAt at(std::size_t index) const;
  // The length of a list, at most `most`.
  [[nodiscard]] std::size_t size(std::size_t most) const;
  // The keys of an object, sorted.
  [[nodiscard]] std::vector<std::string> keys() const;
  // Refuses keys that are not in `known`.
  void only(const std::vector<std::string_view>& known) const;

  [[nodiscard]] double number(double least, double most) const;
  // A weight, price or amount, at least 1e-9: what is computed from it stays a number.
  [[nodiscard]] double rate(double most) const;
  // The same of a speed; 0 where a job cannot run.
  [[nodiscard]] double rate_or_0(double most) const;
  [[nodiscard]] std::uint64_t count(std::uint64_t least, std::uint64_t most) const;
  [[nodiscard]] std::string text() const;

  [[noreturn]] void refuse(const std::string& rule) const;

 private:
  [[nodiscard]] double number(double least, double most, const std::string& rule) const;

  const JsonValue* value_;
  std::string path_;
};

}  // namespace hadar::cli
