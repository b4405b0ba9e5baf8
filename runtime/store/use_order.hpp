// Which of a cache's entries was used longest ago. Internal to this room.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace hadar {

class UseOrder {
 public:
  void use(const std::string& name, std::uint64_t bytes);
  void forget(const std::string& name);

  // The entry to give up so that the rest comes closer to `max_bytes`; none when it fits or only one is left.
  [[nodiscard]] std::optional<std::string> to_drop(std::uint64_t max_bytes) const;

 private:
  struct Entry {
    std::uint64_t bytes = 0;
    std::uint64_t last_use = 0;
  };

  std::map<std::string, Entry> entries_;
  std::map<std::uint64_t, std::string> by_use_;  // last use to name
  std::uint64_t bytes_ = 0;
  std::uint64_t uses_ = 0;
};

}  // namespace hadar
