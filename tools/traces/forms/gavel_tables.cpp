// Traces of Gavel and Shockwave as plain tables with a header.
#include "tools/traces/form.hpp"

namespace hadar::traces {
namespace {

// With the duration alone on V100s, of which the deadline is a multiple.
void read_table(Fields& row, Collector& jobs) {
  auto draft = begin_draft(row);
  draft.id = row.word("job_id");
  draft.time_s = row.time("arrival_s");
  read_job_type(row, draft);
  draft.gpus_column = "scale_factor";
  draft.gpus = row.whole_gpus("scale_factor");
  draft.total_steps = row.steps("total_steps");
  draft.weight = row.weight("priority_weight");
  if (row.has("v100_duration_s")) draft.duration_s = row.duration("v100_duration_s");
  draft.duration_column = "v100_duration_s";
  if (row.has("slo_multiplier")) {
    const double slo = row.weight("slo_multiplier");
    if (!draft.duration_s) row.wrong("v100_duration_s", "given, since slo_multiplier counts in it");
    draft.deadline_s = slo * draft.duration_s.value_or(0);
  }
  if (!row.refused()) jobs.take(std::move(draft));
}

void read_split_type(Fields& row, Draft& draft) {
  draft.model = row.word("model");
  if (row.has("batch_size")) draft.batch_size = row.batch_size("batch_size");
  draft.total_steps = row.steps("total_steps");
  draft.gpus_column = "num_gpus";
  draft.gpus = row.whole_gpus("num_gpus");
  draft.weight = row.weight("priority_weight");
  draft.time_s = row.time("arrival_s");
}

void read_steps(Fields& row, Collector& jobs) {
  auto draft = begin_draft(row);
  read_split_type(row, draft);
  if (!row.refused()) jobs.take(std::move(draft));
}

void read_modes(Fields& row, Collector& jobs) {
  auto draft = begin_draft(row);
  read_split_type(row, draft);
  draft.duration_s = row.duration("duration_s");
  draft.duration_column = "duration_s";
  const bool batch_changes = read_batch_changes(row);
  if (row.refused()) return;
  if (batch_changes) jobs.remark(kBatchChanges);
  jobs.take(std::move(draft));
}

}  // namespace

Form gavel_table_form() {
  return {.name = "gavel-table",
          .summary = "Gavel's jobs as a table: job_id,arrival_s,job_type,scale_factor,total_steps,priority_weight,…",
          .columns = {"job_id", "arrival_s", "job_type", "scale_factor", "total_steps", "priority_weight"},
          .optional = {"v100_duration_s", "slo_multiplier"},
          .read_row = read_table};
}

Form gavel_steps_form() {
  return {.name = "gavel-steps",
          .summary = "Gavel's jobs as a table: model,batch_size,total_steps,num_gpus,priority_weight,arrival_s",
          .columns = {"model", "batch_size", "total_steps", "num_gpus", "priority_weight", "arrival_s"},
          .read_row = read_steps};
}

Form shockwave_table_form() {
  return {.name = "shockwave-table",
          .summary = "Shockwave's jobs as a table: as gavel-steps, with mode and duration_s",
          .columns = {"model", "batch_size", "total_steps", "num_gpus", "mode", "priority_weight", "duration_s",
                      "arrival_s"},
          .read_row = read_modes};
}

}  // namespace hadar::traces
