#include "messages/codec/json_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "messages/codec/utf8.hpp"
#include "messages/types/check.hpp"

namespace hadar::json {

void Writer::open(char bracket) {
  line_ += bracket;
  first_ = true;
}

void Writer::close(char bracket) {
  line_ += bracket;
  first_ = false;
}

void Writer::separate() {
  if (!first_) line_ += ',';
  first_ = false;
}

void Writer::name(std::string_view key) {
  separate();
  write(key);
  line_ += ':';
}

void Writer::write(double value) {
  HADAR_REQUIRE(std::isfinite(value));
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  const std::string_view number(digits.data(), static_cast<std::size_t>(end - digits.data()));
  line_ += number;
  // A number that looks whole would read back as an integer, and -0 as 0.
  if (number.find_first_of(".e") == std::string_view::npos) line_ += ".0";
}

void Writer::write(std::string_view value) {
  constexpr std::string_view kHex = "0123456789abcdef";
  line_ += '"';
  while (!value.empty()) {
    const auto c = static_cast<unsigned char>(value[0]);
    const auto length = utf8_length(value);
    if (length == 0)
      line_ += "\xef\xbf\xbd";
    else if (c == '"' || c == '\\')
      (line_ += '\\') += value[0];
    else if (c < 0x20)
      ((line_ += "\\u00") += kHex[c >> 4]) += kHex[c & 15];
    else
      line_ += value.substr(0, length);
    value.remove_prefix(length == 0 ? 1 : length);
  }
  line_ += '"';
}

}  // namespace hadar::json
