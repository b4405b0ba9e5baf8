// Reads one JSON object strictly: every key once, none unknown, none missing, every type as it was written. Inside the
// codec only.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "messages/codec/json_writer.hpp"
#include "messages/types/ids.hpp"
#include "messages/types/result.hpp"

namespace hadar::json {

using Value = nlohmann::json;

// A broken rule, on its way to whoever called parse(). Caught there, never seen outside the codec.
struct Broken {
  std::string message;
};

// One JSON object, with duplicate keys and deep nesting refused. Errors: kCorrupt.
Result<Value> parse(std::string_view text);

// One object while its fields are being read. The value must outlive it.
class Reader {
 public:
  static constexpr bool kReads = true;

  Reader(const Value& object, std::string path);

  template <class T>
  void operator()(std::string_view key, T& value) {
    const auto* found = find(key);
    if (found == nullptr) throw Broken{"key \"" + path_ + std::string(key) + "\" is missing"};
    read(*found, path_ + std::string(key), value);
  }

  // Whether the object has the key; an optional key is asked for first.
  [[nodiscard]] bool has(std::string_view key) const { return object_.find(key) != object_.end(); }

  [[noreturn]] void refuse(std::string_view key, std::string_view rule) const {
    throw Broken{"key \"" + path_ + std::string(key) + "\" " + std::string(rule)};
  }

  // After the last field: what is left is unknown.
  void finish() const;

 private:
  const Value* find(std::string_view key);

  static void read(const Value& in, const std::string& path, bool& out);
  static void read(const Value& in, const std::string& path, std::uint64_t& out);
  static void read(const Value& in, const std::string& path, std::uint32_t& out);
  static void read(const Value& in, const std::string& path, double& out);
  static void read(const Value& in, const std::string& path, std::string& out);
  static void read(const Value& in, const std::string& path, std::map<std::string, double>& out);

  template <class Tag>
  static void read(const Value& in, const std::string& path, Id<Tag>& out) {
    read(in, path, out.value);
  }

  template <class T>
  static void read(const Value& in, const std::string& path, std::vector<T>& out) {
    if (!in.is_array()) throw Broken{"key \"" + path + "\" must be a list"};
    out.resize(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) read(in[i], path + "[" + std::to_string(i) + "]", out[i]);
  }

  template <class T>
  requires std::is_enum_v<T>
  static void read(const Value& in, const std::string& path, T& out) {
    std::string name;
    read(in, path, name);
    std::string known;
    for (const auto& named : names_of(Named<T>{})) {
      if (named.name == name) {
        out = named.value;
        return;
      }
      (known += known.empty() ? "" : ", ") += named.name;
    }
    throw Broken{"key \"" + path + "\" must be one of " + known};
  }

  template <class T>
  requires std::is_class_v<T>
  static void read(const Value& in, const std::string& path, T& out) {
    Reader reader(in, path + ".");
    fields(reader, out);
    reader.finish();
  }

  const Value& object_;
  std::string path_;                     // in front of every key; empty or ends with a dot
  std::vector<std::string_view> taken_;  // names of fields, which are literals
};

}  // namespace hadar::json
