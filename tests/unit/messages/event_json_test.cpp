#include "messages/codec/event_json.hpp"

#include <gmock/gmock.h>
#include <limits>

#include "messages/codec/utf8.hpp"

namespace hadar {
namespace {

using ::testing::HasSubstr;

std::string refusal(std::string_view line) {
  const auto event = event_from_json(line);
  if (event) return "taken";
  EXPECT_EQ(event.error().code, ErrorCode::kCorrupt);
  return event.error().message;
}

Lease lease_of(std::uint64_t id, std::uint64_t job) {
  Lease lease;
  lease.id = {id};
  lease.fork = {{job}, 0};
  lease.node = "n1";
  lease.gpus = {0};
  lease.gpu_types = {"V100"};
  lease.quota_steps = 5;
  return lease;
}

TEST(EventJson, PutsSeqTimeKindAndSubjectFirst) {
  EXPECT_EQ(event_to_json({7, 2.5, event::Held{{3}}}), R"({"seq":7,"t_s":2.5,"kind":"Held","job":3})");
  EXPECT_EQ(event_to_json({8, 3, event::NodeLost{"n1", {2}, "silent"}}),
            R"({"seq":8,"t_s":3.0,"kind":"NodeLost","node":"n1","epoch":2,"reason":"silent"})");
}

TEST(EventJson, NamesTheJobOfAGrantOnlyWhenThereIsOne) {
  const event::LeasesGranted one{{1}, false, {lease_of(1, 4), lease_of(2, 4)}};
  const event::LeasesGranted two{{1}, false, {lease_of(1, 4), lease_of(2, 5)}};
  const event::LeasesGranted none{{1}, false, {}};
  EXPECT_THAT(event_body_to_json(one), HasSubstr(R"("LeasesGranted","job":4,"round")"));
  EXPECT_THAT(event_body_to_json(two), HasSubstr(R"("LeasesGranted","round")"));
  EXPECT_THAT(event_body_to_json(none), HasSubstr(R"("LeasesGranted","round")"));
}

TEST(EventJson, SaysWhetherAReportIsFinal) {
  event::ForkReported reported;
  reported.report.end = LeaseEndReason::kRunning;
  EXPECT_THAT(event_body_to_json(reported), HasSubstr(R"("end":"running","final":false)"));
  reported.report.end = LeaseEndReason::kFailed;
  const auto line = event_body_to_json(reported);
  EXPECT_THAT(line, HasSubstr(R"("end":"failed","final":true)"));
  auto wrong = line;
  wrong.replace(wrong.find("true"), 4, "false");
  EXPECT_THAT(event_body_from_json(wrong).error().message, HasSubstr("key \"final\""));
}

TEST(EventJson, KeepsDoublesToTheLastBit) {
  for (const double t_s : {0.1, 1.0 / 3, 1e-310, 1.7976931348623157e308, 123456789.123456789, 1e21, 240.0, 0.0}) {
    const auto read = event_from_json(event_to_json({1, t_s, event::Held{{1}}}));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->t_s, t_s);
  }
  EXPECT_THAT(event_to_json({1, -0.0, event::Held{{1}}}), HasSubstr("\"t_s\":-0.0"));
}

TEST(EventJson, KeepsTheLargestNumbers) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  const auto read = event_from_json(event_to_json({kMost, 0, event::Held{{kMost}}}));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->seq, kMost);
}

TEST(EventJson, NeverWritesANumberThatIsNone) {
  EXPECT_DEATH((void)event_to_json({1, std::numeric_limits<double>::quiet_NaN(), event::Held{{1}}}), "isfinite");
}

TEST(EventJson, EscapesTextAndMendsWhatIsNotUtf8) {
  const auto line = event_body_to_json(event::Failed{{1}, "a\"b\\c\n\x01\xff\xc3z\xe2\x82\xac"});
  EXPECT_THAT(line, HasSubstr("\"reason\":\"a\\\"b\\\\c\\u000a\\u0001\xef\xbf\xbd\xef\xbf\xbdz\xe2\x82\xac\""));
  const auto read = event_body_from_json(line);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(std::get<event::Failed>(*read).reason, "a\"b\\c\n\x01\xef\xbf\xbd\xef\xbf\xbdz\xe2\x82\xac");
}

