#include "tests/support/source.hpp"

#include <cmath>

namespace hadar::testing {
namespace {

const std::vector<std::string_view> kNamePieces{"a", "n", "Z", "7", "-", "_", ".", " ", "\"", "\\", "é", "→", "😀"};
const std::vector<std::string_view> kTextPieces{"x",  "word ", "\n", "\t", "\x01", "\"",
                                                "\\", "/",     "ü",  "€",  "𝄞",    "\x7f"};

}  // namespace

double Source::not_negative() {
  return std::fabs(real());
}

double Source::positive() {
  const double value = not_negative();
  return value == 0 ? 1 : value;
}

std::string Source::pieces(const std::vector<std::string_view>& alphabet, std::uint64_t length) {
  std::string text;
  for (; length > 0; --length) text += alphabet[number(0, alphabet.size() - 1)];
  return text;
}

std::string Source::name() {
  return pieces(kNamePieces, number(1, 12));
}

std::string Source::optional_name() {
  return pieces(kNamePieces, number(0, 6));
}

std::string Source::text() {
  return pieces(kTextPieces, number(0, 12));
}

std::string Source::bytes() {
  std::string bytes(number(0, 20), '\0');
  for (char& c : bytes) c = static_cast<char>(number(0, 255));
  return bytes;
}

std::string Source::hash() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hash(32, '0');
  for (char& c : hash) c = kDigits[number(0, 15)];
  return hash;
}

std::vector<std::string> Source::names() {
  std::vector<std::string> names(count());
  for (auto& one : names) one = name();
  return names;
}

std::vector<std::string> Source::texts() {
  std::vector<std::string> texts(count());
  for (auto& one : texts) one = text();
  return texts;
}

std::vector<std::uint32_t> Source::rising() {
  std::vector<std::uint32_t> values{number32(0, 9)};
  for (std::uint32_t i = count(); i > 0; --i) values.push_back(values.back() + number32(1, 9));
  return values;
}

std::uint64_t CountingSource::number(std::uint64_t low, std::uint64_t high) {
  ++next_;
  const std::uint64_t values = high - low + 1;  // 0 = all 2^64
  return low + (values == 0 ? next_ : next_ % values);
}

double CountingSource::real() {
  ++next_;
  return static_cast<double>(next_) + 0.1;
}

}  // namespace hadar::testing
