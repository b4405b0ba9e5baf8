#include "tools/cli/output_file.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace hadar::cli {
namespace {

namespace fs = std::filesystem;

class Output : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("output-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string at(const char* name) const { return (folder_ / name).string(); }
  static std::string read(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_;
};

TEST_F(Output, AppearsWholeOrNotAtAll) {
  std::ofstream(at("a")) << "before";
  ASSERT_EQ(chmod(at("a").c_str(), 0640), 0);
  {
    auto out = OutputFile::open(at("a")).value();
    ASSERT_TRUE(out.write("half"));
    EXPECT_EQ(read(out.written_at()), "half");
    EXPECT_EQ(read(at("a")), "before");
  }
  EXPECT_EQ(read(at("a")), "before");
  EXPECT_EQ(files(), 1) << "what was not committed is gone";
  ASSERT_TRUE(write_text(at("a"), "after"));
  EXPECT_EQ(read(at("a")), "after");
  EXPECT_EQ(fs::status(at("a")).permissions(), fs::perms(0640)) << "who may read it stays";
  EXPECT_EQ(files(), 1);
}

TEST_F(Output, GoesThroughSymbolicLinks) {
  std::ofstream(at("file")) << "before";
  fs::create_symlink("file", at("near"));
  fs::create_symlink(at("near"), at("far"));
  ASSERT_TRUE(write_text(at("far"), "after"));
  EXPECT_EQ(read(at("file")), "after");
  fs::create_symlink("not-yet", at("dangling"));
  ASSERT_TRUE(write_text(at("dangling"), "new"));
  EXPECT_EQ(read(at("not-yet")), "new");
  for (const auto* link : {"near", "far", "dangling"}) EXPECT_TRUE(fs::is_symlink(at(link))) << link;
  fs::create_symlink("circle", at("circle"));
  EXPECT_EQ(write_text(at("circle"), "x").error().code, ErrorCode::kIo);
}

TEST_F(Output, WritesToWhatIsNoRegularFileAndLeavesItWhatItIs) {
  ASSERT_TRUE(write_text("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  fs::create_symlink("/dev/full", at("full"));
  for (const auto& full : {std::string("/dev/full"), at("full")}) {
    const auto refused = write_text(full, "x");
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::kIo);
    EXPECT_THAT(refused.error().message, testing::AllOf(testing::HasSubstr(full), testing::HasSubstr("No space")));
  }
  EXPECT_TRUE(fs::is_symlink(at("full")));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));

  ASSERT_EQ(mkfifo(at("fifo").c_str(), 0600), 0);
  const int reader = open(at("fifo").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  ASSERT_TRUE(write_text(at("fifo"), "through"));
  char got[16] = {};
  EXPECT_EQ(::read(reader, got, sizeof got), 7);
  EXPECT_STREQ(got, "through");
  close(reader);
  EXPECT_TRUE(fs::is_fifo(at("fifo")));
}

TEST_F(Output, NamesOfOpenFilesAreWrittenTo) {
  const int file = open(at("kept").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(file, 0);
  struct stat before = {};
  struct stat after = {};
  ASSERT_EQ(fstat(file, &before), 0);
  ASSERT_TRUE(write_text("/dev/fd/" + std::to_string(file), "x"));
  ASSERT_EQ(stat(at("kept").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino) << "whoever has it open goes on with the same file";
  EXPECT_EQ(read(at("kept")), "x");
  close(file);
}

TEST_F(Output, SaysWhereItCannotWrite) {
  for (const auto& target : {folder_.string(), folder_.string() + "/", at("no") + "/such", at("x/")}) {
    const auto refused = write_text(target, "x");
    ASSERT_FALSE(refused.has_value()) << target;
    EXPECT_EQ(refused.error().code, ErrorCode::kIo);
    EXPECT_THAT(refused.error().message, testing::StartsWith(target + ": "));
    EXPECT_FALSE(check_writable(target).has_value()) << target;
  }
  EXPECT_EQ(files(), 0);
  for (const auto& target : {at("new"), std::string("-"), std::string("/dev/null"), std::string()})
    EXPECT_TRUE(check_writable(target).has_value()) << target;
  EXPECT_EQ(files(), 0) << "looking leaves nothing";
}

TEST_F(Output, NeverReplacesWhatTheCommandReads) {
  std::ofstream(at("in")) << "data";
  fs::create_symlink(at("in"), at("link"));
  fs::create_hard_link(at("in"), at("hard"));
  for (const auto& name : {at("in"), at("link"), at("hard"), (folder_ / "." / "in").string()}) {
    const auto apart = check_apart({name}, {at("other"), at("in")});
    ASSERT_FALSE(apart) << name;
    EXPECT_EQ(apart.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(apart.error().message, testing::HasSubstr(name));
  }
  EXPECT_TRUE(check_apart({at("new"), ""}, {at("in"), "", "-"}));
}

TEST_F(Output, KeepsTwoOutputsApartHoweverTheyAreSpelled) {
  const auto here = fs::current_path();
  fs::current_path(folder_);
  fs::create_directory("sub");
  fs::create_symlink("new", "link");
  const std::vector<std::string> spellings{"new", "./new", "sub/../new", ".//new", "link", "sub/../link", at("new")};
  for (const auto& one : spellings)
    for (const auto& other : spellings) {
      EXPECT_FALSE(check_apart({one, other}, {})) << one << " and " << other;
      EXPECT_FALSE(check_apart({one}, {other})) << one << " and " << other;
    }
  EXPECT_TRUE(check_apart({"new", "sub/new", "other"}, {"./in"}));
  fs::current_path(here);
}

TEST_F(Output, KeepsTwoOutputsApart) {
  EXPECT_FALSE(check_apart({at("new"), (folder_ / "." / "new").string()}, {})) << "not there yet";
  EXPECT_FALSE(check_apart({"-", "-"}, {}));
  EXPECT_TRUE(check_apart({"-", at("new"), ""}, {"-"}));
  EXPECT_TRUE(check_apart({"/dev/null", "/dev/null"}, {"/dev/null"}));
}

}  // namespace
}  // namespace hadar::cli
