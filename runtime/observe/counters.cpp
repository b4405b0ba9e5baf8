#include "runtime/observe/counters.hpp"

#include <limits>

namespace hadar {

void Counters::add(std::string_view name, std::uint64_t n) {
  const std::lock_guard lock(mutex_);
  const auto found = values_.find(name);
  auto& value = found != values_.end() ? found->second : values_[std::string(name)];
  const auto room = std::numeric_limits<std::uint64_t>::max() - value;
  value += n < room ? n : room;
}

void Counters::set(std::string_view name, std::uint64_t value) {
  const std::lock_guard lock(mutex_);
  values_.insert_or_assign(std::string(name), value);
}

std::uint64_t Counters::get(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = values_.find(name);
  return found == values_.end() ? 0 : found->second;
}

std::map<std::string, std::uint64_t> Counters::snapshot() const {
  const std::lock_guard lock(mutex_);
  return {values_.begin(), values_.end()};
}

}  // namespace hadar
