// Alibaba's public traces: PAI 2020 (tables without a header), openb 2023, spot GPUs 2026.
#include <algorithm>

#include "tools/traces/form.hpp"

namespace hadar::traces {
namespace {

bool is_status(std::string_view text) {
  for (const std::string_view known : {"Terminated", "Failed", "Running", "Waiting", "Interrupted", "Ready"})
    if (text == known) return true;
  return false;
}

// One row a task; the tasks of a job are one gang. plan_gpu counts per cent of a GPU for each instance.
void read_pai_task(Fields& row, Collector& jobs) {
  auto draft = begin_draft(row);
  draft.id = row.word("job_name");
  if (row.cell("status") != "Terminated") row.wrong("status", "Terminated: other tasks did not succeed");
  draft.gpus_column = "plan_gpu";
  if (!row.has("plan_gpu")) row.wrong("plan_gpu", "given: a CPU-only task needs no GPU scheduler");
  const double share = row.gpus("plan_gpu") / 100;
  draft.gpus = share * row.number("inst_num", "a number of instances");
  if (!row.refused() && !(draft.gpus > 0 && draft.gpus <= 65536))
    row.wrong("inst_num", "a number of instances above 0, with at most 65536 GPUs in all");
  draft.duration_column = "end_time";
  draft.time_s = row.time("start_time");
  const double end = row.time("end_time");
  if (!row.refused() && end <= draft.time_s)
    row.wrong("end_time", "after start_time: a task that never ran is no work");
  draft.duration_s = end - draft.time_s;
  if (row.refused()) return;
  jobs.remark("submitted when they started: the task table has no time of submission; users are in another table");
  jobs.join(std::move(draft));
}

// The job table alone says too little.
void read_pai_job(Fields& row, Collector&) {
  row.wrong("job_name", "part of pai_task_table.csv: the job table has no GPUs, give the task table");
}

void read_pod(Fields& row, Collector& jobs) {
  auto draft = begin_draft(row);
  draft.id = row.word("name");
  draft.gpus_column = "num_gpu";
  draft.gpus = row.gpus("num_gpu");
  draft.time_s = row.time("creation_time");
  draft.duration_column = "deletion_time";
  if (!row.has("scheduled_time")) row.wrong("scheduled_time", "given: a pod never scheduled did not run");
  const double start = row.time("scheduled_time");
  const double end = row.time("deletion_time");
  if (!row.refused() && end <= start)
    row.wrong("deletion_time", "after scheduled_time: a pod that never ran is no work");
  draft.duration_s = end - start;
  const double milli = row.at_least_0("gpu_milli");
  if (row.refused()) return;
  if (milli > 0 && milli < 1000)
    jobs.remark("asked for a share of a GPU (gpu_milli below 1000): rounded up to a whole one");
  if (row.has("gpu_spec")) jobs.remark("limited to some GPU kinds (gpu_spec): the limit is not kept");
  if (row.cell("pod_phase") != "Succeeded")
    jobs.remark("did not end well or were still running: the time they ran counts as work");
  jobs.take(std::move(draft));
}

void read_spot(Fields& row, Collector& jobs) {
  auto draft = begin_draft(row);
  draft.id = row.word("job_name");
  draft.user = row.word_or_empty("organization");
  draft.gpus_column = "gpu_request";
  const double each = row.gpus("gpu_request");
  const double workers = row.number("worker_num", "a number of workers");
  if (!row.refused() && !(workers > 0 && each * workers <= 65536))
    row.wrong("worker_num", "a number of workers above 0, with at most 65536 GPUs in all");
  draft.gpus = each * workers;
  draft.time_s = row.time("submit_time");
  if (row.saw_date()) jobs.times_are_dates();
  draft.duration_column = "duration";
  draft.duration_s = row.duration("duration");
  const auto type = row.cell("job_type");
  if (type != "HP" && type != "Spot") row.wrong("job_type", "HP or Spot");
  if (row.refused()) return;
  if (workers > 1) jobs.remark("have several workers: kept as one gang of gpu_request x worker_num GPUs");
  if (row.has("gpu_model")) jobs.remark("name the GPU kind they ran on (gpu_model): not kept");
  if (type == "Spot") jobs.remark("ran on spare GPUs (Spot): same weight as the others");
  jobs.take(std::move(draft));
}

}  // namespace

Form pai_2020_form() {
  return {.name = "pai-2020",
          .summary = "Alibaba PAI 2020's pai_task_table.csv (no header)",
          .columns = {"job_name", "task_name", "inst_num", "status", "start_time", "end_time", "plan_cpu", "plan_mem",
                      "plan_gpu", "gpu_type"},
          .header = false,
          .read_row = read_pai_task,
          .looks_like = [](const TextRow& first, std::string_view) {
            return first.cell_count == 10 && (is_status(first.cells[3]) || first.cells[3] == "status");
          }};
}

Form pai_2020_jobs_form() {
  return {.name = "pai-2020-jobs",
          .summary = "Alibaba PAI 2020's pai_job_table.csv: refused, the task table says more",
          .columns = {"job_name", "inst_id", "user", "status", "start_time", "end_time"},
          .header = false,
          .read_row = read_pai_job,
          .looks_like = [](const TextRow& first, std::string_view) {
            return first.cell_count == 6 && is_status(first.cells[3]);
          }};
}

Form alibaba_2023_form() {
  return {.name = "alibaba-2023",
          .summary = "Alibaba 2023's openb_pod_list_*.csv",
          .columns = {"name", "num_gpu", "gpu_milli", "pod_phase", "creation_time", "deletion_time", "scheduled_time"},
          .optional = {"cpu_milli", "memory_mib", "gpu_spec", "qos"},
          .read_row = read_pod};
}

Form alibaba_2026_form() {
  return {.name = "alibaba-2026",
          .summary = "Alibaba 2026's spot GPU jobs",
          .columns = {"job_name", "organization", "gpu_model", "gpu_request", "worker_num", "submit_time", "duration",
                      "job_type"},
          .optional = {"cpu_request"},
          .read_row = read_spot};
}

}  // namespace hadar::traces
