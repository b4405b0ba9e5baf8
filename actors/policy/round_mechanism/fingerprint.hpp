// A number that differs when what it was made from differs.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

namespace hadar {

// FNV-1a over everything added; never 0. Not for anything an adversary chooses.
class Fingerprint {
 public:
  void add(std::uint64_t number) {
    for (unsigned i = 0; i < 8; ++i) mix(static_cast<std::uint8_t>(number >> (8 * i)));
  }
  void add(std::string_view text) {
    for (const auto character : text) mix(static_cast<std::uint8_t>(character));
    mix(0xff);
  }
  // Equal for numbers that differ by much less than a hundredth: measured speeds move a little all the time.
  void add_roughly(double value) {
    add(value > 0 ? static_cast<std::uint64_t>(std::llround(std::log(value) * 100) + (1LL << 40)) : std::uint64_t{0});
  }

  [[nodiscard]] std::uint64_t value() const { return hash_ == 0 ? 1 : hash_; }

 private:
  void mix(std::uint8_t byte) { hash_ = (hash_ ^ byte) * 1099511628211ULL; }

  std::uint64_t hash_ = 14695981039346656037ULL;
};

}  // namespace hadar
