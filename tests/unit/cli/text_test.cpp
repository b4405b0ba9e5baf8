#include "tools/cli/text.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tools/cli/event_text.hpp"

namespace hadar::cli {
namespace {

TEST(Table, AlignsByCharactersNotBytes) {
  Table table({"A", "B", "C"});
  table.add({"2×V100", "x", ""});
  EXPECT_EQ(table.text(), "A       B  C\n2×V100  x\n");
}

TEST(Text, DurationsStayShort) {
  EXPECT_EQ(duration_text(std::nullopt), "-");
  EXPECT_EQ(duration_text(4.25), "4.2s");
  EXPECT_EQ(duration_text(65), "1m05s");
  EXPECT_EQ(duration_text(7380), "2h03m");
}

TEST(Text, BarsFillInProportion) {
  EXPECT_EQ(bar_text(0.5, 4, true), "==..");
  EXPECT_EQ(bar_text(2, 4, true), "====");
  EXPECT_EQ(bar_text(-1, 2, false), "··");
}

TEST(Text, AReasonIsNeverEmpty) {
  JobStatus job;
  job.state = JobState::kRunning;
  job.spec.total_steps = 10;
  job.steps_credited = 4;
  EXPECT_EQ(reason_code(job), "running");
  EXPECT_THAT(reason_text(job), testing::HasSubstr("4 of 10"));
}

TEST(EventText, ShowsTimeKindAndMembersInOneLine) {
  const auto event =
      nlohmann::ordered_json::parse(R"({"seq": 4, "t_s": 1.5, "kind": "Consolidated", "job": 2, "credited": 50})");
  const auto line = event_line(event);
  EXPECT_THAT(line, testing::HasSubstr("1.500s"));
  EXPECT_THAT(line, testing::HasSubstr("Consolidated"));
  EXPECT_THAT(line, testing::HasSubstr("job=2"));
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

TEST(EventText, ShowsEveryLeaseOfAGrant) {
  const auto event = nlohmann::ordered_json::parse(
      R"({"kind": "LeasesGranted", "leases": [{"lease": 7, "job": 2, "fork": 1, "node": "n1", "gpus": [0, 1], "quota": 50}]})");
  EXPECT_THAT(event_line(event), testing::HasSubstr("lease 7 job 2 fork 1 on n1[0,1] quota 50"));
}

TEST(EventText, FindsAJobInItsLeases) {
  const auto event = nlohmann::ordered_json::parse(
      R"({"kind": "LeasesGranted", "leases": [{"lease": 1, "job": 2}, {"lease": 2, "job": 5}]})");
  EXPECT_TRUE(concerns_job(event, 5));
  EXPECT_FALSE(concerns_job(event, 1));
}

}  // namespace
}  // namespace hadar::cli
