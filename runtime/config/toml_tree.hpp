// A parsed TOML file with the place of every key and value. Internal to this room: keeps the TOML library out of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "messages/types/result.hpp"

namespace hadar {

struct TomlMember;
struct TomlValue;
using TomlArray = std::vector<TomlValue>;
using TomlTable = std::vector<TomlMember>;  // in the file's order; keys are unique

struct TomlPlace {
  std::uint32_t line = 0;  // from 1; 0 = not from a file
  std::uint32_t column = 0;
};

struct TomlValue {
  // std::monostate stands for a date or time, which no option takes.
  std::variant<std::monostate, bool, std::int64_t, double, std::string, TomlArray, TomlTable> data;
  TomlPlace place;
  std::string bare;  // the text after `=` of a --set, which needs no quotes; empty for a file
};

struct TomlMember {
  std::string key;
  TomlPlace place;
  TomlValue value;
};

// `name` goes into errors: "name:line:column: …". Errors: kInvalidArgument.
Result<TomlTable> parse_toml(std::string_view text, const std::string& name);

// One value as it stands after `=` on a command line: TOML, or else a bare word, which counts as text.
TomlValue parse_toml_value(const std::string& text);

// What a value is, for "got …": `"text"`, `12`, `an array`.
std::string describe(const TomlValue& value);

// A text as a TOML string with its quotes.
std::string quote_toml(std::string_view text);

}  // namespace hadar
