// Tables of submit time, duration and GPUs: Philly as Pollux and Sia hand it on, and cleaned excerpts of other logs.
#include "tools/traces/form.hpp"

namespace hadar::traces {
namespace {

void read_philly(Fields& row, Collector& jobs) {
  auto draft = begin_draft(row);
  draft.time_s = row.time("timestamp");
  draft.duration_column = "duration";
  draft.duration_s = row.duration("duration");
  draft.gpus_column = "num_gpus";
  draft.gpus = row.gpus("num_gpus");
  draft.user = row.word_or_empty("cluster");
  if (row.saw_date()) jobs.times_are_dates();
  if (!row.refused()) jobs.take(std::move(draft));
}

void read_durations(Fields& row, Collector& jobs) {
  auto draft = begin_draft(row);
  draft.time_s = row.time("submit_s");
  draft.duration_column = "duration_s";
  draft.duration_s = row.duration("duration_s");
  draft.gpus_column = "num_gpus";
  draft.gpus = row.gpus("num_gpus");
  draft.user = row.word_or_empty("vc");
  if (!row.refused()) jobs.take(std::move(draft));
}

}  // namespace

Form philly_csv_form() {
  return {.name = "philly-csv",
          .summary = "Philly as Pollux and Sia hand it on: timestamp,duration,num_gpus,gpu_time,cluster",
          .columns = {"timestamp", "duration", "num_gpus"},
          .optional = {"gpu_time", "cluster"},
          .read_row = read_philly};
}

Form durations_form() {
  return {.name = "durations",
          .summary = "jobs without models: submit_s,duration_s,num_gpus[,vc]",
          .columns = {"submit_s", "duration_s", "num_gpus"},
          .optional = {"vc"},
          .read_row = read_durations};
}

}  // namespace hadar::traces
