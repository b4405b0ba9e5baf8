// Where the fields of made-up messages get their values from. All values keep the rules of the types.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hadar::testing {

inline constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint32_t kMax32 = std::numeric_limits<std::uint32_t>::max();

class Source {
 public:
  virtual ~Source() = default;

  // Both ends included.
  virtual std::uint64_t number(std::uint64_t low, std::uint64_t high) = 0;
  virtual double real() = 0;          // finite
  virtual std::uint32_t count() = 0;  // of a list's entries

  std::uint32_t number32(std::uint32_t low, std::uint32_t high) {
    return static_cast<std::uint32_t>(number(low, high));
  }
  bool flag() { return number(0, 1) == 1; }
  double not_negative();
  double positive();
  std::string name();           // not empty, no control characters
  std::string optional_name();  // the same, or empty
  std::string text();           // UTF-8 of any kind
  std::string bytes();          // any bytes
  std::string hash();
  std::vector<std::string> names();
  std::vector<std::string> texts();
  std::vector<std::uint32_t> rising();  // not empty, below 65536

  // Names to values that `value_of()` gives.
  template <class ValueOf>
  auto map(ValueOf value_of) {
    std::map<std::string, decltype(value_of())> values;
    for (std::uint32_t i = count(); i > 0; --i) values[name()] = value_of();
    return values;
  }

 private:
  std::string pieces(const std::vector<std::string_view>& alphabet, std::uint64_t length);
};

// Every value differs from the one before, and the same values come in every run.
class CountingSource final : public Source {
 public:
  std::uint64_t number(std::uint64_t low, std::uint64_t high) override;
  double real() override;
  std::uint32_t count() override { return 2; }

 private:
  std::uint64_t next_ = 0;
};

}  // namespace hadar::testing
