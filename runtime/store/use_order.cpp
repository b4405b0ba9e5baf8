#include "runtime/store/use_order.hpp"

namespace hadar {

void UseOrder::use(const std::string& name, std::uint64_t bytes) {
  forget(name);
  entries_[name] = {bytes, ++uses_};
  by_use_[uses_] = name;
  bytes_ += bytes;
}

void UseOrder::forget(const std::string& name) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return;
  bytes_ -= found->second.bytes;
  by_use_.erase(found->second.last_use);
  entries_.erase(found);
}

std::optional<std::string> UseOrder::to_drop(std::uint64_t max_bytes) const {
  if (bytes_ <= max_bytes || entries_.size() < 2) return std::nullopt;
  return by_use_.begin()->second;
}

}  // namespace hadar
