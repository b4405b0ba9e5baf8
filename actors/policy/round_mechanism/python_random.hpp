// Python's random.Random for integer seeds, as far as its public definition matters here.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace hadar {

// Draws what `random.Random(seed)` of CPython 3 draws: MT19937 seeded by key (Matsumoto and Nishimura's init_by_array
// with the seed's 32-bit words), `getrandbits` as the upper bits, `shuffle` by rejection sampling from the last place
// down.
class PythonRandom {
 public:
  explicit PythonRandom(std::uint64_t seed);

  // The next 32 bits.
  [[nodiscard]] std::uint32_t next();
  // Uniform in [0, n), n > 0.
  [[nodiscard]] std::uint32_t below(std::uint32_t n);

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (auto i = static_cast<std::uint32_t>(items.size()); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  static constexpr std::size_t kWords = 624;
  void start(std::uint32_t seed);
  void twist();

  std::array<std::uint32_t, kWords> words_{};
  std::size_t at_ = kWords;
};

}  // namespace hadar
