#include "tools/cli/json_views.hpp"

#include <gmock/gmock.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace hadar::cli {
namespace {

using nlohmann::json;

JobStatus waiting_job() {
  JobStatus job;
  job.job = {3};
  job.spec.name = "a";
  job.spec.user = "ada";
  job.spec.gpus = 4;
  job.spec.total_steps = 100;
  job.reason = {"waiting_gpus_busy", "wants 4 GPUs, 1 is idle", {{"wanted", 4}, {"idle", 1}}};
  job.submitted_t_s = 2.5;
  return job;
}

TEST(JsonViews, AJobHasTheDocumentedKeys) {
  const auto job = json::parse(job_json(waiting_job()));
  for (const auto* key : {"job", "name", "state", "user", "gpus", "steps_total", "steps_credited", "forks", "version",
                          "submitted_t_s", "started_t_s", "finished_t_s", "reason"})
    EXPECT_TRUE(job.contains(key)) << key;
  EXPECT_EQ(job["state"], "WAITING");
  EXPECT_EQ(job["reason"], "waiting_gpus_busy");
  EXPECT_TRUE(job["started_t_s"].is_null());
  EXPECT_EQ(job["submitted_t_s"], 2.5);
}

TEST(JsonViews, AnExplanationCarriesItsNumbers) {
  const auto why = json::parse(explain_json(waiting_job()));
  EXPECT_EQ(why, json::parse(R"({"job": 3, "state": "WAITING", "code": "waiting_gpus_busy",
    "text": "wants 4 GPUs, 1 is idle", "numbers": {"wanted": 4.0, "idle": 1.0}})"));
}

TEST(JsonViews, AnExplanationOfAnEndedJobSaysHowItEnded) {
  auto job = waiting_job();
  job.state = JobState::kCompleted;
  EXPECT_EQ(json::parse(explain_json(job))["code"], "completed") << "not what it waited for before";
  job.reason.code = "completed_target";
  EXPECT_EQ(json::parse(explain_json(job))["code"], "completed_target");
}

TEST(JsonViews, ANodeCountsItsIdleGpusPerType) {
  NodeList list;
  list.nodes.resize(1);
  auto& node = list.nodes.front();
  node.inventory.name = "n1";
  node.inventory.gpus = {{"V100", 2}, {"K80", 2}};
  node.state = NodeState::kUp;
  node.idle_gpus = {1, 2, 3};
  node.leases = {{7}};
  const auto shown = json::parse(nodes_json(list)).at(0);
  EXPECT_EQ(shown["gpus"],
            json::parse(R"([{"type": "V100", "count": 2, "idle": 1}, {"type": "K80", "count": 2, "idle": 2}])"));
  EXPECT_EQ(shown["leases"], json::parse("[7]"));
  EXPECT_EQ(shown["state"], "UP");
}

TEST(JsonViews, NoNumberIsEverNaN) {
  auto job = waiting_job();
  job.metrics = {{"loss", std::numeric_limits<double>::quiet_NaN()}};
  EXPECT_TRUE(json::parse(job_json(job))["metrics"]["loss"].is_null());
}

TEST(JsonViews, DoctorAddsUpWhatWasRefused) {
  ClusterHealth health;
  health.cluster_id = "lab";
  health.processes = {{"a", true, 1, 2, {{"frames_refused", 3}, {"handshakes_refused", 1}}},
                      {"b", true, 2, 2, {{"frames_refused", 4}, {"keys_refused", 2}}}};
  const auto doctor = json::parse(doctor_json(health, "tcp://x", {{true, "a", "fine"}, {false, "b", "raise it"}}));
  EXPECT_EQ(doctor["refused"], json::parse(R"({"frames": 7, "peers": 1, "keys": 2})"));
  EXPECT_EQ(doctor["ok"], false);
}

}  // namespace
}  // namespace hadar::cli
