// Reading what a policy wrote into RoundPlan::memory.
#pragma once

#include <charconv>
#include <cstddef>
#include <string_view>

namespace hadar {

// Reads a whole number up to `end_char` and steps over both; false, with `text` unchanged, when there is none.
template <class Number>
bool read_number(std::string_view& text, char end_char, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || length >= text.size() || *end != end_char) return false;
  text.remove_prefix(length + 1);
  return true;
}

}  // namespace hadar
