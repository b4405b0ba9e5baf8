// The entry point libFuzzer calls: the first byte chooses the target, the others are what it reads.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto all = hadar::fuzz::targets();
  all[data[0] % all.size()].read({reinterpret_cast<const std::byte*>(data) + 1, size - 1});
  return 0;
}
