// Files that nobody meant as a trace, or that somebody broke.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tools/traces/samples.hpp"
#include "tools/traces/random.hpp"

namespace hadar::traces {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string error_of(const std::string& text, const LoadOptions& options = {}) {
  const auto loaded = parse_trace(text, "t", options);
  if (loaded) return "";
  EXPECT_EQ(loaded.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(loaded.error().message, Not(HasSubstr("\n")));
  EXPECT_LT(loaded.error().message.size(), 1500U);
  return loaded.error().message;
}

TEST(Hostile, EmptyAndUnknownFilesSaySo) {
  EXPECT_THAT(error_of(""), HasSubstr("t is empty"));
  EXPECT_THAT(error_of("\n \r\n\n"), HasSubstr("t is empty"));
  EXPECT_THAT(error_of("hello world\n1,2\n"), HasSubstr("no known form of trace begins with 'hello world'"));
  EXPECT_THAT(error_of(std::string("\x7f"
                                   "ELF\0\1\2\n\xff\xfe\xfd",
                                   11)),
              HasSubstr("no known form"));
  EXPECT_THAT(error_of("[1, 2]"), HasSubstr("no known form"));
  LoadOptions options;
  options.format = "exel";
  EXPECT_THAT(error_of("a,b\n", options), HasSubstr("no trace format is called 'exel', must be auto, hadar, gavel"));
}

TEST(Hostile, BrokenHeadersAreErrorsOfTheFile) {
  EXPECT_THAT(error_of("job_id,arrival_s,model,total_steps\na,0,m,5\n"),
              HasSubstr("t:1: no column 'gpus', must be as in the form hadar"));
  EXPECT_THAT(error_of("job_id,arrival_s,model,gpus,total_steps,gpus\n"), HasSubstr("column 'gpus' is there twice"));
  EXPECT_THAT(error_of("job_id,arrival_s,model,gpus,total_steps,colour\na,0,m,1,5,red\n"),
              HasSubstr("t:1: unknown column 'colour'"));
  EXPECT_THAT(error_of("job_id,arrival_s,model,gpus,total_steps\n"), HasSubstr("no usable row after the header"));
  EXPECT_THAT(error_of("job_id,arrival_s,model,gpus,total_steps\na,0,m,0,5\n"),
              HasSubstr("no usable row of 1, the first is refused: t:2: column 'gpus': got '0'"));
}

// The one refused row beside a good one.
std::string refused(const std::string& row) {
  const auto loaded =
      parse_trace("job_id,arrival_s,model,gpus,total_steps,weight,deadline_s\ngood,0,m,1,5,1,0\n" + row, "t");
  if (!loaded || loaded->trace.jobs.size() != 1 || loaded->refused.size() != 1) return "not one refused row";
  return text_of(loaded->refused[0], "t");
}

TEST(Hostile, WrongNumbersAreNamed) {
  for (const std::string number : {"nan", "inf", "-inf", "1e400", "-1", "x", "0x10", "1,5", ""}) {
    EXPECT_THAT(refused("a," + (number == "1,5" ? "\"1,5\"" : number) + ",m,1,5,1,0\n"),
                HasSubstr("t:3: column 'arrival_s': got '" + number))
        << number;
    EXPECT_THAT(refused("a,0,m," + (number == "1,5" ? "\"1,5\"" : number) + ",5,1,0\n"), HasSubstr("column 'gpus'"))
        << number;
    EXPECT_THAT(refused("a,0,m,1," + (number == "1,5" ? "\"1,5\"" : number) + ",1,0\n"),
                HasSubstr("column 'total_steps'"))
        << number;
  }
  EXPECT_THAT(refused("a,0,m,1,99999999999999999999,1,0\n"), HasSubstr("from 1 to 2^53"));
  EXPECT_THAT(refused("a,0,m,4294967297,5,1,0\n"), HasSubstr("from 1 to 65536"));
  EXPECT_THAT(refused("a,0,m,1.5,5,1,0\n"), HasSubstr("column 'gpus'"));
  for (const std::string weight : {"0", "1e-10", "1e-300", "1e16"})
    EXPECT_THAT(refused("a,0,m,1,5," + weight + ",0\n"), HasSubstr("column 'weight'")) << weight;
  EXPECT_THAT(refused("a,0,m,1,5,1,-1\n"), HasSubstr("column 'deadline_s'"));
  EXPECT_THAT(refused(",0,m,1,5,1,0\n"), HasSubstr("column 'job_id'"));
  EXPECT_THAT(refused("a\x01,0,m,1,5,1,0\n"), HasSubstr("got 'a?'"));
  EXPECT_THAT(refused("\xff,0,m,1,5,1,0\n"), HasSubstr("UTF-8"));
  EXPECT_THAT(refused("a,0,m,1\n"),
              HasSubstr("t:3: got '4 cells, first a', must be a row with as many cells as the header"));
  EXPECT_THAT(refused("\"a,0,m,1,5,1,0\n"), HasSubstr("with every quote closed"));
}

TEST(Hostile, WholeNumbersAreReadToTheLastDigit) {
  const auto taken = [](const std::string& steps) {
    const auto loaded = parse_trace("job_id,arrival_s,model,gpus,total_steps\na,0,m,1," + steps + "\n", "t");
    return loaded ? loaded->trace.jobs.at(0).total_steps : 0;
  };
  for (const auto* most : {"9007199254740992", "9007199254740992.0", "9007199254740992000e-3", "0.9007199254740992e16",
                           "00009007199254740992"})
    EXPECT_EQ(taken(most), 9007199254740992U) << most;
  EXPECT_EQ(taken("1e6"), 1000000U);
  EXPECT_EQ(taken("15e-1"), 0U);
  EXPECT_EQ(taken("9007199254740991"), 9007199254740991U);
  for (const auto* more : {"9007199254740993", "9007199254740993.0", "9007199254740992.5", "9007199254740993000e-3",
                           "0.9007199254740993e16", "9007199254740991.7", "1.00000000000000000000001"})
    EXPECT_THAT(refused("a,0,m,1," + std::string(more) + ",1,0\n"), HasSubstr("a whole number from 1 to 2^53")) << more;
  EXPECT_THAT(refused("a,0,m,1.00000000000000000000001,5,1,0\n"), HasSubstr("column 'gpus'"));
  EXPECT_THAT(refused("a,0,m,65536.000000000000000001,5,1,0\n"), HasSubstr("column 'gpus'"));
}

TEST(Hostile, FlagsAreTakenAsTheRuleSays) {
  const auto read = [](const std::string& flag) {
    return parse_trace("job_id,arrival_s,model,gpus,total_steps,forkable\ngood,0,m,1,5,true\na,0,m,1,5," + flag + "\n",
                       "t");
  };
  for (const auto* yes : {"true", "TRUE", "True", "tRuE", "1"}) {
    EXPECT_TRUE(read(yes)->trace.jobs.at(1).forkable) << yes;
  }
  for (const auto* no : {"false", "FALSE", "False", "0"}) {
    EXPECT_FALSE(read(no)->trace.jobs.at(1).forkable) << no;
  }
  for (const std::string wrong : {"yes", "no", "2", "00", "1.0", "t", "truee", "-1"})
    EXPECT_EQ(text_of(read(wrong)->refused.at(0), "t"),
              "t:3: column 'forkable': got '" + wrong + "', must be true or false, in letters of any case, or 1 or 0");
}

TEST(Hostile, LongLinesAreCutInWords) {
  const std::string line(1 << 20, 'x');
  EXPECT_LT(error_of(line).size(), 800U);
  EXPECT_LT(refused(line + ",0,m,1,5,1,0\n").size(), 300U);
}

TEST(Hostile, AMillionRefusedRowsEndTheReading) {
  std::string text = "submit_s,duration_s,num_gpus\n0,1,1\n";
  for (int i = 0; i < 1'000'100; ++i) text += "x\n";
  EXPECT_THAT(error_of(text), HasSubstr("rows are refused, the first is t:3: got '1 cell, first x'"));
}

TEST(Hostile, DamageNeverBreaksWhatIsTaken) {
  Random random(2024);
  for (int run = 0; run < 20'000; ++run) {
    auto text = testing::samples()[random.below(testing::samples().size())].text;
    for (auto times = random.below(4) + 1; times > 0 && !text.empty(); --times) {
      const auto at = random.below(text.size());
      switch (random.below(4)) {
        case 0: text[at] = static_cast<char>(random.below(256)); break;
        case 1: text.erase(at, random.below(9)); break;
        case 2: text.insert(at, text.substr(random.below(text.size()), random.below(20))); break;
        default: text[at] = ",\"\n\t{}[]0-9e"[random.below(13)];
      }
    }
    const auto loaded = parse_trace(text, "t");
    if (!loaded) {
      ASSERT_THAT(loaded.error().message, Not(HasSubstr("\n")));
      continue;
    }
    ASSERT_EQ(loaded->rows, loaded->trace.jobs.size() + loaded->refused.size() + loaded->joined) << text;
    const auto again = parse_trace(to_csv(loaded->trace), "again");
    ASSERT_TRUE(again.has_value()) << again.error().message << "\n" << text;
    ASSERT_EQ(again->trace, loaded->trace) << text;
    ASSERT_TRUE(again->refused.empty()) << text;
  }
}

}  // namespace
}  // namespace hadar::traces
