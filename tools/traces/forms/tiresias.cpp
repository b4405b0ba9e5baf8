// Tiresias' job files, and three that grew out of them: Muri's, Chronus' and ElasticFlow's.
#include "tools/traces/form.hpp"

namespace hadar::traces {
namespace {

constexpr std::uint32_t kBatchSize = 32;  // where a file names models without one

// What a time in a file means.
double seconds(double value) {
  return value;
}
double milliseconds(double value) {
  return value / 1000;
}
double minutes(double value) {
  return value * 60;
}

// job_id, num_gpu, model_name, duration, submit_time.
Draft read_common(Fields& row, double (*in_seconds)(double)) {
  auto draft = begin_draft(row);
  draft.id = row.word("job_id");
  draft.gpus_column = "num_gpu";
  draft.duration_column = "duration";
  draft.gpus = row.gpus("num_gpu");
  draft.model = row.word("model_name");
  draft.duration_s = in_seconds(row.at_least_0("duration"));
  draft.time_s = in_seconds(row.at_least_0("submit_time"));
  if (draft.time_s > 4e9) row.wrong("submit_time", "at most 4e9 s");
  if (*draft.duration_s > 4e9 || *draft.duration_s == 0) row.wrong("duration", "above 0 s and at most 4e9 s");
  return draft;
}

void read_tiresias(Fields& row, Collector& jobs) {
  auto draft = read_common(row, seconds);
  draft.total_steps = row.steps("iterations");
  draft.batch_size = kBatchSize;
  if (row.refused()) return;
  jobs.remark("no batch size in the file: taken as 32");
  jobs.take(std::move(draft));
}

void read_muri(Fields& row, Collector& jobs) {
  auto draft = read_common(row, milliseconds);
  draft.total_steps = row.steps("iterations");
  draft.batch_size = row.batch_size("batch_size");
  if (row.refused()) return;
  jobs.remark("times are milliseconds; priority (0 or 1) is not used");
  jobs.take(std::move(draft));
}

void read_chronus(Fields& row, Collector& jobs) {
  auto draft = read_common(row, minutes);
  draft.total_steps = row.steps("iterations");
  draft.batch_size = kBatchSize;
  draft.user = row.word_or_empty("user");
  draft.deadline_s = row.at_least_0("expect_time_list") * 60;
  if (row.refused()) return;
  jobs.remark("times are minutes; no batch size in the file: taken as 32");
  jobs.take(std::move(draft));
}

void read_elasticflow(Fields& row, Collector& jobs) {
  auto draft = read_common(row, seconds);
  draft.total_steps = row.steps("iteration");
  const auto batch = row.batch_size("batch_size");
  draft.batch_size = std::max(1U, batch / static_cast<std::uint32_t>(std::max(1.0, draft.gpus)));
  const double deadline = row.at_least_0("ddl");
  if (!row.refused() && deadline <= draft.time_s) row.wrong("ddl", "after submit_time");
  draft.deadline_s = deadline - draft.time_s;
  if (row.refused()) return;
  jobs.remark("the batch size is the whole gang's: divided by its GPUs");
  jobs.take(std::move(draft));
}

}  // namespace

Form tiresias_form() {
  return {.name = "tiresias",
          .summary = "Tiresias' CSV: job_id,num_gpu,submit_time,iterations,model_name,duration,interval",
          .columns = {"job_id", "num_gpu", "submit_time", "iterations", "model_name", "duration", "interval"},
          .read_row = read_tiresias};
}

Form muri_form() {
  return {.name = "muri",
          .summary = "Muri's CSV: as Tiresias', in ms, with batch_size, iteration_time, resource times, priority",
          .columns = {"job_id", "num_gpu", "submit_time", "iterations", "model_name", "batch_size", "duration",
                      "interval", "iteration_time"},
          .optional = {"resource_time_0", "resource_time_1", "resource_time_2", "resource_time_3", "priority"},
          .read_row = read_muri};
}

Form chronus_form() {
  return {.name = "chronus",
          .summary = "Chronus' CSV: as Tiresias', in minutes, with user and expect_time_list (deadline)",
          .columns = {"job_id", "user", "num_gpu", "submit_time", "iterations", "model_name", "duration", "interval",
                      "expect_time_list"},
          .optional = {"expect_value_list", "best_effort", "job_type"},
          .read_row = read_chronus};
}

Form elasticflow_form() {
  return {.name = "elasticflow",
          .summary = "ElasticFlow's CSV: job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration",
          .columns = {"job_id", "submit_time", "iteration", "model_name", "ddl", "batch_size", "num_gpu", "duration"},
          .optional = {"real_duration"},
          .read_row = read_elasticflow};
}

}  // namespace hadar::traces
