// Everything that reads bytes from outside, by number, so that a fuzzer can try each.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace hadar::fuzz {

struct Target {
  std::string_view name;
  // Reads any bytes. What is taken must survive a round trip; aborts when it does not.
  void (*read)(std::span<const std::byte> bytes);
  // Bytes that are taken, to start from.
  std::vector<std::byte> (*seed)();
};

// The codecs of all messages, the envelope, an event line, a job's JSON, a trace of any form.
std::span<const Target> targets();

}  // namespace hadar::fuzz
