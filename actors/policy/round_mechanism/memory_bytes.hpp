// Numbers to bytes and back, for what a policy keeps in RoundPlan::memory: compact, exact, the same on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hadar {

class MemoryWriter {
 public:
  explicit MemoryWriter(std::string_view header) : bytes_(header) {}

  // Seven bits a byte, lowest first.
  void number(std::uint64_t value);
  // All 64 bits; a plain 0 takes one byte.
  void real(double value);
  void text(std::string_view value);
  void flag(bool value) { bytes_.push_back(value ? '\1' : '\0'); }

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads what a MemoryWriter wrote; once something does not fit, everything reads as 0 and `good` stays false.
class MemoryReader {
 public:
  MemoryReader(std::string_view bytes, std::string_view header);

  [[nodiscard]] std::uint64_t number();
  // A number that says how many entries follow; not good when more than bytes are left.
  [[nodiscard]] std::size_t count();
  [[nodiscard]] double real();
  [[nodiscard]] std::string text();
  [[nodiscard]] bool flag();

  [[nodiscard]] bool good() const { return good_; }
  // Good, and nothing is left.
  [[nodiscard]] bool done() const { return good_ && bytes_.empty(); }

 private:
  std::uint8_t byte();

  std::string_view bytes_;
  bool good_ = true;
};

}  // namespace hadar
