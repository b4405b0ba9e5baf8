#include "tools/report/page.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/unit/cli/run_events.hpp"

namespace hadar::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Run run_with_job_named(const std::string& name) {
  RunEvents run;
  run.add(event::SchedulerStarted{{1}, "hadare", 6}).node("n1").submit(1, name, 10);
  run.at(3).add(event::Completed{{1}, {{"mse", 0.5}}});
  return {summarise(run.events), make_timeline(run.events), "events.jsonl", ""};
}

// The JSON inside the page.
nlohmann::json data_of(const std::string& page) {
  const std::string begin = "id=\"runs\">";
  const auto from = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST(Page, HoldsChartsStyleAndDataAndLoadsNothing) {
  const auto page = make_page({run_with_job_named("a")}, "/* chart library */");
  EXPECT_THAT(page, HasSubstr("/* chart library */"));
  EXPECT_THAT(page, HasSubstr("<style>"));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("http")));
  EXPECT_EQ(data_of(page).at(0).at("jobs").at(0).at("name"), "a");
}

TEST(Page, ANameCannotEndTheScript) {
  const std::string name = "</script><script>alert(1)</script>";
  const auto page = make_page({run_with_job_named(name)}, "");
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script><")));
  EXPECT_EQ(data_of(page).at(0).at("jobs").at(0).at("name"), name);
}

TEST(SummariesJson, HasTheDocumentedKeys) {
  const auto runs = nlohmann::json::parse(summaries_json({run_with_job_named("a")})).at("runs");
  for (const auto* key : {"policy", "makespan_s", "cru", "avg_jct_s", "pace_missed", "jobs"})
    EXPECT_TRUE(runs.at(0).contains(key)) << key;
  for (const auto* key : {"name", "steps_requested", "steps_credited", "forks_max", "consolidations", "jct_s", "metric",
                          "metric_name", "baseline_metric", "events"})
    EXPECT_TRUE(runs.at(0).at("jobs").at(0).contains(key)) << key;
  EXPECT_EQ(runs.at(0).at("jobs").at(0).at("metric"), 0.5);
  EXPECT_TRUE(runs.at(0).at("jobs").at(0).at("baseline_metric").is_null()) << "absent, never NaN";
}

TEST(ChartJs, IsFoundOrAskedForByPackage) {
  const auto text = load_chart_js();
  if (text)
    EXPECT_THAT(*text, HasSubstr("Chart"));
  else
    EXPECT_THAT(text.error().message, HasSubstr("libjs-chart.js"));
}

}  // namespace
}  // namespace hadar::report
