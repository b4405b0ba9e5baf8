#include "runtime/config/toml_tree.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <toml++/toml.h>

#include "runtime/config/text.hpp"

namespace hadar {
namespace {

constexpr std::size_t kDeepestKey = 256;  // parts of a dotted key; the parser nests one call in another for each

// The line of the first run of over kDeepestKey parts with dots between, as only a key has; 0 = none.
std::size_t line_of_deep_key(std::string_view text) {
  std::size_t line = 1;
  std::size_t parts = 1;
  bool empty = true;  // the part so far
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '"' || c == '\'';
    if (c == '.' && !empty) {
      if (++parts > kDeepestKey) return line;
      empty = true;
    } else if (plain) {
      empty = false;
    } else if (c != ' ' && c != '\t') {
      parts = 1;
      empty = true;
    }
    if (c == '\n') ++line;
  }
  return 0;
}

TomlPlace place_of(const toml::source_region& source) {
  return {source.begin.line, source.begin.column};
}

TomlTable convert_table(const toml::table& table);

TomlValue convert(const toml::node& node) {
  TomlValue value;
  value.place = place_of(node.source());
  if (const auto* table = node.as_table()) {
    value.data = convert_table(*table);
  } else if (const auto* array = node.as_array()) {
    TomlArray items;
    for (const auto& item : *array) items.push_back(convert(item));
    value.data = std::move(items);
  } else if (const auto* text = node.as_string()) {
    value.data = text->get();
  } else if (const auto* whole = node.as_integer()) {
    value.data = whole->get();
  } else if (const auto* real = node.as_floating_point()) {
    value.data = real->get();
  } else if (const auto* flag = node.as_boolean()) {
    value.data = flag->get();
  }
  return value;
}

TomlTable convert_table(const toml::table& table) {
  TomlTable members;
  for (const auto& [key, node] : table)
    members.push_back({std::string(key.str()), place_of(key.source()), convert(node)});
  std::stable_sort(members.begin(), members.end(), [](const TomlMember& a, const TomlMember& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  return members;
}

}  // namespace

Result<TomlTable> parse_toml(std::string_view text, const std::string& name) {
  if (const auto line = line_of_deep_key(text))
    return fail(ErrorCode::kInvalidArgument, name + ":" + std::to_string(line) + ": a key of over " +
                                                 std::to_string(kDeepestKey) + " parts, give a shorter one");
  try {
    return convert_table(toml::parse(text));
  } catch (const toml::parse_error& error) {
    const auto place = place_of(error.source());
    std::string what(error.description());
    std::replace(what.begin(), what.end(), '\n', ' ');
    return fail(ErrorCode::kInvalidArgument,
                name + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": not TOML: " + what);
  }
}

TomlValue parse_toml_value(const std::string& text) {
  TomlValue value;
  value.data = text;
  if (auto parsed = parse_toml("value = " + text, "--set"); parsed && parsed->size() == 1)
    value = std::move(parsed->front().value);
  value.place = {};
  value.bare = text;
  return value;
}

std::string describe(const TomlValue& value) {
  struct Describe {
    std::string operator()(std::monostate) const { return "a date"; }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return number_text(v); }
    std::string operator()(const std::string& v) const { return quote_toml(v.size() > 60 ? v.substr(0, 60) + "…" : v); }
    std::string operator()(const TomlArray& v) const {
      return v.empty() ? "an empty array" : "an array of " + std::to_string(v.size());
    }
    std::string operator()(const TomlTable&) const { return "a table"; }
  };
  return std::visit(Describe{}, value.data);
}

std::string quote_toml(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += "\\u00";
      quoted += kHex[byte >> 4];
      quoted += kHex[byte & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace hadar
