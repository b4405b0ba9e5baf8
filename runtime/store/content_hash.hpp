// XXH3-128 over bytes that come in pieces. Internal to this room.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace hadar {

class ContentHash {
 public:
  ContentHash();
  ContentHash(ContentHash&&) noexcept;
  ContentHash& operator=(ContentHash&&) noexcept;
  ~ContentHash();

  void add(std::span<const std::byte> bytes);
  // 32 lower-case hex digits of everything added so far.
  [[nodiscard]] std::string text() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

// Whether `text` is 32 lower-case hex digits: only then may it become a file name.
bool is_content_hash(std::string_view text);

}  // namespace hadar
