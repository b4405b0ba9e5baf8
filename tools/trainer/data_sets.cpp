#include "tools/trainer/data_sets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

namespace hadar::trainer {
namespace {

constexpr std::size_t kDigitColumns = kDigitPixels + 1;
constexpr std::size_t kWindDateColumns = 3;
constexpr std::size_t kWindColumns = kWindDateColumns + kWindStations;
constexpr std::size_t kRatingColumns = 7;

bool is_validation_row(std::size_t index) {
  return index % kValidationEvery == kValidationRest;
}

// Puts the file's name before an error of one of its splits.
template <class T>
Result<T> in_file(const std::filesystem::path& path, Result<T> result) {
  if (!result) result.error().message = path.string() + ": " + result.error().message;
  return result;
}

// Day by day, stations scaled with mean and deviation of the first `known_days` days.
Matrix scaled_days(const Table& table, Eigen::Index known_days) {
  const auto days = static_cast<Eigen::Index>(table.rows());
  Matrix speeds(days, kWindStations);
  for (Eigen::Index day = 0; day < days; ++day)
    for (int station = 0; station < kWindStations; ++station)
      speeds(day, station) =
          table.at(static_cast<std::size_t>(day), kWindDateColumns + static_cast<std::size_t>(station));
  const Eigen::RowVectorXf mean = speeds.topRows(known_days).colwise().mean();
  speeds.rowwise() -= mean;
  const Eigen::RowVectorXf variance = speeds.topRows(known_days).array().square().colwise().mean();
  speeds.array().rowwise() /= variance.array().sqrt().max(1e-6F);
  return speeds;
}

// Samples whose target is one of the days first .. last - 1.
WindPart windows(const Matrix& days, Eigen::Index first, Eigen::Index last) {
  WindPart part{Matrix(last - first, kWindDaysIn * kWindStations), days.middleRows(first, last - first)};
  for (Eigen::Index target = first; target < last; ++target)
    for (int back = 0; back < kWindDaysIn; ++back)
      part.week.block(target - first, back * kWindStations, 1, kWindStations) = days.row(target - kWindDaysIn + back);
  return part;
}

// Numbers the distinct values of a column from 0 in rising order.
std::vector<std::uint32_t> number_column(const Table& table, std::size_t column, std::uint32_t& distinct) {
  std::vector<float> values(table.rows());
  for (std::size_t row = 0; row < values.size(); ++row) values[row] = table.at(row, column);
  std::vector<float> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  distinct = static_cast<std::uint32_t>(sorted.size());
  std::vector<std::uint32_t> numbers(values.size());
  std::transform(values.begin(), values.end(), numbers.begin(), [&](float value) {
    return static_cast<std::uint32_t>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
  });
  return numbers;
}

}  // namespace

Result<std::filesystem::path> data_folder() {
  if (const char* folder = std::getenv("HADAR_DATA"); folder != nullptr && *folder != '\0') return folder;
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return std::filesystem::path(home) / ".cache/hadar/data";
  return fail(ErrorCode::kInvalidArgument, "data folder: neither HADAR_DATA nor HOME is set");
}

Result<Digits> split_digits(const Table& table) {
  const std::size_t rows = table.rows();
  if (rows < kValidationEvery) return fail(ErrorCode::kCorrupt, "too few rows to split; run launchers/prepare-data");
  const auto held_out = static_cast<Eigen::Index>(rows / kValidationEvery);
  Digits digits{{Matrix(static_cast<Eigen::Index>(rows) - held_out, kDigitPixels), {}},
                {Matrix(held_out, kDigitPixels), {}}};
  for (std::size_t row = 0; row < rows; ++row) {
    DigitsPart& part = is_validation_row(row) ? digits.validation : digits.training;
    const auto target = static_cast<Eigen::Index>(part.classes.size());
    for (int pixel = 0; pixel < kDigitPixels; ++pixel)
      part.pixels(target, pixel) = table.at(row, static_cast<std::size_t>(pixel)) / 16;
    const float label = table.at(row, kDigitPixels);
    if (!(label >= 0 && label < kDigitClasses) || label != std::floor(label))
      return fail(ErrorCode::kCorrupt, "row " + std::to_string(row + 1) + ": class " + std::to_string(label) +
                                           " is none of 0..9; delete the file and run launchers/prepare-data");
    part.classes.push_back(static_cast<int>(label));
  }
  return digits;
}

Result<Wind> split_wind(const Table& table) {
  const auto days = static_cast<Eigen::Index>(table.rows());
  const Eigen::Index training_days = days - days / 5;
  if (days / 5 == 0 || training_days <= kWindDaysIn)
    return fail(ErrorCode::kCorrupt, "too few days to split; run launchers/prepare-data");
  const Matrix scaled = scaled_days(table, training_days);
  return Wind{windows(scaled, kWindDaysIn, training_days), windows(scaled, training_days, days)};
}

Result<Ratings> split_ratings(const Table& table) {
  if (table.rows() < kValidationEvery)
    return fail(ErrorCode::kCorrupt, "too few rows to split; run launchers/prepare-data");
  Ratings ratings;
  const auto users = number_column(table, 0, ratings.users);
  const auto items = number_column(table, 1, ratings.items);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    RatingsPart& part = is_validation_row(row) ? ratings.validation : ratings.training;
    part.users.push_back(users[row]);
    part.items.push_back(items[row]);
    part.ratings.push_back(table.at(row, kRatingColumns - 1));
  }
  return ratings;
}

Result<Digits> load_digits(const std::filesystem::path& folder) {
  const auto path = folder / "digits.csv";
  auto table = read_csv(path, kDigitColumns, false);
  if (!table) return fail(std::move(table));
  return in_file(path, split_digits(*table));
}

Result<Wind> load_wind(const std::filesystem::path& folder) {
  const auto path = folder / "wind.csv";
  auto table = read_csv(path, kWindColumns, true);
  if (!table) return fail(std::move(table));
  return in_file(path, split_wind(*table));
}

Result<Ratings> load_ratings(const std::filesystem::path& folder) {
  const auto path = folder / "insteval.csv";
  auto table = read_csv(path, kRatingColumns, true);
  if (!table) return fail(std::move(table));
  return in_file(path, split_ratings(*table));
}

}  // namespace hadar::trainer
