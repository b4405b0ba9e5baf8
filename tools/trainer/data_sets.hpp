// The three real data sets and their fixed splits into a training and a validation part.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "messages/types/result.hpp"
#include "tools/trainer/csv.hpp"

namespace hadar::trainer {

// Rows are samples; row-major, so that a batch is gathered row by row.
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Rows whose index modulo this is kValidationRest belong to the validation part (images and ratings).
inline constexpr std::size_t kValidationEvery = 5;
inline constexpr std::size_t kValidationRest = 4;

inline constexpr int kDigitPixels = 64;
inline constexpr int kDigitClasses = 10;
inline constexpr int kWindStations = 12;
inline constexpr int kWindDaysIn = 7;

// Images of 8×8 grey pixels, scaled to 0..1, and their classes 0..9.
struct DigitsPart {
  Matrix pixels;
  std::vector<int> classes;
};
struct Digits {
  DigitsPart training;
  DigitsPart validation;
};

// Speeds at all stations on seven days in a row (oldest first) and on the day after. Every station is scaled to mean 0
// and variance 1 over the training days. The validation targets are the last fifth of the days; no training row sees
// them.
struct WindPart {
  Matrix week;
  Matrix next_day;
};
struct Wind {
  WindPart training;
  WindPart validation;
};

// Ratings 1..5 that students gave to lecturers; both numbered from 0 without gaps.
struct RatingsPart {
  std::vector<std::uint32_t> users;
  std::vector<std::uint32_t> items;
  std::vector<float> ratings;
};
struct Ratings {
  std::uint32_t users = 0;
  std::uint32_t items = 0;
  RatingsPart training;
  RatingsPart validation;
};

// The folder of the data files: $HADAR_DATA, or ~/.cache/hadar/data. kInvalidArgument when neither is known.
Result<std::filesystem::path> data_folder();

// Split a table as described above. kCorrupt: values out of range, or too few rows to split.
Result<Digits> split_digits(const Table& table);    // 64 pixels 0..16, then the class
Result<Wind> split_wind(const Table& table);        // year, month, day, then 12 stations
Result<Ratings> split_ratings(const Table& table);  // student, lecturer, four facts, rating

// Read digits.csv, wind.csv, insteval.csv in `folder`. Errors of read_csv and of the splits.
Result<Digits> load_digits(const std::filesystem::path& folder);
Result<Wind> load_wind(const std::filesystem::path& folder);
Result<Ratings> load_ratings(const std::filesystem::path& folder);

}  // namespace hadar::trainer
