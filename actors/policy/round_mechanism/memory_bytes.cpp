#include "actors/policy/round_mechanism/memory_bytes.hpp"

#include <bit>

namespace hadar {
namespace {

constexpr std::uint8_t kMore = 0x80;
constexpr std::uint8_t kReal = 1;  // before the eight bytes of a number that is not plain 0

}  // namespace

void MemoryWriter::number(std::uint64_t value) {
  for (; value >= kMore; value >>= 7U) bytes_.push_back(static_cast<char>((value & 0x7fU) | kMore));
  bytes_.push_back(static_cast<char>(value));
}

void MemoryWriter::real(double value) {
  auto bits = std::bit_cast<std::uint64_t>(value);
  if (bits == 0) return bytes_.push_back('\0');
  char bytes[9] = {static_cast<char>(kReal)};
  for (int i = 1; i < 9; ++i, bits >>= 8U) bytes[i] = static_cast<char>(bits & 0xffU);
  bytes_.append(bytes, sizeof bytes);
}

void MemoryWriter::text(std::string_view value) {
  number(value.size());
  bytes_ += value;
}

MemoryReader::MemoryReader(std::string_view bytes, std::string_view header) : bytes_(bytes) {
  good_ = bytes_.starts_with(header);
  if (good_) bytes_.remove_prefix(header.size());
}

std::uint8_t MemoryReader::byte() {
  if (!good_ || bytes_.empty()) {
    good_ = false;
    return 0;
  }
  const auto value = static_cast<std::uint8_t>(bytes_.front());
  bytes_.remove_prefix(1);
  return value;
}

std::uint64_t MemoryReader::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto part = byte();
    value |= static_cast<std::uint64_t>(part & 0x7fU) << shift;
    if ((part & kMore) == 0) return good_ ? value : 0;
  }
  good_ = false;
  return 0;
}

std::size_t MemoryReader::count() {
  const auto value = number();
  if (value > bytes_.size()) good_ = false;
  return good_ ? static_cast<std::size_t>(value) : 0;
}

double MemoryReader::real() {
  const auto mark = byte();
  if (mark == 0) return 0;
  if (mark != kReal || bytes_.size() < 8) good_ = false;
  if (!good_) return 0;
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < 8; ++i) bits |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(bytes_[i])) << (8 * i);
  bytes_.remove_prefix(8);
  return std::bit_cast<double>(bits);
}

std::string MemoryReader::text() {
  const auto length = count();
  std::string value(bytes_.substr(0, length));
  bytes_.remove_prefix(length);
  return value;
}

bool MemoryReader::flag() {
  return byte() != 0;
}

}  // namespace hadar
