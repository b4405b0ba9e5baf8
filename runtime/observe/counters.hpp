// Named counts of one process, as `hadar doctor` shows them.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace hadar {

// Thread-safe. A name appears with its first use; names are snake_case plurals: "frames_refused".
class Counters {
 public:
  // Stays at the largest value instead of wrapping round.
  void add(std::string_view name, std::uint64_t n = 1);

  // For values that also fall, such as queue lengths.
  void set(std::string_view name, std::uint64_t value);

  // 0 for a name never used.
  [[nodiscard]] std::uint64_t get(std::string_view name) const;

  [[nodiscard]] std::map<std::string, std::uint64_t> snapshot() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t, std::less<>> values_;
};

}  // namespace hadar
