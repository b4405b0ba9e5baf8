#include "tools/report/results.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "tools/report/page.hpp"

namespace hadar::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

constexpr const char* kText = R"json({
 "provenance": {"version": "1", "trace": "</script>"},
 "runs": [
  {"policy": "a_b", "seed": 1, "jobs": 3, "completed": 2, "makespan_s": 3600, "avg_jct_s": 1800, "gru": 0.5,
   "ftf_max": null, "jct_s": [100, null, 300]},
  {"policy": "a_b", "seed": 2, "jobs": 3, "completed": 3, "makespan_s": 10800, "avg_jct_s": 1800, "gru": 0.7,
   "jct_s": [200, 400, 500]},
  {"policy": "other", "seed": 1, "jobs": 3, "completed": 3, "makespan_s": 7200, "jct_s": [1, 2, 3]}]})json";

TEST(Results, GroupsSeedsByPolicyWithStudentsInterval) {
  const auto results = parse_results(kText, "r.json").value();
  ASSERT_EQ(results.policies.size(), 2U);
  const auto& first = results.policies[0];
  EXPECT_THAT(first.seeds, ElementsAre(1, 2));
  EXPECT_EQ(first.jobs, 6U);
  EXPECT_EQ(first.completed, 5U);
  EXPECT_EQ(first.figures.at("makespan_s").mean, 7200);
  EXPECT_NEAR(*first.figures.at("makespan_s").half, 12.706 * 3600, 1) << "t for one degree of freedom";
  EXPECT_EQ(*first.figures.at("avg_jct_s").half, 0);
  EXPECT_FALSE(first.figures.contains("ftf_max")) << "null is nothing told";
  EXPECT_THAT(first.jct_cdf, ElementsAre(Pair(100, 0.2), Pair(200, 0.4), Pair(300, 0.6), Pair(400, 0.8), Pair(500, 1)));
  EXPECT_FALSE(results.policies[1].figures.at("makespan_s").half.has_value()) << "one seed has no interval";
}

TEST(Results, AFigureThatOnlySomeSeedsHaveIsNotShownAsTheMeanOfAll) {
  auto json = nlohmann::json::parse(kText);
  json["runs"][1].erase("avg_jct_s");
  const auto results = parse_results(json.dump(), "r.json").value();
  EXPECT_FALSE(results.policies[0].figures.contains("avg_jct_s"));
  EXPECT_TRUE(results.policies[0].figures.contains("gru"));
}

TEST(Results, ALongCurveIsThinnedAndStillEndsAtOne) {
  nlohmann::json run = {
      {"policy", "p"}, {"seed", 0}, {"jobs", 10001}, {"completed", 10001}, {"jct_s", nlohmann::json::array()}};
  for (int i = 10001; i > 0; --i) run["jct_s"].push_back(i);
  const auto cdf = parse_results(nlohmann::json{{"runs", {run}}}.dump(), "r").value().policies[0].jct_cdf;
  EXPECT_LE(cdf.size(), 201U);
  EXPECT_THAT(cdf.back(), Pair(10001, 1));
  for (const auto& [jct, part] : cdf) EXPECT_NEAR(part, jct / 10001, 1e-12);
}

TEST(Results, LatexNamesPoliciesAndIntervals) {
  const auto table = latex_table({parse_results(kText, "r.json").value()});
  EXPECT_THAT(
      table,
      HasSubstr("a\\_b & 2.000 $\\pm$ 12.706 & 0.500 $\\pm$ 0.000 & -- & -- & 0.600 $\\pm$ 1.271 & -- & -- \\\\"));
  EXPECT_THAT(table, HasSubstr("other & 2.000 & -- & -- & -- & -- & -- & -- \\\\"));
}

TEST(Results, SaysWhatIsWrongAndWhere) {
  const auto error_of = [](const std::string& text) { return parse_results(text, "r").error().message; };
  EXPECT_THAT(error_of("["), HasSubstr("r: the file, must be one JSON object"));
  EXPECT_THAT(error_of("{}"), HasSubstr("r: runs, must be an array"));
  EXPECT_THAT(error_of(R"({"runs": [{}]})"), HasSubstr("r: run 1: policy, must be a name"));
  EXPECT_THAT(error_of(R"({"runs": [{"policy": "p", "seed": 1, "jobs": 1, "completed": 1, "jct_s": ["x"]}]})"),
              HasSubstr("r: run 1: jct_s"));
  EXPECT_THAT(error_of(R"({"runs": [{"policy": "p", "seed": 1, "jobs": 1, "completed": 1, "gru": "x", "jct_s": []}]})"),
              HasSubstr("r: run 1: gru, must be a number or null"));
}

TEST(Results, AreToldFromEventsByTheirBeginning) {
  const auto file = std::filesystem::temp_directory_path() / ("hadar-results-" + std::to_string(getpid()));
  const auto is_results = [&](const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
    return is_results_file(file.string());
  };
  EXPECT_TRUE(is_results(kText));
  EXPECT_TRUE(is_results(nlohmann::json::parse(kText).dump()));
  EXPECT_FALSE(is_results("{\"seq\":1,\"t_s\":0,\"kind\":\"SchedulerStarted\"}\n{\"seq\":2}\n"));
  EXPECT_FALSE(is_results(""));
  std::filesystem::remove(file);
}

TEST(Results, StandInThePageWithTheirNumbers) {
  const auto results = parse_results(kText, "r.json").value();
  const auto page = make_page({}, {results}, "");
  EXPECT_THAT(page, Not(HasSubstr("\"trace\": \"</script>")));
  const std::string begin = "id=\"results\">";
  const auto from = page.find(begin) + begin.size();
  const auto data = nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
  EXPECT_EQ(data[0]["policies"][0]["figures"]["makespan_s"]["mean"], 7200);
  EXPECT_THAT(make_page({}, "").find(begin), std::string::npos) << "no results, no script";
}

}  // namespace
}  // namespace hadar::report
