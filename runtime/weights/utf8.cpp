#include "runtime/weights/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace hadar {
namespace {

struct Range {
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
};

// How many bytes follow a lead byte (-1: not a lead byte) and what the first of them may be.
int followers(unsigned char lead, Range& first) {
  if (lead < 0x80) return 0;
  if (lead >= 0xC2 && lead <= 0xDF) return 1;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (lead == 0xE0) first.low = 0xA0;
    if (lead == 0xED) first.high = 0x9F;
    return 2;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (lead == 0xF0) first.low = 0x90;
    if (lead == 0xF4) first.high = 0x8F;
    return 3;
  }
  return -1;
}

bool eight_ascii(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return (word & 0x8080808080808080ULL) == 0;
}

}  // namespace

std::size_t find_bad_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.size() - at >= 8 && eight_ascii(text.data() + at)) {
      at += 8;
      continue;
    }
    Range range;
    const int count = followers(static_cast<unsigned char>(text[at]), range);
    if (count < 0 || text.size() - at <= static_cast<std::size_t>(count)) return at;
    for (int i = 1; i <= count; ++i) {
      const auto byte = static_cast<unsigned char>(text[at + static_cast<std::size_t>(i)]);
      if (byte < range.low || byte > range.high) return at;
      range = {};
    }
    at += static_cast<std::size_t>(count) + 1;
  }
  return std::string_view::npos;
}

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::string out;
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7F ? '?' : c;
  }
  for (std::size_t bad = find_bad_utf8(out); bad != std::string::npos; bad = find_bad_utf8(out)) out[bad] = '?';
  if (text.size() > kLongest) out += "...";
  return out;
}

}  // namespace hadar
