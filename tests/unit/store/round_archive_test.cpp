#include "runtime/store/round_archive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/store/temp_folder.hpp"

namespace hadar {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

RoundRecord record_of(std::uint64_t round, bool early = false) {
  const auto text = std::to_string(round) + (early ? "early" : "");
  return {RoundId{round}, early, "hadare", bytes_of("input " + text), bytes_of("plan " + text)};
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  const auto files = round_files(folder).value();
  for (const auto& file : files) names.push_back(file.filename().string());
  return names;
}

TEST(RoundArchive, GivesBackTheSameBytes) {
  const TempFolder folder;
  const auto archive = RoundArchive::open(folder / "rounds").value();
  ASSERT_TRUE(archive->save(record_of(12)));
  ASSERT_TRUE(archive->save({RoundId{13}, true, "", {}, bytes_of(pattern(70'000))}));
  EXPECT_EQ(read_round(find_round(folder / "rounds", "12").value()).value(), record_of(12));
  EXPECT_EQ(read_round(folder / "rounds/000013.1.round").value(),
            (RoundRecord{RoundId{13}, true, "", {}, bytes_of(pattern(70'000))}));
}

TEST(RoundArchive, KeepsTheLatestRounds) {
  const TempFolder folder;
  const auto archive = RoundArchive::open(folder.path(), 3).value();
  for (const auto round : {7, 8, 9, 10, 11}) ASSERT_TRUE(archive->save(record_of(static_cast<std::uint64_t>(round))));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("000009.round", "000010.round", "000011.round"));
}

TEST(RoundArchive, KeepsEarlyReplansBesideTheirRoundAndBounded) {
  const TempFolder folder;
  const auto archive = RoundArchive::open(folder.path(), 2).value();
  ASSERT_TRUE(archive->save(record_of(1)));
  for (std::size_t i = 0; i < RoundArchive::kEarlyPlans + 2; ++i) ASSERT_TRUE(archive->save(record_of(1, true)));
  EXPECT_EQ(files_under(folder.path()), 1 + RoundArchive::kEarlyPlans);
  EXPECT_EQ(read_round(find_round(folder.path(), "1.10").value()).value(), record_of(1, true));
  EXPECT_FALSE(find_round(folder.path(), "1.2"));
  ASSERT_TRUE(archive->save(record_of(2)));
  ASSERT_TRUE(archive->save(record_of(3)));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("000002.round", "000003.round"));
}

TEST(RoundArchive, TakesUpAnOlderFolderAndClearsTemporaries) {
  const TempFolder folder;
  ASSERT_TRUE(RoundArchive::open(folder.path()).value()->save(record_of(5)));
  write_text(folder / ".000006.round.tmp-9-0", "half");
  write_text(folder / "notes.txt", "the operator's own");
  const auto archive = RoundArchive::open(folder.path()).value();
  ASSERT_TRUE(archive->save(record_of(6)));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("000005.round", "000006.round"));
  EXPECT_EQ(files_under(folder.path()), 3u);
}

TEST(RoundArchive, KnowsWhatCanNeverNameARound) {
  const TempFolder folder;
  ASSERT_TRUE(RoundArchive::open(folder.path()).value()->save(record_of(5)));
  for (const auto* name : {"x", "-1", "5.", "5.x", "1e3", ""}) {
    const auto found = find_round(folder.path(), name);
    ASSERT_FALSE(found) << name;
    EXPECT_EQ(found.error().code, ErrorCode::kInvalidArgument) << name;
  }
}

TEST(RoundArchive, SaysWhichRoundsThereAre) {
  const TempFolder folder;
  const auto archive = RoundArchive::open(folder.path()).value();
  EXPECT_THAT(find_round(folder.path(), "4").error().message, HasSubstr("no rounds in"));
  ASSERT_TRUE(archive->save(record_of(5)));
  ASSERT_TRUE(archive->save(record_of(6)));
  const auto missing = find_round(folder.path(), "4");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("000005 to 000006"));
  EXPECT_EQ(find_round(folder / "none", "4").error().code, ErrorCode::kNotFound);
}

TEST(RoundArchive, NoticesEveryCutAndEveryFlippedByte) {
  const TempFolder folder;
  ASSERT_TRUE(RoundArchive::open(folder.path()).value()->save(record_of(5)));
  const auto file = folder / "000005.round";
  const auto size = fs::file_size(file);
  for (std::size_t at = 0; at < size; ++at) {
    flip_byte(file, at);
    const auto damaged = read_round(file);
    ASSERT_FALSE(damaged) << "byte " << at;
    EXPECT_EQ(damaged.error().code, ErrorCode::kCorrupt);
    flip_byte(file, at);
  }
  ASSERT_TRUE(read_round(file));
  for (auto length = size; length-- > 0;) {
    fs::resize_file(file, length);
    ASSERT_FALSE(read_round(file)) << "length " << length;
  }
}

}  // namespace
}  // namespace hadar