TEST(EventJson, NamesTheKeyThatIsWrong) {
  EXPECT_EQ(refusal(R"({"seq":1,"t_s":0,"kind":"Held"})"), "event: key \"job\" is missing");
  EXPECT_EQ(refusal(R"({"seq":1,"t_s":0,"kind":"Held","job":1,"jobb":2})"), "event: key \"jobb\" is unknown");
  EXPECT_EQ(refusal(R"({"seq":1,"t_s":0,"kind":"Held","job":1,"job":1})"), "event: key \"job\" is there twice");
  EXPECT_EQ(refusal(R"({"seq":1,"t_s":0,"kind":"Held","job":"1"})"),
            "event: key \"job\" must be a whole number, at least 0");
  EXPECT_EQ(refusal(R"({"seq":1,"t_s":0,"kind":"Held","job":-1})"),
            "event: key \"job\" must be a whole number, at least 0");
  EXPECT_EQ(refusal(R"({"seq":1,"t_s":"0","kind":"Held","job":1})"), "event: key \"t_s\" must be a number");
  EXPECT_EQ(refusal(R"({"seq":1,"t_s":0,"kind":"Hold","job":1})"), "event: kind \"Hold\" is unknown");
  EXPECT_EQ(refusal(R"({"seq":1,"t_s":0,"kind":"Completed","job":1,"metrics":{"loss":null}})"),
            "event: key \"metrics.loss\" must be a number");
}

TEST(EventJson, NamesTheKeyInsideAList) {
  auto line = event_to_json({1, 0, event::LeasesGranted{{1}, false, {lease_of(1, 4), lease_of(2, 5)}}});
  const auto at = line.rfind("\"quota\":5");
  line.replace(at, 9, "\"quota\":[]");
  EXPECT_EQ(refusal(line), "event: key \"leases[1].quota\" must be a whole number, at least 0");
}

TEST(EventJson, RefusesAJobThatIsNotThatOfTheLeases) {
  auto line = event_to_json({1, 0, event::LeasesGranted{{1}, false, {lease_of(1, 4)}}});
  line.replace(line.find("\"job\":4"), 7, "\"job\":5");
  EXPECT_THAT(refusal(line), HasSubstr("key \"job\" must be the one job of all leases"));
}

TEST(EventJson, RefusesWhatIsNotOneObject) {
  EXPECT_EQ(refusal(""), "event: is not JSON, wrong at byte 1");
  EXPECT_EQ(refusal("[1]"), "event: must be one JSON object");
  EXPECT_THAT(refusal(R"({"seq":1)"), HasSubstr("is not JSON"));
  EXPECT_THAT(refusal(R"({"seq":1,"t_s":1e999,"kind":"Held","job":1})"), HasSubstr("out of range"));
  EXPECT_THAT(refusal(R"({"seq":1,"t_s":0,"kind":"Held","job":1} {})"), HasSubstr("is not JSON"));
  EXPECT_THAT(refusal(std::string(100'000, '[')), HasSubstr("nested deeper"));
}

TEST(JobSpecJson, HasTheKeysOfAJobFile) {
  JobSpec spec;
  spec.name = "digits";
  spec.workload = "image";
  const auto text = job_spec_to_json(spec);
  for (const char* key :
       {"name", "workload", "command", "model", "batch_size", "gpus", "total_steps", "gpu_types", "forkable", "weight",
        "deadline_s", "user", "proportional_batch", "checkpoint_every_s", "seed", "sleep"})
    EXPECT_THAT(text, HasSubstr("\"" + std::string(key) + "\":"));
}

TEST(JobSpecJson, NamesTheKeyThatIsWrong) {
  auto text = job_spec_to_json({});
  text.replace(text.find("\"gpus\":1"), 8, "\"gpus\":4294967296");
  EXPECT_EQ(job_spec_from_json(text).error().message, "job: key \"gpus\" must be at most 4294967295");
}

TEST(Utf8, TakesWellFormedCharactersOnly) {
  for (const char* good :
       {"", "plain", "\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(is_utf8(good)) << good;
  for (const char* bad : {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc2", "\xe2\x82", "\xf0\x9f\x98", "\xff"})
    EXPECT_FALSE(is_utf8(bad)) << bad;
}

}  // namespace
}  // namespace hadar
