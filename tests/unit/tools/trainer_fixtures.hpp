// Small data sets and a scratch folder for the trainer's tests.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "tools/trainer/tasks.hpp"

namespace hadar::trainer {

// A new folder, removed with its owner.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "hadar-trainer-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// 90 images: class c lights the pixels 6c … 6c+5, over noise.
inline Digits small_digits() {
  Random random(3);
  Table table{65, {}};
  for (std::size_t row = 0; row < 90; ++row) {
    const std::size_t label = random.below(10);
    for (std::size_t pixel = 0; pixel < 64; ++pixel)
      table.cells.push_back((pixel / 6 == label ? 10.0F : 4.0F) + random.symmetric(4));
    table.cells.push_back(static_cast<float>(label));
  }
  return split_digits(table).value();
}

// 80 days whose speeds follow the day before, with noise.
inline Wind small_wind() {
  Random random(4);
  Table table{15, {}};
  float speed = 10;
  for (std::size_t day = 0; day < 80; ++day) {
    speed = 10 + 0.8F * (speed - 10) + random.symmetric(3);
    for (std::size_t column = 0; column < 15; ++column) table.cells.push_back(speed + random.symmetric(1));
  }
  return split_wind(table).value();
}

// 100 ratings of 5 items by 10 users; an item's number is its rating.
inline Ratings small_ratings() {
  Random random(5);
  Table table{7, {}};
  for (std::size_t row = 0; row < 100; ++row) {
    const auto item = static_cast<float>(random.below(5) + 1);
    for (const float cell : {static_cast<float>(row % 10 + 1), item, 2.0F, 2.0F, 0.0F, 1.0F, item})
      table.cells.push_back(cell);
  }
  return split_ratings(table).value();
}

}  // namespace hadar::trainer
