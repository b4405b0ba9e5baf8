// The data sets' splits are exact, and bad files are named.
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tools/trainer_fixtures.hpp"
#include "tools/trainer/data_sets.hpp"

namespace hadar::trainer {
namespace {

using ::testing::HasSubstr;

std::filesystem::path real_folder() {
  return data_folder().value();
}

TEST(TrainerData, DigitsHoldOutEveryFifthRow) {
  const auto table = read_csv(real_folder() / "digits.csv", 65, false).value();
  const Digits digits = split_digits(table).value();
  ASSERT_EQ(table.rows(), 1797U);
  ASSERT_EQ(digits.training.pixels.rows(), 1438);
  ASSERT_EQ(digits.validation.pixels.rows(), 359);
  for (std::size_t i = 0; i < 359; ++i) {
    EXPECT_EQ(digits.validation.classes[i], static_cast<int>(table.at(5 * i + 4, 64)));
    EXPECT_EQ(digits.validation.pixels(static_cast<Eigen::Index>(i), 20), table.at(5 * i + 4, 20) / 16);
  }
  EXPECT_EQ(digits.training.classes[4], static_cast<int>(table.at(5, 64)));
  EXPECT_GE(digits.training.pixels.minCoeff(), 0);
  EXPECT_LE(digits.training.pixels.maxCoeff(), 1);
}

TEST(TrainerData, WindValidatesOnTheLastFifthOfTheDays) {
  const Wind wind = load_wind(real_folder()).value();
  EXPECT_EQ(wind.training.week.rows(), 6574 - 1314 - 7);
  EXPECT_EQ(wind.validation.week.rows(), 1314);
  EXPECT_EQ(wind.training.week.cols(), 84);
}

// Every station's speed is the day's number, so a sample shows which days it is made of.
Table counted_days(std::size_t days) {
  Table table{15, {}};
  for (std::size_t day = 0; day < days; ++day)
    for (std::size_t column = 0; column < 15; ++column) table.cells.push_back(static_cast<float>(day));
  return table;
}

TEST(TrainerData, WindWindowsAreSevenDaysAndTheNext) {
  const Wind wind = split_wind(counted_days(100)).value();
  const float mean = 39.5F;  // of the training days 0..79
  const float deviation = std::sqrt((80.0F * 80.0F - 1) / 12);
  const auto day_of = [&](float scaled) { return std::lround(scaled * deviation + mean); };
  ASSERT_EQ(wind.training.week.rows(), 73);
  ASSERT_EQ(wind.validation.week.rows(), 20);
  for (Eigen::Index i = 0; i < 20; ++i) {
    EXPECT_EQ(day_of(wind.validation.next_day(i, 11)), 80 + i);
    for (int back = 0; back < 7; ++back) EXPECT_EQ(day_of(wind.validation.week(i, back * 12 + 5)), 80 + i - 7 + back);
  }
  EXPECT_EQ(day_of(wind.training.next_day(0, 0)), 7);
  EXPECT_EQ(day_of(wind.training.next_day(72, 0)), 79) << "no validation day is trained on";
}

TEST(TrainerData, RatingsHoldOutEveryFifthRowAndNumberWithoutGaps) {
  const auto table = read_csv(real_folder() / "insteval.csv", 7, true).value();
  const Ratings ratings = split_ratings(table).value();
  EXPECT_EQ(ratings.users, 2972U);
  EXPECT_EQ(ratings.items, 1128U);
  ASSERT_EQ(ratings.validation.ratings.size(), 73421U / 5);
  ASSERT_EQ(ratings.training.ratings.size(), 73421U - 73421U / 5);
  for (std::size_t i = 0; i < ratings.validation.ratings.size(); ++i)
    ASSERT_EQ(ratings.validation.ratings[i], table.at(5 * i + 4, 6));
  EXPECT_EQ(*std::max_element(ratings.training.items.begin(), ratings.training.items.end()), 1127U);
}

TEST(TrainerData, ABadLineIsNamedByFileAndNumber) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "t.csv") << "a,b\n1,2\n3,x\n";
  const auto table = read_csv(folder.path() / "t.csv", 2, true);
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(table.error().message, HasSubstr("t.csv:3: not 2 comma-separated numbers"));
}

TEST(TrainerData, TooFewAndTooManyColumnsAreRefused) {
  const TemporaryFolder folder;
  for (const char* text : {"1\n", "1,2,3\n", "1,2,\n", "\n"}) {
    std::ofstream(folder.path() / "t.csv") << text;
    EXPECT_FALSE(read_csv(folder.path() / "t.csv", 2, false)) << text;
  }
}

TEST(TrainerData, AMissingFileSaysHowToGetIt) {
  const TemporaryFolder folder;
  const auto task = make_task("weather", folder.path());
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(task.error().message, HasSubstr("wind.csv: no such data file; run launchers/prepare-data"));
}

TEST(TrainerData, AClassThatIsNoDigitIsRefused) {
  Table table{65, std::vector<float>(65 * 10, 0.0F)};
  table.cells[65 * 3 + 64] = 10;
  const auto digits = split_digits(table);
  ASSERT_FALSE(digits);
  EXPECT_THAT(digits.error().message, HasSubstr("row 4"));
}

TEST(TrainerData, TooFewRowsAreRefused) {
  EXPECT_FALSE(split_digits(Table{65, {}}));
  EXPECT_FALSE(split_wind(counted_days(8)));
  EXPECT_FALSE(split_ratings(Table{7, std::vector<float>(7 * 3, 1.0F)}));
}

TEST(TrainerData, AnUnknownWorkloadNamesTheKnownOnes) {
  const auto task = make_task("video", real_folder());
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(task.error().message, HasSubstr("'video' is unknown; choose image, weather, recommendation or sleep"));
}

}  // namespace
}  // namespace hadar::trainer
