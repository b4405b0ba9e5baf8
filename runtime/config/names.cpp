#include "runtime/config/names.hpp"

#include <algorithm>

namespace hadar {

bool is_plain_name(std::string_view name) {
  const auto letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  if (name.empty() || name.size() > 64 || !letter_or_digit(name.front())) return false;
  return std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter_or_digit(c) || c == '.' || c == '_' || c == '-'; });
}

}  // namespace hadar
