#include "tools/traces/text_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/traces/calendar.hpp"

namespace hadar::traces {
namespace {

using ::testing::ElementsAre;

TEST(TextRows, AQuoteLeftOpenCostsItsLineOnly) {
  TextRows rows("a,b\n\"x,1\ny,2\n\"z\"q,3\n\"w, \"\"v\"\"\n\",4\r\nu,5", ',');
  TextRow row;
  ASSERT_TRUE(rows.next(row));
  ASSERT_TRUE(rows.next(row));
  EXPECT_EQ(row.line, 2U);
  EXPECT_EQ(row.broken, "without text after a closing quote") << "the quote closes in line 4";
  ASSERT_TRUE(rows.next(row));
  EXPECT_EQ(row.line, 3U);
  EXPECT_THAT(row.cells, ElementsAre("y", "2"));
  ASSERT_TRUE(rows.next(row));
  EXPECT_EQ(row.broken, "without text after a closing quote");
  ASSERT_TRUE(rows.next(row));
  EXPECT_EQ(row.line, 5U);
  EXPECT_THAT(row.cells, ElementsAre("w, \"v\"\n", "4"));
  ASSERT_TRUE(rows.next(row));
  EXPECT_EQ(row.line, 7U);
  EXPECT_THAT(row.cells, ElementsAre("u", "5"));
  EXPECT_FALSE(rows.next(row));
}

TEST(TextRows, CountsMoreCellsThanItKeeps) {
  const std::string commas(5000, ',');
  TextRows rows(commas, ',');
  TextRow row;
  ASSERT_TRUE(rows.next(row));
  EXPECT_EQ(row.cell_count, 5001U);
  EXPECT_EQ(row.cells.size(), kMostCells);
}

TEST(DateTime, ReadsTheFormsOfLogs) {
  EXPECT_EQ(parse_date_time("1970-01-02 00:00:01"), 86401);
  EXPECT_EQ(parse_date_time("2017-10-03T05:38:20Z"), 1507009100);
  EXPECT_EQ(parse_date_time("2017-10-03 05:38:20+08:00"), 1507009100 - 8 * 3600);
  EXPECT_EQ(parse_date_time("2017-10-03 05:38:20-0130"), 1507009100 + 5400);
  EXPECT_EQ(parse_date_time("2017-10-03 05:38:20.5"), 1507009100.5);
  for (const auto* wrong : {"", "2017-13-03 05:38:20", "2017-02-30 00:00:00", "2017-10-03", "2017-10-03 24:00:00",
                            "2017-10-03 05:38:20+8", "None", "2017-10-03 05:38:20 PST", "-017-10-03 05:38:20"})
    EXPECT_EQ(parse_date_time(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace hadar::traces
