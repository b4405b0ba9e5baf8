// Helios (SC'21) and Acme (NSDI'24): Slurm-like accounting logs.
#include "tools/traces/form.hpp"

namespace hadar::traces {
namespace {

constexpr std::string_view kStates = "COMPLETED, CANCELLED, FAILED, TIMEOUT or NODE_FAIL";

bool known_state(std::string_view state) {
  for (const std::string_view known : {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL"})
    if (state == known) return true;
  return false;
}

// Whole GPUs of all nodes together; so many nodes cannot hold fewer GPUs than nodes.
void read_row(Fields& row, Collector& jobs) {
  auto draft = begin_draft(row);
  draft.id = row.word("job_id");
  draft.user = row.word_or_empty("user");
  draft.gpus_column = "gpu_num";
  draft.gpus = row.gpus("gpu_num");
  draft.duration_column = "duration";
  draft.duration_s = row.duration("duration");
  draft.time_s = row.time("submit_time");
  if (row.saw_date()) jobs.times_are_dates();
  const double nodes = row.number("node_num", "a number of nodes");
  if (!row.refused() && nodes > draft.gpus)
    row.wrong("node_num", "at most gpu_num: a gang has a GPU on each of its nodes");
  const auto state = row.cell("state");
  if (!known_state(state)) row.wrong("state", kStates);
  if (row.refused()) return;
  if (nodes > 1) jobs.remark("ran on several nodes: kept as one gang of all their GPUs");
  if (state != "COMPLETED")
    jobs.remark("did not complete (cancelled, failed, timed out): the time they ran counts as work");
  jobs.take(std::move(draft));
}

}  // namespace

Form helios_form() {
  return {.name = "helios",
          .summary = "Helios' cluster_log.csv",
          .columns = {"job_id", "user", "vc", "gpu_num", "cpu_num", "node_num", "state", "submit_time", "start_time",
                      "end_time", "duration", "queue"},
          .read_row = read_row};
}

Form acme_form() {
  return {.name = "acme",
          .summary = "Acme's trace_seren.csv and trace_kalos.csv",
          .columns = {"job_id", "user", "node_num", "gpu_num", "cpu_num", "type", "state", "submit_time", "start_time",
                      "end_time", "duration", "queue", "gpu_time"},
          .optional = {"mem_per_pod_GB", "shared_mem_per_pod", "fail_time", "stop_time"},
          .read_row = read_row};
}

}  // namespace hadar::traces
