#include "runtime/config/throughput_csv.hpp"

#include <clocale>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/config/csv.hpp"

namespace hadar {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kHeader = "model,batch_size,gpus,gpu_type,placement,steps_per_s\n";

std::string error_of(const std::string& text) {
  const auto table = parse_throughputs(text, "t.csv");
  if (table) return "";
  EXPECT_EQ(table.error().code, ErrorCode::kInvalidArgument);
  return table.error().message;
}

TEST(ThroughputCsv, ReadsRows) {
  const auto table = parse_throughputs(kHeader + "image,32,1,V100,packed,12.5\nLM,8,4,RTX 3090,spread,1e-3\n", "t.csv");
  EXPECT_THAT(table.value().rows, ElementsAre(ThroughputRow{"image", 32, 1, "V100", Placement::kPacked, 12.5},
                                              ThroughputRow{"LM", 8, 4, "RTX 3090", Placement::kSpread, 0.001}));
}

TEST(ThroughputCsv, TakesTheSameFromEveryEditor) {
  const std::string rows = "image,32,1,V100,packed,12.5\nLM,8,4,K80,spread,2\n";
  const auto right = parse_throughputs(kHeader + rows, "t").value().rows;
  std::string crlf;
  for (const char c : kHeader + rows) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  auto no_last = crlf;
  no_last.resize(no_last.size() - 2);
  for (const auto& text : {crlf, no_last, "\xef\xbb\xbf" + crlf, "\n\n" + kHeader + "\n  \n" + rows + "\n\n",
                           kHeader + "  image , 32,\t1,V100,\"packed\",12.5\n\"LM\",8,4,K80,spread,2"})
    EXPECT_EQ(parse_throughputs(text, "t").value().rows, right) << text;
}

TEST(ThroughputCsv, TakesColumnsInAnyOrder) {
  const auto table =
      parse_throughputs("gpu_type,steps_per_s,model,placement,gpus,batch_size\nV100,3,a,packed,1,2\n", "t");
  EXPECT_THAT(table.value().rows, ElementsAre(ThroughputRow{"a", 2, 1, "V100", Placement::kPacked, 3}));
}

TEST(ThroughputCsv, KeepsSharedRowsApart) {
  const auto table = parse_throughputs(
      "model,batch_size,gpus,gpu_type,placement,steps_per_s,partner,partner_steps_per_s\n"
      "a,1,1,V100,packed,10,,\na,1,1,V100,packed,6,b,7\n",
      "t");
  EXPECT_THAT(table.value().rows, ElementsAre(ThroughputRow{"a", 1, 1, "V100", Placement::kPacked, 10}));
  EXPECT_THAT(table.value().shared,
              ElementsAre(SharedThroughputRow{{"a", 1, 1, "V100", Placement::kPacked, 6}, "b", 0, 7}));
}

TEST(ThroughputCsv, KeepsWhatCannotRunApart) {
  const auto table = parse_throughputs(kHeader + "a,1,1,K80,packed,0\na,1,1,V100,packed,10\n", "t");
  EXPECT_THAT(table.value().rows, ElementsAre(ThroughputRow{"a", 1, 1, "V100", Placement::kPacked, 10}));
  EXPECT_THAT(table.value().unfit, ElementsAre(ThroughputRow{"a", 1, 1, "K80", Placement::kPacked, 0}));
}

TEST(ThroughputCsv, KnowsAPairEitherWayRound) {
  const std::string header = "model,batch_size,gpus,gpu_type,placement,steps_per_s,partner,partner_steps_per_s\n";
  const auto table = parse_throughputs(header + "a,1,1,V100,packed,6,b (batch size 8),7\n", "t");
  EXPECT_THAT(table.value().shared,
              ElementsAre(SharedThroughputRow{{"a", 1, 1, "V100", Placement::kPacked, 6}, "b", 8, 7}));
  EXPECT_THAT(error_of(header + "a,1,1,V100,packed,6,b (batch size 8),7\nb,8,1,V100,packed,7,a (batch size 1),6\n"),
              HasSubstr("t.csv:3: model 'b' has this row already in line 2"));
  EXPECT_THAT(error_of(header + "a,1,1,V100,packed,6,b,0\n"), HasSubstr("0 exactly when steps_per_s is"));
  EXPECT_THAT(error_of(header + "a,1,1,V100,packed,6,b (x),1\n"), HasSubstr("MODEL or MODEL (batch size N)"));
}

TEST(ThroughputCsv, SaysLineColumnValueAndRule) {
  EXPECT_EQ(error_of(kHeader + "image,32,0,V100,packed,1\n"),
            "t.csv:2: column 'gpus': got '0', must be a whole number from 1 to 65536");
  EXPECT_EQ(error_of(kHeader + "\nimage,32,1,V100,packed,1\nimage,32,1,V100,pakced,1\n"),
            "t.csv:4: column 'placement': got 'pakced', must be packed or spread");
  for (const std::string speed : {"-1", "nan", "inf", "1,5", "1.5x", "", "0x10", "1e400", "1e-10", "1e-155", " "})
    EXPECT_NE(error_of(kHeader + "image,32,1,V100,packed," + speed + "\n"), "") << speed;
  for (const std::string batch : {"-1", "1.5", "1e3", "4294967296", "99999999999999999999", ""})
    EXPECT_THAT(error_of(kHeader + "image," + batch + ",1,V100,packed,1\n"), HasSubstr("column 'batch_size'"));
  EXPECT_THAT(error_of(kHeader + ",1,1,V100,packed,1\n"), HasSubstr("column 'model': got '', must be a name"));
}

TEST(ThroughputCsv, RefusesBrokenShapes) {
  EXPECT_THAT(error_of(""), HasSubstr("t.csv is empty"));
  EXPECT_THAT(error_of("\n\n"), HasSubstr("t.csv is empty"));
  EXPECT_THAT(error_of("model,batch_size\n"), HasSubstr("no column 'gpus'"));
  EXPECT_THAT(error_of("model,batch_size,gpus,gpu_type,placement,steps_per_s,partner\n"),
              HasSubstr("no column 'partner_steps_per_s'"));
  EXPECT_THAT(error_of("model,model\n"), HasSubstr("column 'model' is there twice"));
  EXPECT_THAT(error_of("model,batch_size,gpus,gpu_type,placement,steps_per_s,extra\n"),
              HasSubstr("t.csv:1: unknown column 'extra'"));
  EXPECT_THAT(error_of(kHeader + "image,32,1,V100,packed\n"), HasSubstr("t.csv:2: got 5 cells, must be 6"));
  EXPECT_THAT(error_of(kHeader + "\"image,32,1\n1,V100"), HasSubstr("t.csv:2: a quote is left open"));
  EXPECT_THAT(error_of(kHeader + "\"image\"x,32,1,V100,packed,1\n"), HasSubstr("text after a closing quote"));
  EXPECT_THAT(error_of(kHeader + "a,1,1,V100,packed,1\nb,1,1,V100,packed,1\na,1,1,V100,packed,2\n"),
              HasSubstr("t.csv:4: model 'a' has this row already in line 2"));
}

TEST(ThroughputCsv, ReadsNumbersTheSameUnderACommaLocale) {
  const std::string old = std::setlocale(LC_ALL, nullptr);
  const bool comma = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
  const auto table = parse_throughputs(kHeader + "a,1,1,V100,packed,1.5\n", "t");
  std::setlocale(LC_ALL, old.c_str());
  EXPECT_EQ(table.value().rows.front().steps_per_s, 1.5) << (comma ? "under a German locale" : "under the C locale");
}

TEST(Csv, TakesQuotedCellsWithCommasQuotesAndLines) {
  const auto table = parse_csv("a,b\n\"x, \"\"y\"\"\",\"1\n2\"\n3,4\n", "f").value();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_THAT(table.rows[0].cells, ElementsAre("x, \"y\"", "1\n2"));
  EXPECT_EQ(table.rows[0].line, 2u);
  EXPECT_EQ(table.rows[1].line, 4u);
}

}  // namespace
}  // namespace hadar
