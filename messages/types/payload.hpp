// Bytes that travel beside a message without being copied.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace hadar {

// A read-only view of bytes together with whatever keeps them alive (a vector, a mapped file, a received frame).
// Copies share the owner; safe to hand between threads since the bytes never change.
class Payload {
 public:
  Payload() = default;
  Payload(std::shared_ptr<const void> owner, std::span<const std::byte> bytes)
      : owner_(std::move(owner)), bytes_(bytes) {}
  explicit Payload(std::vector<std::byte> bytes) {
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    bytes_ = *owner;
    owner_ = std::move(owner);
  }

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  [[nodiscard]] const std::shared_ptr<const void>& owner() const { return owner_; }

  friend bool operator==(const Payload& a, const Payload& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.bytes_.data(), b.bytes_.data(), a.size()) == 0);
  }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
};

}  // namespace hadar
