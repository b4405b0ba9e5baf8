#include "runtime/store/file_io.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/unit/store/child_process.hpp"
#include "tests/unit/store/temp_folder.hpp"

namespace hadar {
namespace {

using ::testing::HasSubstr;

TEST(FileIo, ReadsBackWhatItWrote) {
  const TempFolder folder;
  const auto text = pattern(100'000);
  ASSERT_TRUE(write_file_atomic(folder / "a", text));
  EXPECT_EQ(read_file(folder / "a").value(), text);
  ASSERT_TRUE(write_file_atomic(folder / "a", std::string_view("short")));
  EXPECT_EQ(read_file(folder / "a").value(), "short");
  EXPECT_EQ(files_under(folder.path()), 1u);
}

TEST(FileIo, SaysWhatIsMissingOrTooLarge) {
  const TempFolder folder;
  const auto missing = read_file(folder / "none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("none"));

  write_text(folder / "big", std::string(11, 'x'));
  const auto big = read_file(folder / "big", 10);
  ASSERT_FALSE(big);
  EXPECT_EQ(big.error().code, ErrorCode::kIo);

  const auto is_folder = read_file(folder.path());
  ASSERT_FALSE(is_folder);
  EXPECT_EQ(is_folder.error().code, ErrorCode::kIo);
}

TEST(FileIo, LeavesTheOldFileWhenWritingFails) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "taken");
  write_text(folder / "taken/inside", "x");
  const auto failed = write_file_atomic(folder / "taken", std::string_view("new"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kIo);
  EXPECT_THAT(failed.error().message, HasSubstr("taken"));
  EXPECT_EQ(files_under(folder.path()), 1u) << "a temporary file was left behind";
}

TEST(FileIo, RemovesOnlyTemporaries) {
  const TempFolder folder;
  write_text(folder / ".plan.tmp-1-0", "half");
  write_text(folder / "plan", "whole");
  write_text(folder / ".hidden", "whole");
  EXPECT_EQ(remove_temporaries(folder.path()), 1u);
  EXPECT_EQ(files_under(folder.path()), 2u);
}

TEST(FileLock, HoldsAgainstASecondTakerAndEndsWithItsOwner) {
  const TempFolder folder;
  auto first = take_lock(folder / "state/lock");
  ASSERT_TRUE(first);
  const auto second = take_lock(folder / "state/lock");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kAlreadyExists);
  EXPECT_THAT(second.error().message, HasSubstr("in use by pid " + std::to_string(::getpid())));
  first->reset();
  EXPECT_TRUE(take_lock(folder / "state/lock"));
}

TEST(FileLock, NamesTheProcessThatHoldsItAndIsFreeAfterItsDeath) {
  const TempFolder folder;
  ChildProcess child([&](int news) {
    const auto lock = take_lock(folder / "lock");
    tell(news, 'x');
    for (;;) ::pause();
    return 0;
  });
  char byte = 0;
  ASSERT_TRUE(child.read(byte));
  const auto refused = take_lock(folder / "lock");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("in use by pid " + std::to_string(child.pid())));
  child.kill();
  EXPECT_TRUE(take_lock(folder / "lock"));
}

}  // namespace
}  // namespace hadar
