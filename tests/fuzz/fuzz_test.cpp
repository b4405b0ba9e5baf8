// Twenty thousand damaged frames and lines, the same in every run. The fuzzer proper is run by tests/fuzz/run-fuzz.
#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>

#include "tests/fuzz/targets.hpp"

namespace hadar::fuzz {
namespace {

// SplitMix64.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t end) {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % end;
  }

 private:
  std::uint64_t state_;
};

void damage_once(std::vector<std::byte>& bytes, Dice& dice) {
  if (bytes.empty()) return bytes.push_back(std::byte{0});
  const auto at = dice.below(bytes.size());
  const auto word = bytes.begin() + static_cast<std::ptrdiff_t>(at / 8 * 8);
  const auto word_end = word + std::min<std::ptrdiff_t>(8, bytes.end() - word);
  switch (dice.below(7)) {
    case 0: bytes[at] ^= std::byte{1} << dice.below(8); break;
    case 1: bytes[at] = static_cast<std::byte>(dice.below(256)); break;
    case 2: std::fill(word, word_end, std::byte{0xff}); break;
    case 3: std::fill(word, word_end, std::byte{0}); break;
    case 4: bytes.resize(at); break;
    case 5: bytes.insert(word_end, word, word_end); break;
    case 6:
      std::copy(
          word, word_end,
          bytes.begin() + static_cast<std::ptrdiff_t>(dice.below(bytes.size() / 8 + 1) * 8 %
                                                      (bytes.size() - static_cast<std::size_t>(word_end - word) + 1)));
      break;
  }
}

TEST(Fuzz, TakesItsOwnSeeds) {
  for (const auto& target : targets()) target.read(target.seed());
}

TEST(Fuzz, SurvivesTwentyThousandDamagedInputs) {
  Dice dice(2024);
  const auto all = targets();
  for (int run = 0; run < 20'000; ++run) {
    const auto& target = all[static_cast<std::size_t>(run) % all.size()];
    auto bytes = target.seed();
    for (auto times = dice.below(4) + 1; times > 0; --times) damage_once(bytes, dice);
    target.read(bytes);
    all[dice.below(all.size())].read(bytes);
  }
}

TEST(Fuzz, SurvivesNoise) {
  Dice dice(7);
  for (int run = 0; run < 2'000; ++run) {
    std::vector<std::byte> bytes(dice.below(40) * 8);
    for (auto& byte : bytes) byte = static_cast<std::byte>(dice.below(dice.below(2) == 0 ? 4 : 256));
    for (const auto& target : targets()) target.read(bytes);
  }
}

}  // namespace
}  // namespace hadar::fuzz
