// Philly's JSON: nothing between, in or after its jobs is passed over in silence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/traces/trace.hpp"

namespace hadar::traces {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kAttempts =
    R"("attempts":[{"start_time":"2017-10-09 07:02:00","end_time":"2017-10-09 07:03:00","detail":[{"gpus":["g"]}]}])";

std::string job(const std::string& id, const std::string& more = "") {
  return R"({"status":"Pass","jobid":")" + id + R"(","submitted_time":"2017-10-09 07:01:58",)" + more + kAttempts + "}";
}

// Every refused row in words; the jobs that were read are `jobs`.
std::vector<std::string> refused(const std::string& text, std::size_t jobs) {
  LoadOptions options;
  options.format = "philly";
  const auto loaded = parse_trace(text, "t", options);
  if (!loaded) return {"error: " + loaded.error().message};
  EXPECT_EQ(loaded->trace.jobs.size(), jobs) << text;
  EXPECT_EQ(loaded->rows, jobs + loaded->refused.size()) << text;
  std::vector<std::string> rows;
  for (const auto& refusal : loaded->refused) rows.push_back(text_of(refusal, "t"));
  return rows;
}

TEST(Philly, ElementsThatAreNoObjectAreRefusedRows) {
  const auto elements = "[" + job("a") + ",\n17,\n\"lost, ]\", null\n,[1, [2]],true, -1e3\n";
  const auto rows =
      ElementsAre("t:2: got '17', must be one JSON object", "t:3: got '\"lost, ]\"', must be one JSON object",
                  "t:3: got 'null', must be one JSON object", "t:4: got '[1, [2]]', must be one JSON object",
                  "t:4: got 'true', must be one JSON object", "t:4: got '-1e3', must be one JSON object");
  EXPECT_THAT(refused(elements + "]\n", 1), rows);
  const auto open = refused(elements, 1);
  ASSERT_EQ(open.size(), 7U);
  EXPECT_EQ(open.back(), "t:5: got 'the end of the file', must be ] or one more element: the array is not closed");
  EXPECT_THAT(refused("[17," + job("a") + "]", 1), ElementsAre("t:1: got '17', must be one JSON object"));
}

TEST(Philly, AnArrayThatIsCutIsNamedWhereverTheCutIs) {
  const auto whole = "[\n" + job("a") + " ,\n" + job("b") + "\n]";
  EXPECT_THAT(refused(whole, 2), IsEmpty());
  EXPECT_THAT(refused(whole + " \r\n\t\n", 2), IsEmpty());
  const auto second = whole.find("{\"status\"", 10);
  for (auto cut = whole.find(',', second - 5); cut < whole.size(); ++cut) {
    const auto rows = refused(whole.substr(0, cut), cut + 2 < whole.size() ? 1 : 2);
    EXPECT_EQ(rows.size(), 1U) << whole.substr(0, cut);
  }
  EXPECT_THAT(refused("[" + job("a") + ",\n" + job("b").substr(0, 30), 1),
              ElementsAre(HasSubstr("t:2: got '{\"status\"")));
}

TEST(Philly, JobsWithoutACommaBeforeThemAreRefused) {
  const auto rule = HasSubstr("must be after a comma, as every element but the first");
  EXPECT_THAT(refused("[" + job("a") + "\n" + job("b") + "," + job("c") + "]", 2), ElementsAre(rule));
  EXPECT_THAT(refused("[" + job("a") + "} ,\n" + job("b") + "]", 2), ElementsAre(rule));
  EXPECT_THAT(refused("[" + job("a") + " x\n," + job("b") + "]", 2), ElementsAre("t:1: got 'x', must be after a comma, "
                                                                                 "as every element but the first"));
  EXPECT_THAT(refused("[" + job("a") + ";" + job("b") + "]", 1), ElementsAre(HasSubstr("got ';'"), rule));
}

TEST(Philly, CommasWithoutAnElementAreRefused) {
  const auto rule = HasSubstr("must be an element: a comma stands between two");
  EXPECT_THAT(refused("[" + job("a") + ",," + job("b") + "]", 2), ElementsAre(rule));
  EXPECT_THAT(refused("[," + job("a") + "]", 1), ElementsAre(rule));
  EXPECT_THAT(refused("[" + job("a") + ",\n]", 1), ElementsAre("t:2: got ']', must be an element: a comma stands "
                                                               "between two"));
}

TEST(Philly, WhatComesAfterTheArrayIsRefused) {
  const auto rule = HasSubstr("must be the end of the file: the array is closed before it");
  for (const std::string after : {"garbage", "]", ",", "[]", "\n\n\"\"", "0"})
    EXPECT_THAT(refused("[" + job("a") + "]" + after, 1), ElementsAre(rule)) << after;
  EXPECT_THAT(refused("[" + job("a") + "]\n," + job("b") + "]", 1), ElementsAre(HasSubstr("t:2: got ',{")));
  EXPECT_THAT(refused("[]\n" + job("a"), 0), ElementsAre(HasSubstr("error: t: no usable row of 1")));
}

TEST(Philly, ATextThatIsNoArrayIsMalformed) {
  for (const auto& text : {job("a"), "{\"jobs\":[" + job("a") + "]}", std::string("x")})
    EXPECT_THAT(refused(text, 0), ElementsAre(HasSubstr("must be [, which begins an array"))) << text;
}

TEST(Philly, KeysThatAreTwiceInAJobAreRefused) {
  const auto rule = [](const std::string& key) {
    return "t:1: got ''" + key + "' twice', must be an object that has every key once";
  };
  EXPECT_THAT(refused("[" + job("a", R"("status":"Killed",)") + "," + job("b") + "]", 1), ElementsAre(rule("status")));
  EXPECT_THAT(refused("[" + job("a", R"("vc":1,"vc":1,)") + "," + job("b") + "]", 1), ElementsAre(rule("vc")));
  EXPECT_THAT(refused("[" + job("a", R"("x":[{"y":{"z":0,"z":0}}],)") + "," + job("b") + "]", 1),
              ElementsAre(rule("z")));
  EXPECT_THAT(refused("[" + job("a", R"("x":{"status":1},"y":{"status":1},)") + "]", 1), IsEmpty());
}

TEST(Philly, ValuesOfAnotherKindAreRefused) {
  EXPECT_THAT(refused("[" + job("a", R"("user":17,)") + "," + job("b", R"("user":null,)") + "]", 1),
              ElementsAre("t:1: column 'user': got 'number', must be a text"));
  for (const std::string detail : {"17", "[17]", R"([{"gpus":"g"}])", R"({"gpus":["g"]})"}) {
    auto text = job("a");
    text.replace(text.find(R"([{"gpus":["g"]}])"), 16, detail);
    EXPECT_THAT(refused("[" + text + "," + job("b") + "]", 1), ElementsAre(HasSubstr("column 'detail'"))) << detail;
  }
}

TEST(Philly, DepthAndLengthDoNoHarm) {
  const std::string open(1'000'000, '[');
  const std::string close(1'000'000, ']');
  auto deep = job("a");
  deep.replace(deep.find("[{"), 2, "[" + open + close + ",{");
  EXPECT_THAT(refused("[" + deep + "," + job("b") + "]", 1), ElementsAre(HasSubstr("column 'attempts': got 'array'")));
  EXPECT_THAT(refused("[" + open + "," + close + "," + job("b") + "]", 1), ElementsAre(HasSubstr("one JSON object")));
  const auto huge = job("a", "\"x\":\"" + std::string(17 << 20, 'x') + "\",");
  EXPECT_THAT(refused("[" + huge + "," + job("b") + "]", 1), ElementsAre(HasSubstr("at most 16 MiB")));
}

}  // namespace
}  // namespace hadar::traces
